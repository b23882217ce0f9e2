internal import FoundationEssentials
internal import HealthModel

/// Apple Health's `export.xml`: the rate of each second, beats in records of five minutes with their SDNN, workouts with their events.
///
/// In front of each recording an instruction says of which session or workout it is a copy: so it is known again. Another one ends it: what
/// somebody adds behind it is no part of it. No record of beats spans a gap; one that goes on where the one before ended is announced, and so
/// is a gap before a rate.
package enum AppleWriter: CollectionWriter {
  package static let format = InterchangeFormat.apple

  /// The longest record of beats, and the resolution of the times of beats.
  static let longestSeconds: Int64 = 300
  static let ticksPerSecond: Int64 = 100
  /// The content of an instruction in front of a record that continues the one before.
  static let continued = "continued"
  /// The content of an instruction behind a recording.
  static let end = "end"

  package static func begin(_ first: InterchangeRecording, _ buffer: inout PieceBuffer) {
    // The same recordings give the same bytes: the date is not today's.
    buffer.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <HealthData locale="en_US">
       <ExportDate value="\(AppleNames.text(first.span.end))"/>
       <Me/>

      """)
  }

  package static func append<Failure: Error>(
    _ recording: InterchangeRecording, isFirst: Bool, _ buffer: inout PieceBuffer,
    to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let origin = AppleNames.origin(recording.source, recording.device)
    buffer.append(" \(RecordingAnnouncement.text(of: recording))\n")
    for rate in RateSeconds(recording) {
      if rate.isPrecededByGap { append(RecordingAnnouncement.gap, &buffer) }
      let time = AppleNames.text(Timestamp(microseconds: rate.second * 1_000_000))
      buffer.append(" <Record type=\"\(AppleNames.rate)\"")
      buffer.append(origin)
      buffer.append(" unit=\"count/min\" creationDate=\"\(time)\" startDate=\"\(time)\" endDate=\"\(time)\" value=\"")
      buffer.append(Int64(rate.beatsPerMinute))
      buffer.append("\"/>\n")
      try buffer.hand(to: receive)
    }
    try appendBeats(of: recording, origin, &buffer, to: receive)
    if let workout = recording.workout { AppleWorkoutText(workout, origin).append(to: &buffer) }
    append(Self.end, &buffer)
    try buffer.hand(to: receive)
  }

  package static func end(_ buffer: inout PieceBuffer) {
    buffer.append("</HealthData>\n")
  }

  private static func append(_ word: String, _ buffer: inout PieceBuffer) {
    buffer.append(" <?\(RecordingAnnouncement.target) \(word)?>\n")
  }

  private static func appendBeats<Failure: Error>(
    of recording: InterchangeRecording, _ origin: String, _ buffer: inout PieceBuffer,
    to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var record = AppleBeatsRecord()
    var last: Int64?
    var rates = 0
    for beat in MeasuredBeats(recording) {
      while rates < recording.rates.count, recording.rates[rates].time <= beat.time { rates += 1 }
      // Two beats may be nearer to each other than the resolution of times.
      let tick = max(beat.time.microseconds.nearestAppleTick, last.map { $0 + 1 } ?? .min)
      last = tick
      if beat.interval == nil || record.seconds(to: tick) >= longestSeconds {
        record.append(to: &buffer, origin)
        try buffer.hand(to: receive)
        record = AppleBeatsRecord(isAfterDoubt: record.beats.last?.isDoubtful ?? false)
        if beat.interval != nil { append(continued, &buffer) }
      }
      let rate = rates > 0 ? recording.rates[rates - 1] : recording.rates.first
      record.beats.append(
        AppleBeatsRecord.Beat(
          tick: tick, interval: beat.interval, isDoubtful: !beat.flags.subtracting(.firstOfRun).isEmpty,
          rate: rate?.beatsPerMinute ?? 0))
    }
    record.append(to: &buffer, origin)
  }
}

/// A record of beats that follow each other, while it is collected.
struct AppleBeatsRecord {
  struct Beat {
    var tick: Int64
    /// In milliseconds.
    var interval: Int64?
    /// Whether the beat is doubtful: then its intervals are not between normal beats.
    var isDoubtful: Bool
    /// The rate that the sensor sent.
    var rate: UInt16
  }

  var beats: [Beat] = []
  /// Whether something was found about the beat before.
  var isAfterDoubt = false

  func seconds(to tick: Int64) -> Int64 {
    beats.first.map { (tick - $0.tick) / AppleWriter.ticksPerSecond } ?? 0
  }

  func append(to buffer: inout PieceBuffer, _ origin: String) {
    guard let first = beats.first, let last = beats.last else { return }
    let (start, end) = (AppleNames.second(first.tick), AppleNames.second(last.tick + AppleWriter.ticksPerSecond - 1))
    buffer.append(" <Record type=\"\(AppleNames.deviation)\"")
    buffer.append(origin)
    buffer.append(" unit=\"ms\" creationDate=\"\(end)\" startDate=\"\(start)\" endDate=\"\(end)\"")
    if let deviation { buffer.append(" value=\"\((deviation * 100).rounded() / 100)\"") }
    buffer.append(">\n  <HeartRateVariabilityMetadataList>\n")
    for place in beats.indices {
      buffer.append("   <InstantaneousBeatsPerMinute bpm=\"")
      buffer.append(rate(at: place))
      buffer.append("\" time=\"\(AppleNames.timeOfDay(beats[place].tick))\"/>\n")
    }
    buffer.append("  </HeartRateVariabilityMetadataList>\n </Record>\n")
  }

  /// The rate by the interval that a beat ends; for the first beat of a stretch by the interval that it begins, for a single beat the
  /// sensor's, or 0.
  private func rate(at place: Int) -> Int64 {
    let next = place + 1 < beats.count ? beats[place + 1].interval : nil
    guard let interval = beats[place].interval ?? next else { return Int64(beats[place].rate) }
    return max(1, (60_000 + interval / 2) / interval)
  }

  /// SDNN in milliseconds; nil where fewer than two intervals are between normal beats.
  private var deviation: Double? {
    var isNormal = !isAfterDoubt
    var normal: [Double] = []
    for beat in beats {
      if let interval = beat.interval, isNormal, !beat.isDoubtful { normal.append(Double(interval)) }
      isNormal = !beat.isDoubtful
    }
    guard normal.count > 1 else { return nil }
    let mean = normal.reduce(0, +) / Double(normal.count)
    return (normal.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(normal.count - 1)).squareRoot()
  }
}

/// A workout as an element of Apple's export.
struct AppleWorkoutText {
  private let workout: Workout
  private let origin: String

  init(_ workout: Workout, _ origin: String) {
    (self.workout, self.origin) = (workout, origin)
  }

  func append(to buffer: inout PieceBuffer) {
    let configuration = workout.configuration
    buffer.append(
      " <Workout workoutActivityType=\"\(name(of: configuration))\"\(duration(of: workout.duration))\(origin)")
    buffer.append(" creationDate=\"\(AppleNames.text(workout.end))\"\(dates(of: workout.span))>\n")
    append(metadata(of: configuration).merging(workout.metadata) { $1 }, "  ", to: &buffer)
    append(workout.events, "  ", to: &buffer)
    for activity in workout.activities {
      let configuration = activity.configuration
      buffer.append(
        "  <WorkoutActivity uuid=\"\(activity.id.uuidString)\" workoutActivityType=\"\(name(of: configuration))\"")
      buffer.append("\(dates(of: activity.span))\(duration(of: workout.duration(of: activity)))>\n")
      append(metadata(of: configuration).merging(activity.metadata) { $1 }, "   ", to: &buffer)
      append(activity.events, "   ", to: &buffer)
      append(activity.allStatistics, over: activity.span, "   ", to: &buffer)
      buffer.append("  </WorkoutActivity>\n")
    }
    append(workout.allStatistics, over: workout.span, "  ", to: &buffer)
    buffer.append(" </Workout>\n")
  }

  private func name(of configuration: WorkoutConfiguration) -> String {
    AppleNames.text("HKWorkoutActivityType", configuration.activityType.description)
  }

  private func dates(of span: TimeSpan) -> String {
    " startDate=\"\(AppleNames.text(span.start))\" endDate=\"\(AppleNames.text(span.end))\""
  }

  private func duration(of duration: Duration) -> String {
    " duration=\"\(duration / .seconds(60))\" durationUnit=\"min\""
  }

  /// The configuration as Apple's metadata.
  private func metadata(of configuration: WorkoutConfiguration) -> Metadata {
    var metadata: Metadata = [:]
    if configuration.location != .unknown {
      metadata["HKIndoorWorkout"] = .integer(configuration.location == .indoor ? 1 : 0)
    }
    if configuration.swimmingLocation != .unknown {
      metadata["HKSwimmingLocationType"] = .integer(configuration.swimmingLocation.rawValue)
    }
    if let length = configuration.lapLength { metadata["HKLapLength"] = .quantity(length) }
    return metadata
  }

  private func append(_ metadata: Metadata, _ indent: String, to buffer: inout PieceBuffer) {
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      let (key, value) = (XMLText.escaped(key), XMLText.escaped(AppleNames.text(value)))
      buffer.append("\(indent)<MetadataEntry key=\"\(key)\" value=\"\(value)\"/>\n")
    }
  }

  private func append(_ events: [WorkoutEvent], _ indent: String, to buffer: inout PieceBuffer) {
    for event in events {
      buffer.append("\(indent)<WorkoutEvent type=\"\(AppleNames.text("HKWorkoutEventType", event.type.description))\"")
      buffer.append(" date=\"\(AppleNames.text(event.span.start))\"")
      if event.span.microseconds > 0 { buffer.append(duration(of: .microseconds(event.span.microseconds))) }
      guard !event.metadata.isEmpty else {
        buffer.append("/>\n")
        continue
      }
      buffer.append(">\n")
      append(event.metadata, indent + " ", to: &buffer)
      buffer.append("\(indent)</WorkoutEvent>\n")
    }
  }

  private func append(
    _ figures: [WorkoutStatistics], over span: TimeSpan, _ indent: String, to buffer: inout PieceBuffer
  ) {
    for one in figures where QuantityType(identifier: one.type.identifier) != nil {
      buffer.append(
        "\(indent)<WorkoutStatistics type=\"\(AppleNames.text("HKQuantityTypeIdentifier", one.type.identifier))\"")
      buffer.append(dates(of: span))
      // Apple's % means a share of one.
      let scale = one.type.unit == .percent ? 0.01 : 1
      for (name, value) in [
        ("average", one.average), ("minimum", one.minimum), ("maximum", one.maximum), ("sum", one.sum),
      ] {
        if let value { buffer.append(" \(name)=\"\(value * scale)\"") }
      }
      buffer.append(" unit=\"\(one.type.unit.symbol)\"/>\n")
    }
  }
}
