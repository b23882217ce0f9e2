internal import HealthModel

/// Intervals as text: one a line, in milliseconds; in seconds where the first of them is below ten. It has no time: whoever reads it says
/// when it began.
package struct IntervalTextReader: LinesReader {
  package static let format = ForeignFormat.rr

  package static func recognizes(_ beginning: [UInt8]) -> Bool {
    var lines = LineSplitter()
    var numbers = 0
    var others = 0
    var begins = false
    // The last line may be cut off.
    try? lines.split(beginning, isLast: beginning.count < 256) { (line, _) throws(FileDamage) in
      guard !line.isEmpty, line.first != UInt8(ascii: "#") else { return }
      if numbers + others == 0 { begins = line.number.map { $0 > 0 && $0 < 65_535 } ?? false }
      if line.number == nil { others += 1 } else { numbers += 1 }
    }
    // A line that is no number is damage, which has a place; more of them than numbers are another kind of file.
    return begins && others <= numbers
  }

  package private(set) var account = ReadingAccount()
  var lines = LineSplitter()
  private var isInSeconds: Bool?
  /// In milliseconds, until it is known how they are kept; nil from then on.
  private var held: [Double]? = []
  private var isInTicks = false
  /// What rounding has left over, in ticks.
  private var rest = 0.0
  private var isRounded = false

  /// So many intervals are looked at for fractions of a millisecond.
  private static let mostHeld = 64
  private static let ticksPerSecond: Int32 = 1024
  /// So many ticks the sum may be off.
  private static let mostRest = 2.0

  package init() {}

  package mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    do throws(FileDamage) {
      try split(bytes, isLast: false, into: &elements)
    } catch {
      decide(into: &elements)
      throw error
    }
  }

  package mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage) {
    defer { decide(into: &elements) }
    try split([], isLast: true, into: &elements)
  }

  package mutating func breakOff(into elements: inout [ForeignElement]) {
    decide(into: &elements)
  }

  mutating func take(
    _ line: ArraySlice<UInt8>, _ number: Int, into elements: inout [ForeignElement]
  ) throws(FileDamage) {
    guard !line.isEmpty else { return }
    guard line.first != UInt8(ascii: "#") else { return account.leave(out: "comment") }
    guard let value = line.number else { throw FileDamage("line \(number)", "it is no interval") }
    if isInSeconds == nil { isInSeconds = value < 10 }
    let milliseconds = (isInSeconds ?? false) ? value * 1000 : value
    // Tools write 0 where they removed a beat.
    guard milliseconds >= 1, milliseconds < 65_535 else { return account.leave(out: "interval that is none") }
    guard held != nil else { return add(milliseconds, into: &elements) }
    held?.append(milliseconds)
    if held?.count == Self.mostHeld { decide(into: &elements) }
  }

  /// Whole milliseconds stay what they are. Fractions are kept in the ticks of most straps.
  private mutating func decide(into elements: inout [ForeignElement]) {
    guard let held else { return }
    self.held = nil
    isInTicks = held.contains(where: Self.isFraction)
    if isInTicks {
      account.note("intervals have fractions of a millisecond: they are kept in ticks of 1/\(Self.ticksPerSecond) s")
      elements += [.ticks(perSecond: Self.ticksPerSecond, from: nil), .firstBeat(0, [])]
    }
    for milliseconds in held { add(milliseconds, into: &elements) }
  }

  private mutating func add(_ milliseconds: Double, into elements: inout [ForeignElement]) {
    guard isInTicks else {
      if !isRounded, Self.isFraction(milliseconds) {
        isRounded = true
        account.note("fractions behind the first \(Self.mostHeld) intervals are rounded to whole milliseconds")
      }
      return elements.append(.interval(UInt32(milliseconds.rounded())))
    }
    let ticks = milliseconds * Double(Self.ticksPerSecond) / 1000
    var whole = ticks.rounded()
    rest += ticks - whole
    // Each is its nearest tick, which is the strap's. Now and then one is a tick longer or shorter, so that the sum does not drift.
    if abs(rest) >= Self.mostRest {
      let step = rest > 0 ? 1.0 : -1.0
      whole += step
      rest -= step
    }
    elements.append(.nextBeat(UInt32(whole), []))
  }

  /// Seconds times thousand are no whole numbers by themselves.
  private static func isFraction(_ milliseconds: Double) -> Bool {
    abs(milliseconds - milliseconds.rounded()) > 1e-6
  }
}
