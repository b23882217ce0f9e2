import FoundationEssentials
import Glibc
import Synchronization

extension Journal {
  /// Makes durable what was written before this call, for all sessions, and deletes segments that nobody needs.
  ///
  /// Does nothing where nothing was written. Blocks as long as the disk does, while appends go on.
  ///
  /// A failed sync is never just repeated: the kernel may have dropped the pages and calls the next one a success
  /// (fsyncgate, 2018). The records that it should have covered are written again to a new segment from memory.
  ///
  /// - Throws: ``JournalError`` with `rewritten`, `notSynced`, `segmentsVanished` (also where one was cut) or `notPruned`.
  public func sync() throws(JournalError) {
    try syncing.withLock { _ throws(JournalError) in try syncAlone() }
  }

  /// The sync itself, by whoever has the lock of all syncs.
  func syncAlone() throws(JournalError) {
    guard var round = state.withLock({ $0.beginSync() }) else { return }
    do throws(SystemError) {
      guard !round.needsRewriting else { throw SystemError(EIO) }
      try round.run()
    } catch {
      try rewrite(after: error, round.shortened)
      return
    }
    state.withLock { $0.pending.removeAll() }
    try prune(round.committed)
  }

  /// Writes the pending records again, to a segment that gets its name only when it is durable.
  private func rewrite(after failure: SystemError, _ shortened: JournalState.Shortened?) throws(JournalError) {
    let path = directory
    let (plan, atRisk, directory) = state.withLock { state in
      let plan = state.planRewriting(shortened)
      return (plan, state.pending.recordCount, state.directory)
    }
    guard let plan else {
      state.withLock { $0.finishRewriting() }
      throw JournalError(.notSynced, errorNumber: failure.number, path: path, recordsAtRisk: atRisk)
    }
    let temporaryName = SegmentName.name(plan.number) + SegmentName.rewritingSuffix
    do {
      let file = try directory.create(temporaryName, mode: plan.mode)
      try file.writeAll(plan.bytes)
      try file.synchronizeData()
      try directory.rename(temporaryName, to: SegmentName.name(plan.number))
      // Readers go by it from here on, whether the folder's sync succeeds or not.
      state.withLock { $0.insert(plan) }
      try directory.synchronize()
    } catch {
      try? directory.remove(temporaryName)
      throw JournalError(.notSynced, errorNumber: error.number, path: path, recordsAtRisk: atRisk)
    }
    state.withLock { $0.finishRewriting() }
    throw JournalError(
      failure.number == ESTALE || failure.number == ENOENT ? .segmentsVanished : .rewritten,
      errorNumber: failure.number, path: path)
  }

  /// Deletes the oldest segments whose sessions are all committed, one after the other.
  ///
  /// In that order a power cut between two of them leaves the note that a session is committed longer than its records.
  private func prune(_ committed: Set<UUID>) throws(JournalError) {
    let (segments, directory) = state.withLock { ($0.prunable(committed), $0.directory) }
    for segment in segments {
      let name = SegmentName.name(segment.number)
      do {
        if segment.isDamaged {
          try directory.rename(name, to: name + SegmentName.damagedSuffix)
        } else {
          try directory.remove(name)
        }
        try directory.synchronize()
      } catch {
        guard error.number != ENOENT else { continue }
        throw JournalError(.notPruned, errorNumber: error.number, path: "\(self.directory)/\(name)")
      }
      state.withLock { $0.forget(segment.number) }
    }
  }
}

/// What one sync has to do, taken from the state so that appends go on meanwhile.
private struct SyncRound {
  var directory: Directory
  var segments: [JournalState.Unsynced]
  var isDirectoryDirty: Bool
  var needsRewriting: Bool
  /// The sessions whose notes of being committed this sync covers.
  var committed: Set<UUID>
  /// The segment that was found cut.
  var shortened: JournalState.Shortened?

  mutating func run() throws(SystemError) {
    // First the entries: once a segment's sync has returned nothing may take its name away.
    if isDirectoryDirty { try directory.synchronize() }
    for segment in segments {
      let file: OpenFile
      if let open = segment.file {
        file = open
      } else {
        file = try directory.openForReading(SegmentName.name(segment.number))
      }
      try file.synchronizeData()
      // Writing to a deleted file succeeds, and nobody will ever read it.
      let status = try file.status()
      guard status.st_nlink > 0 else { throw SystemError(ESTALE) }
      // Nor what was written to one that is cut since, without the names of its sessions.
      guard status.st_size >= segment.length else {
        shortened = JournalState.Shortened(number: segment.number, length: segment.length, size: Int(status.st_size))
        throw SystemError(ESTALE)
      }
    }
  }
}

/// A segment that is to hold the pending records again.
private struct Rewriting {
  var number: Int
  var mode: UInt32
  var bytes: [UInt8]
  var sessions: Set<UUID>
}

extension JournalState {
  fileprivate mutating func beginSync() -> SyncRound? {
    guard isDirty else { return nil }
    takeTail()
    var segments = unsynced
    if let current { segments.append(Unsynced(number: current.number, file: current.file, length: current.length)) }
    defer {
      unsynced = []
      isDirectoryDirty = false
      isDirty = false
    }
    return SyncRound(
      directory: directory, segments: segments, isDirectoryDirty: isDirectoryDirty, needsRewriting: needsRewriting,
      committed: committed)
  }

  /// Takes a number for the segment that holds the pending records again; nil where they are no longer in memory.
  ///
  /// Everything written so far goes into it, what comes goes to segments after it.
  fileprivate mutating func planRewriting(_ shortened: Shortened?) -> Rewriting? {
    needsRewriting = true
    rewritings += 1
    isDirty = true
    takeTail()
    current = nil
    if (try? directory.file.status().st_nlink) == 0 { try? reopenDirectory() }
    guard var start = pending.start, pending.isComplete else { return nil }
    if let shortened, shortened.number == start.segment {
      // Wherever it was cut, none of these records stands before this. Without its first line nothing of it is readable.
      let offset = shortened.size - (shortened.length - start.offset)
      start.offset = offset < TextHeader.length ? 0 : offset
    }
    let number = nextNumber
    nextNumber += 1
    return Rewriting(
      number: number, mode: configuration.fileMode, bytes: rewriting(from: start, isBeginningLost: shortened != nil),
      sessions: pending.sessions)
  }

  fileprivate mutating func insert(_ plan: Rewriting) {
    let place = segments.firstIndex { $0.number > plan.number } ?? segments.endIndex
    segments.insert(Segment(number: plan.number, sessions: plan.sessions), at: place)
  }

  /// The pending records are written again, or cannot be.
  fileprivate mutating func finishRewriting() {
    pending.removeAll()
    needsRewriting = false
    isDirty = tail.start != nil
  }

  /// The oldest segments that nobody needs; the current one too, once nothing at all is needed.
  fileprivate mutating func prunable(_ committed: Set<UUID>) -> [Segment] {
    let unneeded = segments.prefix { committed.isSuperset(of: $0.sessions) }
    if unneeded.count == segments.count, tail.start == nil, let current {
      // Deleted health data is to be gone, not to wait for a megabyte more.
      self.current = nil
      unsynced.removeAll { $0.number == current.number }
    }
    return unneeded.filter { $0.number != current?.number }
  }

  fileprivate mutating func forget(_ number: Int) {
    segments.removeAll { $0.number == number }
    let needed = segments.reduce(into: Set<UUID>()) { $0.formUnion($1.sessions) }
    for id in committed where !needed.contains(id) {
      committed.remove(id)
      sessions[id] = nil
    }
  }
}
