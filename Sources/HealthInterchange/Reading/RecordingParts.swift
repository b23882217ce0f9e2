internal import Bits
internal import FoundationEssentials
internal import HealthModel

/// The rates, beats, gaps and markers of a recording that is being read.
struct RecordingParts: Sendable {
  private var rates: [HeartRateValue] = []
  /// Milliseconds are the ticks: nothing is rounded.
  private var beats = HeartbeatSeriesBuilder(timescale: 1000)
  private var beatGaps: [RecordingGap] = []
  private var rateGaps: [RecordingGap] = []
  private var markers: [SessionMarker] = []
  /// The last beat of the run under way; nil where there is none.
  private(set) var lastOfRun: Timestamp?
  private(set) var lastMilliseconds: UInt32 = 0
  private var lastBeat: Timestamp?
  private var firstBeat: Timestamp?
  private var intervalSum: Int64 = 0

  var valueCount: Int { rates.count + beats.count }

  /// Adds a rate; false where it is older than the one before. `stop` is when the timer stopped since then.
  mutating func add(_ rate: UInt16, at time: Timestamp, after stop: Timestamp?) -> Bool {
    if let last = rates.last?.time {
      guard time >= last else { return false }
      let isLong = time.microseconds(since: last) > RecordingAssembly.mostRateGapMicroseconds
      let isStopped = stop != nil && time.microseconds(since: last) >= RateSeconds.shortestGapMicroseconds
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

  /// Begins a run with a beat. It is later than the beat before, whatever times were rounded to.
  mutating func beginRun(at time: Timestamp) throws(SeriesError) {
    var time = time
    if let lastBeat {
      time = max(time, lastBeat.advanced(byMicroseconds: 1000))
      beatGaps.append(RecordingGap(reason: "stopped", start: lastBeat, end: time))
    }
    try beats.beginRun(AffineTimeMap(anchor: time))
    try beats.add(rrTicks: 0, precededByGap: lastBeat != nil, flags: .firstOfRun)
    (firstBeat, lastBeat, lastOfRun, lastMilliseconds) = (firstBeat ?? time, time, time, 0)
  }

  mutating func add(milliseconds: UInt32) throws(SeriesError) {
    try beats.add(rrTicks: milliseconds)
    let time = (lastOfRun ?? Timestamp(microseconds: 0)).advanced(byMicroseconds: Int64(milliseconds) * 1000)
    (lastBeat, lastOfRun, lastMilliseconds) = (time, time, milliseconds)
    intervalSum += Int64(milliseconds) * 1000
  }

  mutating func closeRun() {
    lastOfRun = nil
  }

  /// The session of these parts; nil where there are none.
  mutating func session(
    _ format: ForeignFormat, _ device: Device, _ source: SourceRevision, _ activity: WorkoutActivityType?
  ) throws(SeriesError) -> RecordedSession? {
    let times = [rates.first?.time, firstBeat, rates.last?.time, lastBeat].compactMap { $0 }
    guard let start = times.min(), let end = times.max(), let span = TimeSpan(start: start, end: end) else {
      return nil
    }
    let series = beats.count == 0 ? HeartbeatSeries(timescale: 1000) : try beats.finish()
    let variability = VariabilityReport(NNIntervals(series), in: span)
    func figure(_ measure: VariabilityMeasure) -> Double? { (try? variability.figure(measure))?.value }
    var metadata: Metadata = [
      "importedFormat": .text(format.rawValue), "importedIntervalResolution": .text(format.resolution.interval),
      "importedTimeResolution": .text(format.resolution.time),
    ]
    if let activity { metadata["importedActivity"] = .text(activity.description) }
    return RecordedSession(
      id: identifier(format, source, start), syncVersion: Int64(valueCount), device: device, source: source,
      start: start, end: end, endReason: "imported", metadata: metadata, rates: rates, heartbeats: series,
      gaps: beats.count == 0 ? rateGaps : beatGaps,
      markers: markers.filter { $0.time >= start && $0.time <= end }, coverage: coverage(of: span, series),
      variability: HeartRateVariabilitySummary(
        sdnnMilliseconds: figure(.sdnn), rmssdMilliseconds: figure(.rmssd), pnn50: figure(.pnn50)))
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

  /// The same for the same recording, however often it is read, and however much of it could be read.
  private func identifier(_ format: ForeignFormat, _ source: SourceRevision, _ start: Timestamp) -> UUID {
    var digest = SHA256()
    let first = rates.prefix(1).map { "\($0.beatsPerMinute)" }.joined()
    // FIT says first who made it; TCX last, where a damaged file may have nothing any more.
    let maker = format == .fit ? source.identifier : ""
    let text = "sensord import\n\(format.rawValue)\n\(maker)\n\(start.microseconds)\n\(first)"
    digest.add(Array(text.utf8)[...])
    var bytes = digest.digest()
    // A UUID whose bits are the maker's own (RFC 9562, version 8).
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10],
        bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
