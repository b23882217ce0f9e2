internal import HealthModel

/// Annotations of WFDB, in MIT's form, with their header.
///
/// The header says how long a tick is, and only in it stands when the record began: so it is read first, then a zero byte, which no header
/// has, then the annotations.
package struct WFDBReader: RecordingReader {
  package static let format = ForeignFormat.wfdb

  package static func recognizes(_ beginning: [UInt8]) -> Bool { WFDBHeader.begins(beginning) }

  package private(set) var account = ReadingAccount()
  /// Nil once the header is read.
  private var header: [UInt8]? = []
  private var buffer: [UInt8] = []
  private var position = 0
  /// The bytes of the annotations before the buffer.
  private var offset = 0
  private var isOver = false
  private var contents = WFDBContents()

  package init() {}

  package mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    var bytes = bytes[...]
    if var header {
      let end = bytes.firstIndex(of: 0)
      header += bytes[..<(end ?? bytes.endIndex)]
      guard header.count <= WFDBHeader.longest else { throw FileDamage("line 1", "it is longer than a header can be") }
      self.header = header
      guard let end else { return }
      try begin(header, into: &elements)
      bytes = bytes[(end + 1)...]
    }
    buffer.removeFirst(position)
    offset += position
    position = 0
    buffer += bytes
    while try step(into: &elements) {}
  }

  package mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage) {
    if let header {
      try begin(header, into: &elements)
      throw damage("there are no annotations")
    }
    contents.finish(&account, into: &elements)
    guard isOver else { throw damage("the annotations end before their end mark") }
  }

  private func damage(_ problem: String) -> FileDamage {
    FileDamage("byte \(offset + position) of the annotations", problem)
  }

  private mutating func begin(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    header = nil
    let header = try WFDBHeader(bytes)
    if header.signals > 0 { account.leave(out: "signal", header.signals) }
    contents.begin(header, into: &elements)
  }

  /// Takes the next thing from the buffer; false where it is not whole yet.
  private mutating func step(into elements: inout [ForeignElement]) throws(FileDamage) -> Bool {
    guard !isOver, let word = self.word(at: 0) else { return false }
    let (code, value) = (UInt8(word >> 10), word & 0x3FF)
    switch code {
    case WFDBCodes.skip:
      guard let high = self.word(at: 2), let low = self.word(at: 4) else { return false }
      contents.skip(Int32(bitPattern: UInt32(high) << 16 | UInt32(low)))
      position += 6
    case WFDBCodes.auxiliary:
      let length = Int(value)
      guard buffer.count - position >= 2 + length + length % 2 else { return false }
      contents.add(buffer[(position + 2)..<(position + 2 + length)])
      position += 2 + length + length % 2
    case WFDBCodes.subtype:
      contents.add(subtype: Int8(truncatingIfNeeded: value))
      position += 2
    case WFDBCodes.number, WFDBCodes.channel: position += 2
    case 0 where value == 0:
      isOver = true
      position += 2
    default:
      try take(code, after: Int64(value), into: &elements)
      position += 2
    }
    return true
  }

  private mutating func take(
    _ code: UInt8, after ticks: Int64, into elements: inout [ForeignElement]
  ) throws(FileDamage) {
    guard let problem = contents.take(code, after: ticks, &account, into: &elements) else { return }
    throw damage(problem)
  }

  private func word(at place: Int) -> UInt16? {
    let place = position + place
    guard place + 1 < buffer.count else { return nil }
    return UInt16(buffer[place]) | UInt16(buffer[place + 1]) << 8
  }
}

/// The elements that the annotations of a record stand for.
struct WFDBContents {
  private struct Annotation {
    var code: UInt8
    var tick: Int64
    var subtype: Int8 = 0
    var text: [UInt8] = []
  }

  private var ticksPerSecond: Int64 = 1
  /// The tick of the last annotation.
  private var tick: Int64 = 0
  /// The annotation that the words behind it still complete.
  private var current: Annotation?
  private var lastBeat: Int64?
  private var isBroken = false

  /// The longest interval of a heart, in ticks.
  private var longest: Int64 { MeasuredBeats.longestMilliseconds * ticksPerSecond / 1000 }

  /// Eight years: no record is longer.
  private static let mostSeconds: Int64 = 1 << 28

  mutating func begin(_ header: WFDBHeader, into elements: inout [ForeignElement]) {
    ticksPerSecond = Int64(header.ticksPerSecond)
    elements.append(.recording)
    if let identity = header.identity { elements.append(.identity(identity)) }
    let named = SourceRevision(
      identifier: "wfdb.\(header.maker ?? header.record)", name: header.maker ?? "WFDB record \(header.record)")
    elements.append(.source(header.source ?? named))
    elements.append(.device(header.device))
    elements.append(.ticks(perSecond: header.ticksPerSecond, from: header.start))
  }

  mutating func skip(_ ticks: Int32) { tick += Int64(ticks) }

  mutating func add(subtype: Int8) { current?.subtype = subtype }

  mutating func add(_ text: ArraySlice<UInt8>) { current?.text = Array(text) }

