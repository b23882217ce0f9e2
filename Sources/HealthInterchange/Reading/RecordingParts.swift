internal import FoundationEssentials
internal import HealthModel
internal import Timeline

/// The rates, beats, gaps and markers of a recording that is being read.
struct RecordingParts: Sendable {
  private var rates: [HeartRateValue] = []
  /// The ticks of the file; nil where they are milliseconds. Nothing is rounded.
  private(set) var ticksPerSecond: Int32?
  private var beats: HeartbeatSeriesBuilder
  private var beatGaps: [RecordingGap] = []
  private var rateGaps: [RecordingGap] = []
  private var markers: [SessionMarker] = []
  /// The last beat of the run under way; nil between runs.
  private(set) var lastOfRun: Timestamp?
  private(set) var lastInterval: UInt32 = 0
  /// The reason for which beats are missing before the next run.
  private var reason = Self.stopped
  private var runStart = Timestamp(microseconds: 0)
  private var runTicks: Int64 = 0
  private(set) var lastBeat: Timestamp?
  private var firstBeat: Timestamp?
  private var intervalSum: Int64 = 0
  private var firstIntervals: [UInt32] = []
  /// Whether a rate was at no whole second.
  private var hasFractions = false
  /// The resolution of times where a file has its beginning in coarser steps than the times that follow; else the format's.
  var timeResolution: String?
  /// The greatest error of times, for the map of each run, in microseconds.
  var uncertainty: Int64
  /// The time of the first beat by the first line alone, by which a recording is recognized again.
  var known: Timestamp?

  /// So many values at the beginning distinguish recordings that begin together.
  private static let namingValues = 8

  /// Gaps where a timer stood, or times do not go on.
  static let stopped = "stopped"
  /// Gaps where something other than an interval stands in the file.
  static let lost = "lost"

  /// - Parameters:
  ///   - ticksPerSecond: The unit of beats.
  ///   - uncertainty: The greatest error of their times, in microseconds.
  init(ticksPerSecond: Int32? = nil, uncertainty: Int64 = 0) {
    self.ticksPerSecond = ticksPerSecond
    self.uncertainty = uncertainty
    beats = HeartbeatSeriesBuilder(timescale: ticksPerSecond ?? 1000)
  }

  /// Counts beats in ticks from now on. Beats that are there stay as they are.
  mutating func count(ticksPerSecond: Int32, uncertainty: Int64) {
    guard beats.count == 0 else { return }
    self.ticksPerSecond = ticksPerSecond
    self.uncertainty = uncertainty
    beats = HeartbeatSeriesBuilder(timescale: ticksPerSecond)
  }

  var valueCount: Int { rates.count + beats.count }

  /// Adds a rate; false where it is older than the one before. `stop` is when the timer stopped since then. With `isLossSaid` rates were
  /// lost since the one before, however short that is.
  mutating func add(_ rate: UInt16, at time: Timestamp, after stop: Timestamp?, isLossSaid: Bool = false) -> Bool {
    hasFractions = hasFractions || time.microseconds % 1_000_000 != 0
    if let last = rates.last?.time {
      guard time >= last else { return false }
      let length = time.microseconds(since: last)
      let isLong = length > RecordingAssembly.mostRateGapMicroseconds
      let isStopped =
        isLossSaid ? length > 0 : stop != nil && length >= RateSeconds.shortestGapMicroseconds
      if isLong || isStopped {
        rateGaps.append(RecordingGap(reason: isStopped ? "stopped" : "silence", start: last, end: time))
      }
    }
    rates.append(HeartRateValue(time: time, beatsPerMinute: rate))
    return true
  }

  mutating func mark(_ time: Timestamp) {
    if markers.last?.time != time { markers.append(SessionMarker(time: time, text: "lap")) }
  }

  /// Times of beats may be rounded by so much.
  private static let mostRoundingMicroseconds: Int64 = 1_000_000

  /// Whether a run can begin with a beat at `time`: one that is older than the beat before by more than rounding is out of order.
  func canBeginRun(at time: Timestamp) -> Bool {
    lastBeat.map { $0.microseconds(since: time) <= Self.mostRoundingMicroseconds } ?? true
  }

