import HealthModel

/// A sequence of rates: which gaps they have, and how much time they cover.
///
/// Both the final pass and ``SessionMachine`` use it, so that they cannot disagree. Calls are in order of time, in
/// microseconds of any clock. Memory is constant.
struct RateTrace: Sendable {
  /// The longest time that one rate covers. Rates further apart than this have a gap between them.
  static let greatestHold: Int64 = 10_000_000

  /// The time covered by all rates but the last one.
  private(set) var coveredMicroseconds: Int64 = 0

  /// A rate, 0 where only intervals came.
  private struct Value {
    var beatsPerMinute: UInt16
    var instant: Int64
  }

  private var last: Value?
  /// The end of the time that the last rate covers, if something cut it short: a loss, or a report of "off the skin".
  private var interruption: Int64?
  /// The reason why values may be missing since the last rate.
  private var loss: GapReason?
  private var isOffSkin = false

  /// Values after this call do not follow those before, for a known reason: a gap, however short.
  ///
  /// Of several losses the first counts. If it has no explanation, that of a later loss of the same kind is used.
  mutating func lose(_ reason: GapReason, at instant: Int64) {
    guard last != nil else { return }
    interruption = interruption ?? instant
    guard let earlier = loss else { return loss = reason }
    if earlier.detail == nil, earlier.token == reason.token { loss = reason }
  }

  /// The sensor reports that it is off the skin, and sends no interval.
  mutating func leaveSkin(at instant: Int64) {
    guard last != nil else { return }
    interruption = interruption ?? instant
    isOffSkin = true
  }

  /// Appends the next rate, or the arrival of intervals with a rate of 0.
  ///
  /// - Parameters:
  ///   - beatsPerMinute: The rate; 0 where there is none.
  ///   - instant: When it arrived.
  /// - Returns: The gap that this rate ends, if there is one: after a known loss, or after more than ten seconds.
  mutating func append(_ beatsPerMinute: UInt16, at instant: Int64) -> RecordingGap? {
    defer {
      last = Value(beatsPerMinute: beatsPerMinute, instant: instant)
      (interruption, loss, isOffSkin) = (nil, nil, false)
    }
    guard let last else { return nil }
    coveredMicroseconds &+= held(until: instant)
    guard loss != nil || instant &- last.instant > Self.greatestHold else { return nil }
    let lost = Self.beats(last.beatsPerMinute, beatsPerMinute, instant &- last.instant)
    return RecordingGap(
      loss ?? (isOffSkin ? .contact : .silence), from: last.instant, to: instant, estimatedLostBeats: lost)
  }

  /// The time that all rates cover in a session that ends at `end`.
  func coveredMicroseconds(until end: Int64) -> Int64 {
    coveredMicroseconds &+ held(until: end)
  }

  /// How much of the time until `end` the last rate covers.
  private func held(until end: Int64) -> Int64 {
    guard let last else { return 0 }
    let until = min(end, interruption ?? end)
    return min(max(until &- last.instant, 0), Self.greatestHold)
  }

  /// The number of beats in a time, by the mean of the two rates, or by the one that is known.
  private static func beats(_ first: UInt16, _ second: UInt16, _ microseconds: Int64) -> Int {
    let known = [first, second].filter { $0 > 0 }.map(Double.init)
    guard !known.isEmpty else { return 0 }
    let mean = known.reduce(0, +) / Double(known.count)
    return Int((mean * Double(max(microseconds, 0)) / 60e6).rounded())
  }
}
