internal import HealthModel

/// What the annotations of a record mean.
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
  /// What is still to be completed by what follows it.
  private var current: Annotation?
  private var lastBeat: Int64?
  private var isBroken = false

  /// An interval that is longer is none of a heart.
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

  /// The flags whose names stand in a text, as they are written here; none where it says anything else.
  private static func flags(named text: String) -> Heartbeat.Flags {
    var flags: Heartbeat.Flags = []
    for name in text.split(separator: "+") {
      guard let known = Heartbeat.Flags.named.first(where: { $0.name == name }) else { return [] }
      flags.insert(known.flag)
    }
    return flags.intersection([.missed, .extra, .ectopic, .implausible, .rateConflict])
  }
}
