public import FoundationEssentials
import Glibc
import Synchronization

/// Removes the records of a deleted session from a journal's folder, so that no byte of the session is left.
///
/// Segments are shared by all sessions of their time, so a segment with such records is rewritten without them.
/// Unreadable records are removed too, since they may be the session's, also from segments that were set aside as
/// damaged. Files that are not segments, or of a newer version, are left alone.
public enum JournalErasure {
  /// The result of an erasure.
  public enum Outcome: Hashable, Sendable {
    /// No records are left.
    case erased
    /// A recorder has the journal open; it erases the records when it notices that the session was deleted.
    case recorderRuns
  }

  /// Erases a session if no recorder runs. A missing folder is empty.
  ///
  /// - Throws: ``JournalError`` with `cannotRead` or `notPruned`.
  public static func erase(_ session: UUID, in path: String) throws(JournalError) -> Outcome {
    let directory: Directory
    do throws(SystemError) {
      directory = try Directory(path: path)
      guard try directory.lock() else { return .recorderRuns }
    } catch {
      guard error.number != ENOENT else { return .erased }
      throw JournalError(.cannotRead, errorNumber: error.number, path: path)
    }
    do throws(SystemError) {
      // Records that a later segment repeats may only be removed when that segment's name is durable.
      try directory.synchronize()
      try erase(session, from: directory.names().filter(isReadable), in: directory)
    } catch {
      throw JournalError(.notPruned, errorNumber: error.number, path: path)
    }
    return .erased
  }

  /// Whether a name is that of a segment, or of one set aside as damaged.
  static func isReadable(_ name: String) -> Bool {
    SegmentName.number(name) != nil || isDamaged(name)
  }

  static func isDamaged(_ name: String) -> Bool {
    let parts = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, SegmentName.number("\(parts[0]).\(parts[1])") != nil else { return false }
    let rest = ".\(parts[2])"
    return rest == SegmentName.damagedSuffix || rest.hasPrefix(SegmentName.damagedSuffix + SegmentName.seenSuffix)
  }

  /// Durably rewrites the files that have records of the session, without these.
  ///
  /// Records that a later segment repeats are removed too, because the position in that segment's first record is no
  /// longer valid.
  static func erase(_ session: UUID, from names: [String], in directory: Directory) throws(SystemError) {
    let ends = JournalScan.superseded(try directory.names().compactMap(SegmentName.number).sorted(), in: directory)
    for name in names {
      let file = try directory.openForReading(name)
      let end = SegmentName.number(name).flatMap { ends[$0] }.map { max($0, TextHeader.length) }
      let kept: [UInt8]?
      if let end, try file.status().st_size > end {
        kept = try remainder(of: file, upTo: end, without: session)
      } else {
        kept = remainder(of: try file.readAll(), without: session, isDamaged: isDamaged(name))
      }
      if let kept { try replace(name, of: file, with: kept, in: directory) }
    }
  }

  /// Durably replaces a file by another with the same owner, group and permissions.
  private static func replace(
    _ name: String, of file: OpenFile, with bytes: [UInt8], in directory: Directory
  ) throws(SystemError) {
    let temporaryName = name + SegmentName.rewritingSuffix
    do throws(SystemError) {
      try directory.remove(temporaryName)
      let replacement = try directory.create(temporaryName, mode: 0o600)
      // The service must be able to read it, even if another user deletes.
      try replacement.copyAccess(of: file)
      try replacement.writeAll(bytes)
      try replacement.synchronizeData()
      try directory.rename(temporaryName, to: name)
      try directory.synchronize()
    } catch {
      try? directory.remove(temporaryName)
      throw error
    }
  }

  /// The records up to `end` (from there on a later segment repeats them) without the session's and without unreadable
  /// ones; nil if the file is not ours.
  ///
  /// The bytes behind `end` are not read, since a failing disk may not return them.
  private static func remainder(
    of file: OpenFile, upTo end: Int, without session: UUID
  ) throws(SystemError) -> [UInt8]? {
    let bytes = try file.readAll(upTo: end)
    var version = TextHeader.version
    switch TextHeader.read(bytes.span) {
    case .capture(let found, _): version = found
    case .damaged: break
    case .newer: return nil
    case .foreign, .cutOff:
      // After a damaged first line, only its records show that the file is ours.
      let whole = try file.readAll()
      guard case .damaged = TextHeader.read(whole.span) else { return nil }
    }
    return filtered(bytes, of: version, without: session, isDamaged: true) ?? bytes
  }

  /// The bytes without the session's records; nil if nothing is to be removed.
  static func remainder(of bytes: [UInt8], without session: UUID, isDamaged: Bool) -> [UInt8]? {
    guard case .capture(let version, _) = TextHeader.read(bytes.span) else {
      // Records can follow a damaged first line.
      guard case .damaged = TextHeader.read(bytes.span) else { return nil }
      return filtered(bytes, without: session, isDamaged: true)
    }
    return filtered(bytes, of: version, without: session, isDamaged: isDamaged)
  }

