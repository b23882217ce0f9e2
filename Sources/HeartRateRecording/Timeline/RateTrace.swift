import HealthModel

/// The rates of a sensor one after the other: where they leave gaps, and which time they cover.
///
/// Used by the final pass over the stored rates and, as they come, by ``SessionMachine``: so the two cannot differ. Takes
/// what happens in the order of time, in microseconds of any clock; constant memory.
struct RateTrace: Sendable {
  /// How much time between two rates the first of them covers, and no more than they may lie apart without a gap.
  static let greatestHold: Int64 = 10_000_000

  /// The time that the rates so far cover, the last one left out.
  private(set) var coveredMicroseconds: Int64 = 0

  /// A rate, 0 where only intervals came.
  private struct Value {
    var beatsPerMinute: UInt16
    var instant: Int64
  }

  private var last: Value?
  /// When the last rate's time ended before its hold was over: the first loss since, or the first word of "off the skin".
  private var interruption: Int64?
  /// Why values may be missing since the last rate.
  private var loss: GapReason?
  private var isOffSkin = false

  /// Values after this one do not follow those before, for a reason that is known: a gap, however short it is.
  ///
  /// Of several the first counts; where nothing is known of it in words, those of the next one of its kind are its own.
  mutating func lose(_ reason: GapReason, at instant: Int64) {
    guard last != nil else { return }
    interruption = interruption ?? instant
    guard let earlier = loss else { return loss = reason }
    if earlier.detail == nil, earlier.token == reason.token { loss = reason }
  }

  /// The sensor says that it is off the skin, and brings no interval.
  mutating func leaveSkin(at instant: Int64) {
    guard last != nil else { return }
    interruption = interruption ?? instant
    isOffSkin = true
  }

  /// Takes the next rate, or the arrival of intervals that came with a rate of 0.
  ///
  /// - Parameters:
  ///   - beatsPerMinute: The rate; 0 where there is none.
  ///   - instant: When it arrived.
  /// - Returns: The gap that it ends, if there is one: after a known loss, or after more than ten seconds.
  mutating func take(_ beatsPerMinute: UInt16, at instant: Int64) -> RecordingGap? {
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

  /// How many beats so much time holds by the mean of the two rates, or by the one that is known.
  private static func beats(_ first: UInt16, _ second: UInt16, _ microseconds: Int64) -> Int {
    let known = [first, second].filter { $0 > 0 }.map(Double.init)
    guard !known.isEmpty else { return 0 }
    let mean = known.reduce(0, +) / Double(known.count)
    return Int((mean * Double(max(microseconds, 0)) / 60e6).rounded())
  }
}
