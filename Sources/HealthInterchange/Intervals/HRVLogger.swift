internal import HealthModel

/// The CSV of HRV Logger: `date, rr, since start`; dates with their zone.
package struct HRVLoggerReader: LinesReader {
  package static let format = ForeignFormat.hrvlogger

  private static let heading: [String] = ["date", "rr", "since start"]

  package static func recognizes(_ beginning: [UInt8]) -> Bool {
    let line = beginning.prefix { $0 != 0x0A }.filter { $0 != 0x0D }
    // Behind a byte order mark.
    return fields(line.dropFirst(line.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)).map {
      String(decoding: $0, as: UTF8.self)
    }
      == heading
  }

  package private(set) var account = ReadingAccount()
  var lines = LineSplitter()
  /// The moment of the column's zero, as soon as enough lines determine it.
  private var start: Timestamp?
  /// The lines of the beginning, until ``start`` is known.
  private var waiting: [Line] = []
  /// Between what times the column's zero must have been: dates are of whole seconds, rounded down.
  private var bounds: ClosedRange<Int64>?
  /// The moment of the column's zero by the first line alone.
  private var firstZero = Timestamp(microseconds: 0)
  /// Lines without an interval that follow each other, and the first of them.
  private var unreadable: (count: Int, first: Int) = (0, 0)

  private struct Line {
    var interval: UInt32
    /// Whether a line before it had no interval.
    var isBehindLoss: Bool
    /// Microseconds since the column's zero.
    var since: Int64
  }

  /// So many lines determine the beginning of the recording: about an hour, and the best precision but for a few milliseconds.
  private static let mostWaiting = 4096

  package init() {}

  package mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    try readLines(bytes, isLast: false, into: &elements)
  }

  package mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage) {
    try readLines([], isLast: true, into: &elements)
  }

  package mutating func breakOff(into elements: inout [ForeignElement]) {
    give(into: &elements)
  }

  private mutating func readLines(
    _ bytes: [UInt8], isLast: Bool, into elements: inout [ForeignElement]
  ) throws(FileDamage) {
    do throws(FileDamage) {
      try split(bytes, isLast: isLast, into: &elements)
    } catch {
      // The intervals before the damage stay.
      give(into: &elements)
      throw error
    }
    if isLast { give(into: &elements) }
  }

  mutating func take(
    _ line: ArraySlice<UInt8>, _ number: Int, into elements: inout [ForeignElement]
  ) throws(FileDamage) {
    guard number > 1, !line.isEmpty else { return }
    let fields = Self.fields(line)
    guard fields.count >= 3, let interval = fields[1].number, interval >= 1, interval < 65_535,
      let since = fields[2].number, abs(since) < 1e11
    else {
      if unreadable.count == 0 { unreadable.first = number }
      unreadable.count += 1
      guard unreadable.count < IntervalTextLine.mostUnreadable else {
        throw FileDamage(
          "line \(unreadable.first)", "from here on \(unreadable.count) lines are no interval with its time")
      }
      return account.leave(out: "line that is no interval with its time")
    }
    let one = Line(
      interval: UInt32(interval.rounded()), isBehindLoss: unreadable.count > 0, since: Int64((since * 1000).rounded()))
    unreadable.count = 0
    if let start { return elements += Self.elements(one, from: start) }
    // `2026-03-11 09:57:38 +0000`
    let text = String(decoding: fields[0], as: UTF8.self)
    let date = Timestamp(iso8601: text.replacing(" +", with: "+").replacing(" -", with: "-"))
    if let date {
      narrow(date, one.since)
    } else if waiting.isEmpty {
      throw FileDamage("line \(number)", "its date has no time zone, or is none")
    }
    waiting.append(one)
    if waiting.count >= Self.mostWaiting { give(into: &elements) }
  }

  /// A line's beat was within the second of its date. Where dates of two lines cannot both be right, the first one counts.
  private mutating func narrow(_ date: Timestamp, _ since: Int64) {
    let first = date.advanced(byMicroseconds: -since).microseconds
    let own = first...(first + 999_999)
    guard let bounds = self.bounds else {
      (bounds, firstZero) = (own, Timestamp(microseconds: first))
      return
    }
    if bounds.overlaps(own) { self.bounds = bounds.clamped(to: own) }
  }

  /// Gives the first lines, now that there is a beginning for them.
  private mutating func give(into elements: inout [ForeignElement]) {
    guard let bounds, let first = waiting.first, start == nil else { return }
    // In the middle of what is possible.
    let zero = Timestamp(microseconds: bounds.lowerBound + (bounds.upperBound - bounds.lowerBound) / 2)
    start = zero
    elements.append(.recording)
    elements.append(
      .timesWithin(
        milliseconds: (bounds.upperBound - bounds.lowerBound) / 1000 + 1,
        knownBy: firstZero.advanced(byMicroseconds: first.since - Int64(first.interval) * 1000)))
    elements += waiting.flatMap { Self.elements($0, from: zero) }
    waiting = []
  }

  private static func elements(_ line: Line, from start: Timestamp) -> [ForeignElement] {
    let interval = ForeignElement.placedInterval(line.interval, start.advanced(byMicroseconds: line.since))
    return line.isBehindLoss ? [.lostBeats, interval] : [interval]
  }

  private static func fields(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { field in
      var field = field
      while field.first == 0x20 { field = field.dropFirst() }
      while field.last == 0x20 { field = field.dropLast() }
      return field
    }
  }
}

/// The CSV of HRV Logger: `date, rr, since start`, a line for each interval; the last column is milliseconds from the start to the beat.
///
/// A gap is a difference of `since start` that is greater than `rr`.
package enum HRVLoggerWriter: RecordingWriter {
  package static let format = InterchangeFormat.hrvlogger

  static let heading = "date, rr, since start"

  package static func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var buffer = PieceBuffer()
    buffer.append(heading + "\n")
    // Of a stretch the first beat is at its time, the others at the sums of intervals: so columns agree to the millisecond.
    var sinceStart: Int64 = 0
    for beat in MeasuredBeats(recording, followsClock: true) {
      guard let milliseconds = beat.interval else {
        sinceStart = max(sinceStart, beat.time.microseconds(since: recording.span.start) / 1000)
        continue
      }
      sinceStart += milliseconds
      buffer.append(date(recording.span.start.advanced(byMicroseconds: sinceStart * 1000)))
      buffer.append(", ")
      buffer.append(milliseconds)
      buffer.append(", ")
      buffer.append(sinceStart)
      buffer.append(byte: UInt8(ascii: "\n"))
      try buffer.hand(to: receive)
    }
    try buffer.hand(to: receive, all: true)
  }

  /// `2026-03-11 09:57:38 +0000`
  private static func date(_ time: Timestamp) -> String {
    let text = time.iso8601(fractionDigits: 0)
    return text.replacing("T", with: " ").replacing("Z", with: " +0000")
  }
}
