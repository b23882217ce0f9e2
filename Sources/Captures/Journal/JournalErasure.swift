public import FoundationEssentials
import Glibc

/// Takes the records of a deleted session out of a journal's folder, so that none of its bytes is left there.
///
/// Segments are shared by all sessions of their time: a segment that has such records is written anew without them and
/// put in its own place. Records that nobody can read any more go too, since nobody can say whose they were; that holds
/// for segments that were kept aside as damaged as well. What is not ours, or of a newer version, is not touched.
public enum JournalErasure {
  /// What became of the records.
  public enum Outcome: Hashable, Sendable {
    /// None are left.
    case erased
    /// A recorder has the journal; it erases them when it notices that the session was deleted.
    case recorderRuns
  }

  /// Erases a session where no recorder runs. A missing folder holds nothing.
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
      // What goes because a later segment has it again goes only where that one's name is durable.
      try directory.synchronize()
      try erase(session, from: directory.names().filter(isReadable), in: directory)
    } catch {
      throw JournalError(.notPruned, errorNumber: error.number, path: path)
    }
    return .erased
  }

  /// Segments, and those that were set aside as damaged.
  static func isReadable(_ name: String) -> Bool {
    SegmentName.number(name) != nil || isDamaged(name)
  }

  static func isDamaged(_ name: String) -> Bool {
    name.hasSuffix(SegmentName.damagedSuffix)
      && SegmentName.number(String(name.dropLast(SegmentName.damagedSuffix.utf8.count))) != nil
  }

  /// Writes files anew without the session's records, durably, where they have any.
  ///
  /// What a later segment holds again goes, too: that segment says where it stood, and nothing does any more.
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

  /// Puts a file of the same owner, group and permissions in the place of another, durably.
  private static func replace(
    _ name: String, of file: OpenFile, with bytes: [UInt8], in directory: Directory
  ) throws(SystemError) {
    let temporaryName = name + SegmentName.rewritingSuffix
    do throws(SystemError) {
      try directory.remove(temporaryName)
      let replacement = try directory.create(temporaryName, mode: 0o600)
      // The service reads it, too, where another user deletes.
      try replacement.takeAccess(of: file)
      try replacement.writeAll(bytes)
      try replacement.synchronizeData()
      try directory.rename(temporaryName, to: name)
      try directory.synchronize()
    } catch {
      try? directory.remove(temporaryName)
      throw error
    }
  }

  /// The records up to `end`, where a later segment holds what follows, without the session's and without those that
  /// nobody can read; nil where the file is not ours.
  ///
  /// What follows is not looked at, since a failing disk may not give it back.
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
      // Behind a first line that is damaged, only its records show that it is ours.
      let whole = try file.readAll()
      guard case .damaged = TextHeader.read(whole.span) else { return nil }
    }
    return filtered(bytes, of: version, without: session, isDamaged: true) ?? bytes
  }

  /// The bytes without the session's records; nil where nothing has to go.
  static func remainder(of bytes: [UInt8], without session: UUID, isDamaged: Bool) -> [UInt8]? {
    guard case .capture(let version, _) = TextHeader.read(bytes.span) else {
      // A first line that is damaged does not hide the records behind it.
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
      let line = RecordLine.behindZeros(whole)
      let isIntact = end < bytes.count && RecordLine.hasValidChecksum(line)
      var keeps = false
      if isFirst, isIntact {
        keeps = true
      } else if isIntact {
        switch RecordLine.read(line, version: version) {
        case .record(let record): keeps = lines.keeps(record)
        case .unknown(let unknown): keeps = lines.keeps(unknown)
        case .malformed: hasUnreadable = true
        }
      } else {
        hasUnreadable = true
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

/// Which records of a file are a session's, told line by line.
private struct SessionLines {
  private let session: UUID
  /// Those that the session, or the series of this identity, has at this place of the file.
  private var slots: Set<Int> = []
  /// Whether there were any.
  private(set) var hasOwn = false

  init(_ session: UUID) {
    self.session = session
  }

  /// Whether a record stays when the session goes.
  mutating func keeps(_ record: Record) -> Bool {
    switch record {
    case .session(let slot, let header), .resumes(let slot, let header, _): give(slot, to: header.session)
    case .series(let slot, .begin(let series)): give(slot, to: series.identifier)
    case .metadata(let slot, _, _), .event(let slot, _), .series(let slot, _): !slots.contains(slot)
    case .committed, .rewrites: true
    }
  }

  /// The same for a record that only a later version understands: it belongs to whoever has its slot, and without a slot to
  /// the identity that it begins with.
  mutating func keeps(_ record: RecordLine.Unknown) -> Bool {
    let isOwn = record.slot.map(slots.contains) ?? (record.owner == session)
    hasOwn = hasOwn || isOwn
    return !isOwn
  }

  private mutating func give(_ slot: Int, to owner: UUID) -> Bool {
    guard owner == session else {
      slots.remove(slot)
      return true
    }
    slots.insert(slot)
    hasOwn = true
    return false
  }
}