  /// Begins a run with a beat. It is later than the beat before, whatever times were rounded to.
  mutating func beginRun(at time: Timestamp, flags: Heartbeat.Flags = []) throws(SeriesError) {
    var time = time
    if let lastBeat {
      time = max(time, lastBeat.advanced(byMicroseconds: 1000))
      beatGaps.append(RecordingGap(reason: reason, start: lastBeat, end: time))
    }
    reason = Self.stopped
    try beats.beginRun(AffineTimeMap(anchor: time, uncertaintyMicroseconds: uncertainty))
    try beats.add(rrTicks: 0, precededByGap: lastBeat != nil, flags: flags.union(.firstOfRun))
    (firstBeat, lastBeat, lastOfRun, lastInterval) = (firstBeat ?? time, time, time, 0)
    (runStart, runTicks) = (time, 0)
  }

  /// Adds a beat so many ticks after the one before.
  mutating func add(_ interval: UInt32, flags: Heartbeat.Flags = []) throws(SeriesError) {
    try beats.add(rrTicks: interval, flags: flags)
    runTicks += Int64(interval)
    if firstIntervals.count < Self.namingValues { firstIntervals.append(interval) }
    let time = runStart.advanced(byTicks: runTicks, perSecond: Int64(beats.timescale))
    intervalSum += time.microseconds(since: lastOfRun ?? time)
    (lastBeat, lastOfRun, lastInterval) = (time, time, interval)
  }

  /// Ends the run under way. What follows it is behind a gap for that reason.
  mutating func closeRun(_ reason: String = Self.stopped) {
    lastOfRun = nil
    if reason != Self.stopped { self.reason = reason }
  }

  /// The session of these parts; nil without values.
  mutating func session(
    _ format: ForeignFormat, _ device: Device, _ source: SourceRevision, _ activity: WorkoutActivityType?,
    _ identity: RecordingIdentity?
  ) throws(SeriesError) -> RecordedSession? {
    let times = [rates.first?.time, firstBeat, rates.last?.time, lastBeat].compactMap { $0 }
    guard let start = times.min(), let end = times.max(), let span = TimeSpan(start: start, end: end) else {
      return nil
    }
    var series = beats.count == 0 ? HeartbeatSeries(timescale: beats.timescale) : try beats.finish()
    var quality = QualityReport()
    if beats.count > 0, !series.hasFlags {
      series = series.judged()
      quality.algorithmVersion = SessionTimeline.algorithmVersion
    }
    var metadata: Metadata = ["importedFormat": .text(format.rawValue)]
    for (key, text) in resolutions(format) { metadata[key] = .text(text) }
    if let activity { metadata["importedActivity"] = .text(activity.description) }
    if case .workout(let workout) = identity {
      metadata[ImportedMetadata.workout] = .text(workout.uuidString.lowercased())
    }
    return RecordedSession(
      id: identifier(format, source, known ?? start, identity),
      syncVersion: version(identity, device, source, activity), device: device, source: source,
      start: start, end: end, endReason: "imported", metadata: metadata, rates: rates, heartbeats: series,
      gaps: gaps,
      markers: markers.filter { $0.time >= start && $0.time <= end }.sorted { $0.time < $1.time },
      coverage: coverage(of: span, series),
      variability: HeartRateVariabilitySummary(of: series, in: span), quality: quality)
  }

  /// The resolution of the file's intervals and times: the times of beats, and the times of rates where these differ.
  private func resolutions(_ format: ForeignFormat) -> [(key: String, text: String)] {
    let ofRates = hasFractions ? "1 ms" : "1 s"
    guard beats.count > 0 else {
      return [("importedIntervalResolution", "none"), ("importedTimeResolution", ofRates)]
    }
    // Text has milliseconds where it has no fractions of them.
    let ticks = ticksPerSecond.flatMap { format == .rr && $0 == 1000 ? nil : "1/\($0) s" }
    // Text has no times, however exact its intervals are.
    let ofBeats = format == .rr ? format.resolution.time : ticks ?? timeResolution ?? format.resolution.time
    let both = [
      ("importedIntervalResolution", ticks ?? format.resolution.interval), ("importedTimeResolution", ofBeats),
    ]
    return rates.isEmpty || ofBeats == ofRates ? both : both + [("importedRateTimeResolution", ofRates)]
  }

