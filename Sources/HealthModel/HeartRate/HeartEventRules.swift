/// The choice of heart events to look for, with their thresholds.
///
/// By default only low rates are looked for. A sensor cannot know that the person rests, so every run that was not declared
/// would lead to an event of a high rate. Irregular rhythms are looked for on request.
public struct HeartEventRules: Hashable, Sendable {
  /// The threshold of low rates, in beats a minute; nil to ignore low rates.
  public var low: Double?
  /// The threshold of high rates, in beats a minute; nil to ignore high rates.
  public var high: Double?
  /// Whether irregular rhythms are looked for.
  public var irregular: Bool

  /// Rules with the given thresholds; by default low rates alone are looked for.
  public init(
    low: Double? = HeartRateEventDetector.Side.low.standardThreshold, high: Double? = nil, irregular: Bool = false
  ) {
    self.low = low
    self.high = high
    self.irregular = irregular
  }

  /// The kinds that are looked for.
  public var kinds: Set<HeartEvent.Kind> {
    var kinds: Set<HeartEvent.Kind> = []
    if low != nil { kinds.insert(.low) }
    if high != nil { kinds.insert(.high) }
    if irregular { kinds.insert(.irregular) }
    return kinds
  }

  /// The events of a recording, by start.
  ///
  /// - Parameters:
  ///   - rates: The rates in order of time. Times count to the millisecond, as they are stored; rates that the sensor sent from
  ///     off the skin do not count.
  ///   - heartbeats: The beats of the same recording.
  ///   - excluded: The times in which the person does not rest, such as workouts, in any order; both ends belong to them.
  /// - Returns: The events that the rules find.
  public func events(
    rates: [HeartRateValue], heartbeats: HeartbeatSeries, excluding excluded: [TimeSpan] = []
  ) -> [HeartEvent] {
    var events = rateEvents(rates, excluding: excluded)
    if irregular { events += Self.irregularRhythms(NNIntervals(heartbeats)) }
    return events.sorted { ($0.span.start, $0.kind.rawValue) < ($1.span.start, $1.kind.rawValue) }
  }

  private func rateEvents(_ rates: [HeartRateValue], excluding excluded: [TimeSpan]) -> [HeartEvent] {
    guard low != nil || high != nil else { return [] }
    var lowDetector = low.map { HeartRateEventDetector(.low, threshold: $0) }
    var highDetector = high.map { HeartRateEventDetector(.high, threshold: $0) }
    var excluded = excluded.sorted { ($0.start, $0.end) < ($1.start, $1.end) }[...]
    var events: [HeartEvent] = []
    for rate in rates where rate.contact != .notDetected {
      let time = rate.time.flooredToMilliseconds
      var isInterrupted = false
      // An excluded time that is over lies between this rate and the one before.
      while let next = excluded.first, next.end < time {
        excluded.removeFirst()
        isInterrupted = true
      }
      let isExcluded = excluded.first.map { $0.start <= time } ?? false
      if isInterrupted || isExcluded {
        lowDetector?.interrupt()
        highDetector?.interrupt()
      }
      guard !isExcluded else { continue }
      let beatsPerMinute = Double(rate.beatsPerMinute)
      if let event = lowDetector?.add(beatsPerMinute, at: time) { events.append(event) }
      if let event = highDetector?.add(beatsPerMinute, at: time) { events.append(event) }
    }
    return events
  }

  private static func irregularRhythms(_ intervals: NNIntervals) -> [HeartEvent] {
    guard let origin = intervals.origin else { return [] }
    var detector = IrregularRhythmDetector(origin: origin)
    var events: [HeartEvent] = []
    for (interval, end) in zip(intervals.seconds, intervals.ends) {
      let time = origin.advanced(byMicroseconds: Int64((end * 1_000_000).rounded()))
      if let event = detector.add(interval, endingAt: time) { events.append(event) }
    }
    return events
  }
}
