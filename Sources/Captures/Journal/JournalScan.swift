import FoundationEssentials
import Glibc

/// Reads a journal's folder, segment by segment in order.
struct JournalScan {
  private(set) var reader: RecordReader
  private(set) var segments: [Segment] = []
  private(set) var foreignFiles: [ForeignFile] = []
  /// The highest number among the folder's files.
  private(set) var greatestNumber = 0

  struct Segment {
    let number: Int
    var summary: RecordReader.Summary
  }

  private let directory: Directory
  private let settingAside: Bool

  /// Reads the folder.
  ///
  /// `only` is the one session whose events are wanted. `wanted` are the segments to read (nil for all); others are treated
  /// as if they did not exist. With `settingAside`, files that are no segments are renamed, and remains of an
  /// unfinished rewrite are deleted. A segment that may be readable another time stays as it is.
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
      unknownRecords: reader.unknownRecords.first, unknownRecordCount: reader.unknownRecords.count,
      series: reader.series.filter { !reader.committed.contains($0.series.identifier) },
      workouts: reader.workouts.filter { !reader.committed.contains($0.workout.identifier) })
  }

  /// For each segment that a later one repeats in part, the offset where that part begins; `numbers` are the segments in
  /// order.
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

  /// The part of earlier segments that this one repeats, from its second line.
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
    // A later segment repeats this whole one.
    if end == 0 { return segments.append(Segment(number: number, summary: RecordReader.Summary())) }
    let bytes: [UInt8]
    do {
      // The part that a failed sync should have covered, and a later segment repeats, may be unreadable.
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
    guard settingAside, !reason.mayPass else {
      let owner: UInt32? = if case .unreadable = reason { directory.owner(of: name) } else { nil }
      return foreignFiles.append(ForeignFile(name: name, reason: reason, owner: owner))
    }
    let newName = directory.freeName(SegmentName.aside(name, reason))
    let isRenamed = (try? directory.rename(name, to: newName)) != nil
    foreignFiles.append(ForeignFile(name: name, reason: reason, setAsideAs: isRenamed ? newName : nil))
  }
}