  /// Takes the annotation before, and begins the next. Returns what is wrong with its time.
  mutating func take(
    _ code: UInt8, after ticks: Int64, _ account: inout ReadingAccount, into elements: inout [ForeignElement]
  ) -> String? {
    finish(&account, into: &elements)
    tick += ticks
    guard abs(tick) <= Self.mostSeconds * ticksPerSecond else { return "a time that no record has" }
    current = Annotation(code: code, tick: tick)
    return nil
  }

  /// Takes the last annotation.
  mutating func finish(_ account: inout ReadingAccount, into elements: inout [ForeignElement]) {
    guard let annotation = current else { return }
    current = nil
    let text = String(decoding: annotation.text.prefix { $0 != 0 }, as: UTF8.self)
    if let flags = WFDBCodes.flags(of: annotation.code) {
      return takeBeat(at: annotation.tick, flags.union(Self.flags(named: text)), &account, into: &elements)
    }
    switch annotation.code {
    case 0: break
    case WFDBCodes.note where text.hasPrefix(WFDBCodes.resolution): takeResolution(text, &account, into: &elements)
    case WFDBCodes.note where text == WFDBCodes.gap || text.hasPrefix(WFDBCodes.gap + " "): isBroken = true
    // Signal quality: -1 is a signal that cannot be read.
    case 14 where annotation.subtype == -1: isBroken = true
    default:
      isBroken = isBroken || WFDBCodes.isBreak(annotation.code)
      account.leave(out: "annotation \(WFDBCodes.name(of: annotation.code))")
    }
  }

  private mutating func takeResolution(
    _ text: String, _ account: inout ReadingAccount, into elements: inout [ForeignElement]
  ) {
    let number = Double(text.dropFirst(WFDBCodes.resolution.count))
    guard lastBeat == nil, let number, number == number.rounded(), number >= 1, number <= 1_000_000 else {
      return account.note("a time resolution in the annotations is no whole number, and not heeded")
    }
    guard Int64(number) != ticksPerSecond else { return }
    ticksPerSecond = Int64(number)
    elements.append(.ticks(perSecond: Int32(number), from: nil))
  }

  private mutating func takeBeat(
    at tick: Int64, _ flags: Heartbeat.Flags, _ account: inout ReadingAccount,
    into elements: inout [ForeignElement]
  ) {
    guard tick >= 0, tick > lastBeat ?? -1 else { return account.leave(out: "beat out of order") }
    if let lastBeat, !isBroken, tick - lastBeat <= longest {
      elements.append(.nextBeat(UInt32(tick - lastBeat), flags))
    } else {
      elements.append(.firstBeat(tick, flags))
    }
    (lastBeat, isBroken) = (tick, false)
  }

  /// The flags whose names stand in a text that this program wrote; empty for any other text.
  private static func flags(named text: String) -> Heartbeat.Flags {
    var flags: Heartbeat.Flags = []
    for name in text.split(separator: "+") {
      guard let known = Heartbeat.Flags.named.first(where: { $0.name == name }) else { return [] }
      flags.insert(known.flag)
    }
    return flags.intersection([.missed, .extra, .ectopic, .implausible, .rateConflict])
  }
}

/// The numbers of WFDB's annotation files that are written or understood here.
enum WFDBCodes {
  static let normal: UInt8 = 1
  static let unclassified: UInt8 = 13
  static let note: UInt8 = 22
  static let firstWord: UInt8 = 59
  static let skip: UInt8 = 59
  static let number: UInt8 = 60
  static let subtype: UInt8 = 61
  static let channel: UInt8 = 62
  static let auxiliary: UInt8 = 63

  /// The note at time 0 that says how many ticks a second has.
  static let resolution = "## time resolution: "
  /// The beginning of the note at a gap.
  static let gap = "gap"
  /// The line of a header by which its time is UTC; WFDB's own has no zone.
  static let zone = "time zone: UTC"

  /// The flags of a beat with this code; nil for a code that is not a beat's. Premature beats, of the atria or ventricles, are ectopic; escape
  /// beats are not. No code marks a beat as doubtful.
  static func flags(of code: UInt8) -> Heartbeat.Flags? {
    switch code {
    // N L R E j / Q B ? e n f
    case 1, 2, 3, 10, 11, 12, 13, 25, 30, 34, 35, 38: []
    // a V F J A S r
    case 4, 5, 6, 7, 8, 9, 41: .ectopic
    default: nil
    }
  }

  /// Whether the time between two beats is unknown since this code stands between them: ventricular flutter and fibrillation (`!`, `[`).
  static func isBreak(_ code: UInt8) -> Bool { code == 31 || code == 32 }

  /// WFDB's letters of codes that are not beats.
  static func name(of code: UInt8) -> String {
    let letters: [UInt8: String] = [
      14: "~", 16: "|", 18: "s", 19: "T", 20: "*", 21: "D", 22: "\"", 23: "=", 24: "p", 26: "^", 27: "t", 28: "+",
      29: "u", 31: "!", 32: "[", 33: "]", 36: "@", 37: "x", 39: "(", 40: ")",
    ]
    return letters[code] ?? "\(code)"
  }
}
