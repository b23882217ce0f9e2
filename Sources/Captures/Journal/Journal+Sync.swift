import FoundationEssentials
import Glibc
import Synchronization

extension Journal {
  /// Makes everything written before this call durable, for all sessions, and deletes segments that are no longer needed.
  ///
  /// Does nothing if nothing was written. Blocks as long as the disk does; appends continue meanwhile.
  ///
  /// A failed sync is not simply repeated: the kernel may have dropped the pages and would report success (fsyncgate,
  /// 2018). The records that it should have covered are written again from memory, to a new segment.
  ///
  /// - Throws: ``JournalError`` with `rewritten`, `notSynced`, `segmentsVanished` (also where one was cut) or `notPruned`.
  public func sync() throws(JournalError) {
    try syncLock.withLock { _ throws(JournalError) in try syncAlone() }
  }

  /// The sync itself; the caller holds the lock for syncs.
  func syncAlone() throws(JournalError) {
    guard var round = state.withLock({ $0.beginSync() }) else { return }
    do throws(SystemError) {
      guard !round.needsRewriting else { throw SystemError(EIO) }
      try round.run()
    } catch {
      try rewrite(after: error, round)
      return
    }
    state.withLock { $0.syncing.removeAll() }
    try prune(round.committed)
  }

  /// Writes the records that were being synced again, to a segment that is renamed only when it is durable.
  private func rewrite(after failure: SystemError, _ round: SyncRound) throws(JournalError) {
    let path = directory
    let (plan, atRisk, directory) = state.withLock { state in
      let plan = state.planRewriting(round)
      return (plan, state.syncing.recordCount, state.directory)
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
      // From here on readers use it, whether the folder's sync succeeds or not.
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

  /// Deletes the oldest segments whose sessions are all committed, in order.
  ///
  /// In this order a power cut in between loses the records of a session before the record that it is committed.
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

/// The work of one sync, copied from the state so that appends can continue.
private struct SyncRound {
  var directory: Directory
  var segments: [JournalState.UnsyncedSegment]
  var isDirectoryDirty: Bool
  var needsRewriting: Bool
  /// Sessions whose `committed` records this sync covers.
  var committed: Set<UUID>
  /// The segment that was found truncated.
  var shortened: JournalState.Shortened?
  /// Whether a segment was found deleted.
  var hasVanished = false

  mutating func run() throws(SystemError) {
    // The folder first: once a segment's sync has returned, its name must not be lost either.
    if isDirectoryDirty { try directory.synchronize() }
    for segment in segments {
      let file: OpenFile
      if let open = segment.file {
        file = open
      } else {
        do throws(SystemError) { file = try directory.openForReading(SegmentName.name(segment.number)) } catch {
          hasVanished = error.number == ENOENT
          throw error
        }
      }
      try file.synchronizeData()
      // Writes to a deleted file succeed, but no reader will ever find them.
      let status = try file.status()
      hasVanished = status.st_nlink == 0
      guard !hasVanished else { throw SystemError(ESTALE) }
      // The same holds for writes to a file that was truncated since, if the names of its sessions are gone.
      guard status.st_size >= segment.length else {
        shortened = JournalState.Shortened(number: segment.number, length: segment.length, size: Int(status.st_size))
        throw SystemError(ESTALE)
      }
    }
  }
}

/// A segment that repeats the records that were being synced.
private struct Rewriting {
  var number: Int
  var mode: UInt32
  var bytes: [UInt8]
  var sessions: Set<UUID>
}

extension JournalState {
  fileprivate mutating func beginSync() -> SyncRound? {
    guard isDirty else { return nil }
    moveToSyncing()
    var segments = unsyncedSegments
    if let current {
      segments.append(UnsyncedSegment(number: current.number, file: current.file, length: current.length))
    }
    defer {
      unsyncedSegments = []
      isDirectoryDirty = false
      isDirty = false
    }
    return SyncRound(
      directory: directory, segments: segments, isDirectoryDirty: isDirectoryDirty, needsRewriting: needsRewriting,
      committed: committed)
  }

  /// Reserves a number for the segment that repeats the records; nil if they are no longer in memory.
  ///
  /// Everything written so far goes into it; later records go to segments after it.
  fileprivate mutating func planRewriting(_ round: SyncRound) -> Rewriting? {
    needsRewriting = true
    rewritings += 1
    isDirty = true
    moveToSyncing()
    if round.hasVanished { deleted = round.segments }
    if !deleted.isEmpty { deleted += unsyncedSegments }
    if !deleted.isEmpty, let current {
      deleted.append(UnsyncedSegment(number: current.number, file: current.file, length: current.length))
    }
    current = nil
    if (try? directory.file.status().st_nlink) == 0 { try? reopenDirectory() }
    if let rescue = planRescue() { return rescue }
    guard var start = syncing.start, syncing.isComplete else { return nil }
    let shortened = round.shortened
    if let shortened, shortened.number == start.segment {
      // Wherever it was cut, all of these records are at or after this offset. Without its first line the segment is
      // unreadable.
      let offset = shortened.size - (shortened.length - start.offset)
      start.offset = offset < TextHeader.length ? 0 : offset
    }
    let number = nextNumber
    nextNumber += 1
    return Rewriting(
      number: number, mode: configuration.fileMode,
      bytes: rewriting(from: start, isBeginningLost: shortened != nil || !deleted.isEmpty), sessions: syncing.sessions)
  }

  /// Plans the same rewriting from the descriptors of segments that somebody deleted, which have all of their records,
  /// also those that were synced; nil where there is no such segment, or one cannot be read.
  private mutating func planRescue() -> Rewriting? {
    var lengths: [Int: (file: OpenFile, length: Int)] = [:]
    for segment in deleted {
      guard let file = segment.file, segment.length > lengths[segment.number]?.length ?? 0 else { continue }
      lengths[segment.number] = (file, segment.length)
    }
    // From the first deleted segment on: the records behind it were not synced either.
    let open = lengths.sorted { $0.key < $1.key }.drop { (try? $0.value.file.status().st_nlink) != 0 }
    guard let first = open.first?.key else { return nil }
    buffer.removeAll()
    buffer.header(.journal)
    buffer.rewrites(segment: first, offset: 0)
    var bytes = buffer.copy()
    for (_, segment) in open {
      guard let content = try? segment.file.readAll(upTo: segment.length), content.count == segment.length else {
        return nil
      }
      bytes += content[TextHeader.length...]
    }
    unsyncedSegments.removeAll { $0.number >= first }
    defer { nextNumber += 1 }
    return Rewriting(
      number: nextNumber, mode: configuration.fileMode, bytes: bytes,
      sessions: segments.filter { $0.number >= first }.reduce(into: []) { $0.formUnion($1.sessions) })
  }

  fileprivate mutating func insert(_ plan: Rewriting) {
    let place = segments.firstIndex { $0.number > plan.number } ?? segments.endIndex
    segments.insert(Segment(number: plan.number, sessions: plan.sessions), at: place)
  }

  /// Ends a rewriting: the records were written again, or cannot be.
  fileprivate mutating func finishRewriting() {
    syncing.removeAll()
    deleted = []
    needsRewriting = false
    isDirty = unsynced.start != nil
  }

  /// The oldest segments that are no longer needed; also the current one, if nothing is needed at all.
  fileprivate mutating func prunable(_ committed: Set<UUID>) -> [Segment] {
    let unneeded = segments.prefix { committed.isSuperset(of: $0.sessions) }
    if unneeded.count == segments.count, unsynced.start == nil, let current {
      // Deleted health data must be removed now, not after another megabyte of records.
      self.current = nil
      unsyncedSegments.removeAll { $0.number == current.number }
    }
    return unneeded.filter { $0.number != current?.number }
  }

  fileprivate mutating func forget(_ number: Int) {
    segments.removeAll { $0.number == number }
    // The sync does not look for this segment any more: nobody else deleted it.
    unsyncedSegments.removeAll { $0.number == number }
    let needed = segments.reduce(into: Set<UUID>()) { $0.formUnion($1.sessions) }
    for id in committed where !needed.contains(id) {
      committed.remove(id)
      objects[id] = nil
    }
  }
}