  /// The gaps of beats, and those of rates where no beat is known: before the first beat and behind the last.
  private var gaps: [RecordingGap] {
    guard let firstBeat, let lastBeat else { return rateGaps }
    let others = rateGaps.flatMap { gap in
      [(gap.start, min(gap.end, firstBeat)), (max(gap.start, lastBeat), gap.end)].compactMap { start, end in
        // The rest of a gap may be too short for lost rates; a whole gap stays, however short.
        end.microseconds(since: start) >= RateSeconds.shortestGapMicroseconds || (start, end) == (gap.start, gap.end)
          ? RecordingGap(reason: gap.reason, start: start, end: end) : nil
      }
    }
    return (beatGaps + others).sorted { $0.start < $1.start }
  }

  private func coverage(of span: TimeSpan, _ series: HeartbeatSeries) -> Coverage? {
    guard span.microseconds > 0 else { return nil }
    var covered = intervalSum
    if series.beats.isEmpty {
      covered = zip(rates, rates.dropFirst()).reduce(0) { sum, pair in
        let step = pair.1.time.microseconds(since: pair.0.time)
        return sum
          + (step <= RecordingAssembly.mostRateGapMicroseconds ? step : RecordingAssembly.mostRateGapMicroseconds)
      }
    }
    let share = min(1, Double(covered) / Double(span.microseconds))
    return Coverage(floor: share, ceiling: share)
  }

  /// The version of the session. Of two forms of one session the greater version stays: the one with more values, and with the elements behind
  /// them, which a cut file lacks. A copy never replaces a recorded session, whose version is the number of its notifications.
  private func version(
    _ identity: RecordingIdentity?, _ device: Device, _ source: SourceRevision, _ activity: WorkoutActivityType?
  ) -> Int64 {
    let isNamed = source.identifier.utf8.contains(UInt8(ascii: "."))
    let said = device.texts.count { $0 != nil } + (activity == nil ? 0 : 1) + (isNamed ? 1 : 0)
    let count = Int64(valueCount + markers.count + said)
    return identity == nil ? count : count - 1 << 40
  }

  /// The identifier of the session: the same for the same recording, however often it is read, and however much of it could be read.
  private func identifier(
    _ format: ForeignFormat, _ source: SourceRevision, _ start: Timestamp, _ identity: RecordingIdentity?
  ) -> UUID {
    switch identity {
    case .session(let id): return id
    case .workout(let id): return UUID(madeOf: "sensord import\nworkout\n\(id.uuidString)")
    case nil: break
    }
    // FIT and WFDB say first who made it; TCX last, where a damaged file may have nothing any more, and text never. Their first
    // values say it: people give many files of text the same start.
    let saysMaker = format == .fit || format == .wfdb
    let first = rates.prefix(saysMaker ? 1 : Self.namingValues).map { "\($0.beatsPerMinute)" }.joined(separator: " ")
    let intervals = saysMaker ? "" : firstIntervals.map { "\($0)" }.joined(separator: " ")
    let maker = saysMaker ? source.identifier : ""
    let text = "sensord import\n\(format.rawValue)\n\(maker)\n\(start.microseconds)\n\(first)\n\(intervals)"
    return UUID(madeOf: text)
  }
}

/// Keys of metadata of imported sessions that other modules read, too.
package enum ImportedMetadata {
  /// The identity of the workout of which a session is a copy.
  package static let workout = "importedWorkout"
}

extension Timestamp {
  /// The time so many ticks later, to the microsecond.
  func advanced(byTicks ticks: Int64, perSecond: Int64) -> Timestamp {
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: perSecond)
    return advanced(byMicroseconds: seconds * 1_000_000 + rest * 1_000_000 / perSecond)
  }
}
