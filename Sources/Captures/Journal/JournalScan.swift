import FoundationEssentials
import Glibc

/// One reading of a journal's folder, segment by segment in order.
struct JournalScan {
  private(set) var reader: RecordReader
  private(set) var segments: [Segment] = []
  private(set) var foreignFiles: [ForeignFile] = []
  /// The greatest number that a file of the folder has.
  private(set) var greatestNumber = 0

  struct Segment {
    let number: Int
    var summary: RecordReader.Summary
  }

  private let directory: Directory
  private let settingAside: Bool

  /// Reads the folder.
  ///
  /// `only` is the one session whose events are wanted, `wanted` the segments to read (nil for all): others do not exist
  /// for it. With `settingAside` files that are no readable segments are renamed, and leftovers of an unfinished rewriting
  /// are deleted.
  init(
    _ directory: Directory, only: UUID? = nil, wanted: Set<Int>? = nil, settingAside: Bool = false
  ) throws(SystemError) {
    self.directory = directory
    self.settingAside = settingAside
    reader = RecordReader(only: only)
    let names = try directory.names()
    var numbers: [Int] = []
    for name in names {
      greatestNumber = max(greatestNumber, SegmentName.leadingNumber(name) ?? 0)
      if let number = SegmentName.number(name) {
        if wanted?.contains(number) ?? true { numbers.append(number) }
      } else if settingAside, name.hasSuffix(SegmentName.rewritingSuffix) {
        try? directory.remove(name)
      }
    }
    numbers.sort()
    let ends = Self.superseded(numbers, in: directory)
    for number in numbers { read(number, upTo: ends[number]) }
  }

  var contents: JournalContents {
    let sessions = reader.sessions.map { session in
      JournalSession(
        capture: session.capture,
        state: reader.committed.contains(session.header.session) ? .committed : session.hasEnded ? .ended : .open)
    }
    return JournalContents(
      sessions: sessions, damages: reader.damages.first, damageCount: reader.damages.count, foreignFiles: foreignFiles,
      unknownRecords: reader.unknownRecords.first, unknownRecordCount: reader.unknownRecords.count)
  }

  /// Where the records of a segment end that a later one holds again; `numbers` are the segments in order.
  static func superseded(_ numbers: [Int], in directory: Directory) -> [Int: Int] {
    var ends: [Int: Int] = [:]
    for number in numbers {
      guard let (segment, offset) = rewriting(number, in: directory) else { continue }
      for earlier in numbers where earlier >= segment && earlier < number {
        ends[earlier] = min(ends[earlier] ?? .max, earlier == segment ? offset : 0)
      }
    }
    return ends
  }

  /// What the segment holds again, which its second line says.
  private static func rewriting(_ number: Int, in directory: Directory) -> (segment: Int, offset: Int)? {
    guard let file = try? directory.openForReading(SegmentName.name(number)),
      let head = try? file.read(atMost: 128), case .capture(_, let length) = TextHeader.read(head.span)
    else { return nil }
    let line = Array(head[length...].prefix { $0 != UInt8(ascii: "\n") })
    guard RecordLine.hasValidChecksum(line), case .rewrites(let segment, let offset)? = RecordLine.record(line) else {
      return nil
    }
    return (segment, offset)
  }

  private mutating func read(_ number: Int, upTo end: Int?) {
    let name = SegmentName.name(number)
    // Whatever is left of it, a later one holds it again.
    if end == 0 { return segments.append(Segment(number: number, summary: RecordReader.Summary())) }
    let bytes: [UInt8]
    do {
      // What a failed sync was to cover, and a later segment holds, may be unreadable.
      bytes = try directory.openForReading(name).readAll(upTo: end.map { max($0, TextHeader.length) } ?? .max)
    } catch {
      if error.number == ENOENT { return }
      return setAside(name, .unreadable(error.number))
    }
    let end = min(end ?? bytes.count, bytes.count)
    switch TextHeader.read(bytes.span) {
    case .capture(let version, let length):
      let summary = reader.read(bytes.span, file: name, version: version, from: length, to: max(length, end))
      segments.append(Segment(number: number, summary: summary))
    case .damaged(let reason):
      let summary = reader.read(bytes.span, file: name, from: 0, to: end, headerDamage: reason)
      segments.append(Segment(number: number, summary: summary))
    case .cutOff:
      let summary = reader.read(bytes.span, file: name, from: 0, to: end, headerDamage: .cutOff)
      segments.append(Segment(number: number, summary: summary))
    case .newer(let version):
      setAside(name, .newerVersion(version))
    case .foreign:
      setAside(name, .notAJournal)
    }
  }

  private mutating func setAside(_ name: String, _ reason: ForeignFile.Reason) {
    guard settingAside else { return foreignFiles.append(ForeignFile(name: name, reason: reason)) }
    let newName = directory.freeName(SegmentName.aside(name, reason))
    let isRenamed = (try? directory.rename(name, to: newName)) != nil
    foreignFiles.append(ForeignFile(name: name, reason: reason, setAsideAs: isRenamed ? newName : nil))
  }
}