  private static func filtered(
    _ bytes: [UInt8], of version: Int = TextHeader.version, without session: UUID, isDamaged: Bool
  ) -> [UInt8]? {
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count)
    var lines = SessionLines(session)
    var hasUnreadable = false
    var start = 0
    var isFirst = true
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let whole = Array(bytes[start..<end])
      var line = RecordLine.behindZeros(whole)
      let isIntact = end < bytes.count && RecordLine.hasValidChecksum(line)
      var keeps = false
      if isFirst, isIntact {
        keeps = true
      } else if isIntact {
        switch RecordLine.read(line, version: version) {
        case .record(let record):
          keeps = lines.keeps(record) && !(isDamaged && hasUnreadable && lines.isNameless(record))
        case .unknown(let unknown): keeps = lines.keeps(unknown)
        case .malformed: hasUnreadable = true
        }
      } else {
        hasUnreadable = true
        // Without this line the records after it would have no name and return as a session without a sensor.
        if !isFirst, let repaired = RecordLine.repaired(whole), let record = RecordLine.record(repaired) {
          keeps = lines.keeps(record)
          line = repaired
        }
      }
      if keeps {
        kept += line
        kept.append(UInt8(ascii: "\n"))
      }
      isFirst = false
      start = end + 1
    }
    return lines.hasOwn || (isDamaged && hasUnreadable) ? kept : nil
  }
}

/// Decides line by line which records of a file belong to a session.
private struct SessionLines {
  private let session: UUID
  /// The slots that the session, series or workout with this UUID has at the current line.
  private var slots: Set<Int> = []
  /// The slots that a session, series or workout has at the current line.
  private var named: Set<Int> = []
  /// Whether any record belonged to the session.
  private(set) var hasOwn = false

  init(_ session: UUID) {
    self.session = session
  }

  /// Whether a record stays when the session is removed.
  mutating func keeps(_ record: Record) -> Bool {
    switch record {
    case .session(let slot, let header), .resumes(let slot, let header, _): give(slot, to: header.session)
    case .series(let slot, .begin(let series)): give(slot, to: series.identifier)
    case .workout(let slot, .begin(let workout)): give(slot, to: workout.identifier)
    case .metadata(let slot, _, _), .requested(let slot, _), .event(let slot, _), .series(let slot, _),
      .workout(let slot, _):
      !slots.contains(slot)
    case .committed, .rewrites: true
    }
  }

  /// Whether a record of unknown kind stays when the session is removed: it belongs to the session with its slot or,
  /// without a slot, to the UUID in its first field.
  mutating func keeps(_ record: RecordLine.Unknown) -> Bool {
    let isOwn = record.slot.map(slots.contains) ?? (record.owner == session)
    hasOwn = hasOwn || isOwn
    return !isOwn
  }

  /// Whether no line before the record names the session of its slot.
  func isNameless(_ record: Record) -> Bool {
    if case .event(let slot, _) = record { !named.contains(slot) } else { false }
  }

  private mutating func give(_ slot: Int, to owner: UUID) -> Bool {
    named.insert(slot)
    guard owner == session else {
      slots.remove(slot)
      return true
    }
    slots.insert(slot)
    hasOwn = true
    return false
  }
}

extension Journal {
  /// Removes the records of a deleted session from the segments of this open journal; see ``JournalErasure``. An open
  /// session is left alone. Blocks as long as the disk does.
  ///
  /// Segments that were set aside as damaged are searched only if `settledAside` is true.
  ///
  /// - Throws: ``JournalError`` with `notPruned`, or what ``sync()`` throws.
  public func erase(_ session: UUID, settledAside: Bool = true) throws(JournalError) {
    guard state.withLock({ $0.mayErase(session) }) else { return }
    let path = directory
    try syncLock.withLock { _ throws(JournalError) in
      state.withLock { $0.leaveSegment(of: session) }
      // Records that no sync has covered would be written again after a failed one: deleted records too, and the others
      // with a position that is no longer valid.
      try syncAlone()
      let (numbers, directory) = state.withLock { ($0.segments(of: session), $0.directory) }
      do throws(SystemError) {
        var names = numbers.map(SegmentName.name)
        if settledAside { names += try directory.names().filter(JournalErasure.isDamaged) }
        try JournalErasure.erase(session, from: names, in: directory)
      } catch {
        throw JournalError(.notPruned, errorNumber: error.number, path: path)
      }
      try change { $0.forget(session, in: numbers) }
    }
  }
}

extension JournalState {
  /// Whether a session no longer receives values.
  fileprivate func mayErase(_ session: UUID) -> Bool {
    objects[session].map(\.isCommitted) ?? true
  }

  /// If the current segment names the session, lets the next record begin a new segment.
  fileprivate mutating func leaveSegment(of session: UUID) {
    if let current, segments(of: session).contains(current.number) { leaveCurrent() }
  }

  /// The segments that name a session.
  fileprivate func segments(of session: UUID) -> [Int] {
    segments.filter { $0.sessions.contains(session) }.map(\.number)
  }

  /// Records that the segments were durably rewritten without the session.
  fileprivate mutating func forget(_ session: UUID, in numbers: [Int]) {
    unsyncedSegments.removeAll { numbers.contains($0.number) && $0.number != current?.number }
    for index in segments.indices { segments[index].sessions.remove(session) }
    committed.remove(session)
    objects[session] = nil
    // An empty segment can be deleted with the next sync.
    isDirty = isDirty || !numbers.isEmpty
  }
}
