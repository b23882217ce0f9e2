internal import HealthModel

/// Reads intervals as text: one a line, or a column of a table (``IntervalTable``), in milliseconds; in seconds where the median of the first numbers is below ten. The text has no
/// times: the person who imports the text gives the time of its beginning.
///
/// A number that is no interval is left out, and makes a gap: beats on both sides of the gap were not next to each other.
package struct IntervalTextReader: LinesReader {
  package static let format = ForeignFormat.rr

  package private(set) var account = ReadingAccount()
  var lines = LineSplitter()
  /// The values read until the unit of the file is known; nil from then on.
  private var held: [IntervalTextLine.Value]? = []
  private var numbers = 0
  private var layout = IntervalTextLine.Layout()
  /// The beginning of the file, until it is known whether the file has columns.
  private var beginning: [UInt8]? = []
  private var table: IntervalTable?
  /// Whether a line of the table had numbers.
  private var isInTable = false
  /// Lines without a meaning that follow each other, and the first of them.
  private var unreadable: (count: Int, first: Int) = (0, 0)
  private var isInSeconds = false
  private var isInTicks = false
  /// The remainder of rounding, in ticks.
  private var rest = 0.0
  private var isRounded = false
  /// The time since the start, in the ticks of the file.
  private var tick: Int64 = 0
  private var lastInterval: Int64 = 0
  /// Whether the next interval follows the one before.
  private var isRunOpen = false
  /// Lost beats in front of the first interval, whose length is not known yet.
  private var lostBefore: Int64 = 0

  /// So many numbers are looked at for their unit and for fractions of a millisecond.
  private static let mostHeld = 64
  private static let ticksPerSecond: Int32 = 1024
  /// So many ticks the sum may be off.
  private static let mostRest = 2.0
  /// Below this the middle one of the numbers is in seconds.
  private static let leastMilliseconds = 10.0

  package init() {}

  package mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    guard let beginning else { return try readLines(bytes, into: &elements) }
    self.beginning = beginning + bytes
    if beginning.count + bytes.count >= Self.longestBeginning { try begin(into: &elements) }
  }

  package mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage) {
    try begin(into: &elements)
    defer { decide(into: &elements) }
    try split([], isLast: true, into: &elements)
  }

  package mutating func breakOff(into elements: inout [ForeignElement]) {
    try? begin(into: &elements)
    decide(into: &elements)
  }

  private static let longestBeginning = 4096

  /// Looks at the beginning, and reads it.
  private mutating func begin(into elements: inout [ForeignElement]) throws(FileDamage) {
    guard let beginning else { return }
    self.beginning = nil
    table = IntervalTable(beginning: Array(beginning.prefix(Self.longestBeginning)))
    if let table, table.hasTimesAlone { account.note("its numbers only grow: they are taken as the times of beats") }
    try readLines(beginning, into: &elements)
  }

  private mutating func readLines(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    do throws(FileDamage) {
      try split(bytes, isLast: false, into: &elements)
    } catch {
      decide(into: &elements)
      throw error
    }
  }

  mutating func take(
    _ line: ArraySlice<UInt8>, _ number: Int, into elements: inout [ForeignElement]
  ) throws(FileDamage) {
    switch kind(of: line) {
    case .nothing: break
    case .comment: account.leave(out: "comment")
    case .heading: account.leave(out: "header line")
    case .numbers(let values):
      unreadable.count = 0
      for value in values { hold(value, into: &elements) }
    case .unreadable:
      if unreadable.count == 0 { unreadable.first = number }
      unreadable.count += 1
      guard unreadable.count < IntervalTextLine.mostUnreadable else {
        throw FileDamage("line \(unreadable.first)", "from here on \(unreadable.count) lines are no intervals")
      }
      account.leave(out: "line that is no interval")
      hold(.lost, into: &elements)
    }
  }

  private mutating func kind(of line: ArraySlice<UInt8>) -> IntervalTextLine.Kind {
    guard table != nil else { return layout.take(line) }
    guard !line.isEmpty else { return .nothing }
    guard line.first != UInt8(ascii: "#") else { return .comment }
    if let values = table?.values(of: line) {
      isInTable = true
      return .numbers(values)
    }
    return isInTable ? .unreadable : .heading
  }

  private mutating func hold(_ value: IntervalTextLine.Value, into elements: inout [ForeignElement]) {
    guard held != nil else { return add(value, into: &elements) }
    held?.append(value)
    if case .number = value { numbers += 1 }
    // Lines without a meaning are bounded as well.
    if numbers == Self.mostHeld || held?.count == 4 * Self.mostHeld { decide(into: &elements) }
  }

  /// Decides about the unit of the file. Whole milliseconds stay; fractions become the ticks of most straps.
  private mutating func decide(into elements: inout [ForeignElement]) {
    guard let held else { return }
    self.held = nil
    // An artefact in front must not decide about the unit of all others.
    let numbers = held.compactMap { if case .number(let number) = $0, number > 0 { number } else { nil } }.sorted()
    isInSeconds = numbers.isEmpty ? false : numbers[numbers.count / 2] < Self.leastMilliseconds
    isInTicks = held.contains {
      if case .interval(let milliseconds) = meaning(of: $0) { Self.isFraction(milliseconds) } else { false }
    }
    if isInTicks {
      account.note("intervals have fractions of a millisecond: they are kept in ticks of 1/\(Self.ticksPerSecond) s")
    }
    elements.append(.ticks(perSecond: isInTicks ? Self.ticksPerSecond : 1000, from: table?.start))
    for value in held { add(value, into: &elements) }
  }

  private enum Meaning {
    case interval(Double)
    /// Time that passed, in milliseconds: too long for an interval.
    case pause(Double)
    /// The same by the times of beats.
    case passed(Double)
    case lost
  }

  private func meaning(of value: IntervalTextLine.Value) -> Meaning {
    if case .passed(let milliseconds) = value { return .passed(milliseconds) }
    guard case .number(let number) = value else { return .lost }
    let milliseconds = isInSeconds ? number * 1000 : number
    guard milliseconds >= Double(IntervalLimits.leastMilliseconds), milliseconds < 65_535 else { return .lost }
    return milliseconds <= Double(IntervalLimits.mostMilliseconds) ? .interval(milliseconds) : .pause(milliseconds)
  }

  private mutating func add(_ value: IntervalTextLine.Value, into elements: inout [ForeignElement]) {
    switch meaning(of: value) {
    case .interval(let milliseconds): add(milliseconds, into: &elements)
    case .pause(let milliseconds):
      account.leave(out: IntervalLimits.tooLong)
      pass(ticks(in: milliseconds))
    case .passed(let milliseconds): pass(ticks(in: milliseconds))
    case .lost:
      // Tools write 0 where they removed a beat.
      if case .number = value { account.leave(out: "interval that is none") }
      if lastInterval > 0 { pass(lastInterval) } else { lostBefore += 1 }
    }
  }

  /// Passes time without beats, as long as the number that stands there, or as the interval before.
  private mutating func pass(_ ticks: Int64) {
    tick += ticks
    isRunOpen = false
  }

  private func ticks(in milliseconds: Double) -> Int64 {
    Int64((isInTicks ? milliseconds * Double(Self.ticksPerSecond) / 1000 : milliseconds).rounded())
  }

  private mutating func add(_ milliseconds: Double, into elements: inout [ForeignElement]) {
    let length = isInTicks ? wholeTicks(of: milliseconds) : wholeMilliseconds(of: milliseconds)
    if !isRunOpen {
      // One each, of that length.
      tick += lostBefore * length
      lostBefore = 0
      elements.append(.firstBeat(tick, []))
      isRunOpen = true
    }
    tick += length
    lastInterval = length
    elements.append(.nextBeat(UInt32(length), []))
  }

  private mutating func wholeMilliseconds(of milliseconds: Double) -> Int64 {
    if !isRounded, Self.isFraction(milliseconds) {
      isRounded = true
      account.note("fractions behind the first \(Self.mostHeld) intervals are rounded to whole milliseconds")
    }
    return Int64(milliseconds.rounded())
  }

  private mutating func wholeTicks(of milliseconds: Double) -> Int64 {
    let ticks = milliseconds * Double(Self.ticksPerSecond) / 1000
    var whole = ticks.rounded()
    rest += ticks - whole
    // Each is its nearest tick, which is the strap's. Now and then one is a tick longer or shorter, so that the sum does not drift.
    if abs(rest) >= Self.mostRest {
      let step = rest > 0 ? 1.0 : -1.0
      whole += step
      rest -= step
    }
    return Int64(whole)
  }

  /// Whether a number has a fraction: seconds times thousand are not exactly whole.
  private static func isFraction(_ milliseconds: Double) -> Bool {
    abs(milliseconds - milliseconds.rounded()) > 1e-6
  }
}

/// Intervals as text: whole milliseconds, one a line. It has neither times nor gaps: what follows a gap stands where it comes.
package enum IntervalTextWriter: RecordingWriter {
  package static let format = InterchangeFormat.rr

  package static func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var buffer = PieceBuffer()
    for beat in MeasuredBeats(recording) {
      guard let milliseconds = beat.interval else { continue }
      buffer.append(milliseconds)
      buffer.append(byte: UInt8(ascii: "\n"))
      try buffer.hand(to: receive)
    }
    try buffer.hand(to: receive, all: true)
  }
}

/// The limits of an interval from beat to beat, in formats that have numbers and no more.
enum IntervalLimits {
  /// Shorter ones are artefacts, or seconds.
  static let leastMilliseconds: Int64 = 10
  /// Six beats a minute: a longer one is time that passed between two beats that were not next to each other.
  static let mostMilliseconds: Int64 = 10_000

  /// The name of longer intervals in reports.
  static let tooLong = "interval above 10 s"
}
