import HealthModel

/// The gaps of a session: of its beats, and of its rates where there are no beats (rules 9 and 10 of Documentation/timeline.md).
struct SessionGaps {
  /// In order of time.
  private(set) var gaps: [RecordingGap] = []
  private let columns: TimelineCollector
  /// The rates after the last beat; all rates in a session without beats.
  private var tail = RateTrace()

  init(_ columns: TimelineCollector, _ assembly: SessionAssembly?, _ bounds: SessionBounds) {
    self.columns = columns
    var tail = RateTrace()
    defer { self.tail = tail }
    guard let assembly, let firstBeat = assembly.placement.wall.first, let first = columns.firstPacket,
      let last = columns.lastPacket, let firstPacket = assembly.intervals.packets.first,
      let lastPacket = assembly.intervals.packets.last
    else {
      append(rates: 0..<columns.rates.count, losses: columns.losses[...], into: &tail)
      return
    }
    var head = RateTrace()
    append(rates: 0..<first.rate, losses: columns.losses[..<first.loss], into: &head)
    if let gap = head.append(firstPacket.rate, at: firstBeat) { gaps.append(gap) }
    // The first beat happened before its packet arrived, perhaps before earlier rates: from there on only beats decide.
    gaps.removeAll { $0.start.microseconds >= firstBeat || $0.end.microseconds > firstBeat }
    gaps += assembly.gaps
    _ = tail.append(lastPacket.rate, at: lastPacket.arrival)
    append(rates: last.rate..<columns.rates.count, losses: columns.losses[last.loss...], into: &tail)
  }

  /// The share of a session without beats that its rates cover; nil without rates, or without length.
  func rateCoverage(in bounds: SessionBounds) -> Coverage? {
    guard bounds.length > 0, !columns.rates.isEmpty else { return nil }
    let share = min(1, Double(tail.coveredMicroseconds(until: bounds.end)) / bounds.length)
    return Coverage(floor: share, ceiling: share)
  }

  /// Rule 10: appends these rates, and the losses between them, to `trace`, and appends the gaps that it finds.
  ///
  /// A rate that the sensor reports as off the skin does not count.
  private mutating func append(
    rates positions: Range<Int>, losses: ArraySlice<TimelineCollector.Loss>, into trace: inout RateTrace
  ) {
    var rest = losses
    for position in positions {
      while let loss = rest.first, loss.rate <= position { lose(rest.removeFirst(), &trace) }
      let rate = columns.rates[position]
      guard rate.contact != .notDetected else {
        trace.leaveSkin(at: rate.time.microseconds)
        continue
      }
      if let gap = trace.append(rate.beatsPerMinute, at: rate.time.microseconds) { gaps.append(gap) }
    }
    for loss in rest { lose(loss, &trace) }
  }

  private func lose(_ loss: TimelineCollector.Loss, _ trace: inout RateTrace) {
    let instant = columns.wall(loss.moment)
    if loss.reason == .contact {
      trace.leaveSkin(at: instant)
    } else {
      trace.lose(loss.reason, at: instant)
    }
  }
}

/// A sequence of rates with their gaps and the time that they cover.
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

  /// Records a loss: values after this call do not follow those before, for a known reason. This is a gap, however
  /// short.
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
  ///   - beatsPerMinute: The rate; 0 without one.
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

  /// The part of the time until `end` that the last rate covers, in microseconds.
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

/// The reason for a gap of a session.
public enum GapReason: Hashable, Sendable {
  /// The link was lost, with the reason that BlueZ gave, if any.
  case link(String?)
  /// The sensor was off the skin and sent no intervals, or no rates.
  case contact
  /// The sensor's time fell behind the host's permanently: it lost intervals without reporting it.
  case step
  /// Before or after invented intervals.
  case filler
  /// Before or after surplus intervals: more ticks than there was time for.
  case surplus
  /// One interval far longer than its neighbours: the sensor missed beats, or the heart paused.
  case missedOrPause
  /// The recorder did not run, or lost what it had received; with its own explanation, if there is one.
  case recorder(String?)
  /// The machine was rebooted.
  case boot
  /// The link was up, and no interval came for more than five seconds (of a sensor that sends rates only, no rate for
  /// ten).
  case silence
  /// The values belong to the session that a program had asked for: nothing is lost.
  case clientSession

  /// One word for storage and JSON: `link`, `contact`, `step`, `filler`, `surplus`, `missedOrPause`, `recorder`, `boot`,
  /// `silence`, `clientSession`.
  public var token: String {
    switch self {
    case .link: "link"
    case .contact: "contact"
    case .step: "step"
    case .filler: "filler"
    case .surplus: "surplus"
    case .missedOrPause: "missedOrPause"
    case .recorder: "recorder"
    case .boot: "boot"
    case .silence: "silence"
    case .clientSession: "clientSession"
    }
  }

  /// The explanation from BlueZ or the recorder.
  public var detail: String? {
    switch self {
    case .link(let text), .recorder(let text): text
    default: nil
    }
  }
}

extension RecordingGap {
  /// A gap between two beats, or rates, in microseconds since 1970 (UTC).
  init(_ reason: GapReason, from start: Int64, to end: Int64, estimatedLostBeats: Int) {
    self.init(
      reason: reason.token, detail: reason.detail, start: Timestamp(microseconds: start),
      end: Timestamp(microseconds: end), estimatedLostBeats: Double(estimatedLostBeats))
  }
}
