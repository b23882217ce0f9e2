import FoundationEssentials
package import HealthModel

/// A recording in a list: its properties without its values.
package struct SessionEntry: Hashable, Sendable, Encodable {
  struct Rates: Hashable, Sendable, Encodable {
    /// Beats a minute.
    var average: Double?
    var minimum: Double
    var maximum: Double
  }

  var id: String
  /// The sensor's name, if it has one.
  var sensor: String?
  /// In milliseconds since 1970, like all times here.
  var start: Int64
  var end: Int64
  /// The number of beats; 0 where the sensor sends no intervals, or this program may not read beats.
  var beats: Int
  var heartRate: Rates?

  /// The entries of samples of beats and heart rates, one for each session, in the order of each session's first sample.
  package static func entries(of samples: [HealthSample]) -> [SessionEntry] {
    var entries: [SessionEntry] = []
    var places: [UUID: Int] = [:]
    for sample in samples {
      guard let session = sample.session else { continue }
      let place = places[session] ?? entries.count
      if place == entries.count {
        places[session] = place
        entries.append(
          SessionEntry(
            id: session.uuidString.lowercased(), sensor: sample.device?.name, start: sample.start.milliseconds,
            end: sample.end.milliseconds, beats: 0))
      }
      entries[place].start = min(entries[place].start, sample.start.milliseconds)
      entries[place].end = max(entries[place].end, sample.end.milliseconds)
      if sample.type == .heartbeatSeries { entries[place].beats += sample.count }
      if let summary = sample.summary {
        entries[place].heartRate = Rates(
          average: summary.average, minimum: summary.minimum, maximum: summary.maximum)
      }
    }
    return entries
  }
}

/// A workout in a list.
package struct WorkoutEntry: Hashable, Sendable, Encodable {
  var id: String
  /// HealthKit's name, `running` for example.
  var activity: String
  var start: Int64
  var end: Int64

  /// The entry of a workout's sample; nil for another sample.
  package init?(_ sample: HealthSample) {
    guard let activity = sample.activityType else { return nil }
    id = sample.id.uuidString.lowercased()
    self.activity = "\(activity)"
    start = sample.start.milliseconds
    end = sample.end.milliseconds
  }
}

/// The sleep of a day in a list: a night, and naps.
package struct NightEntry: Hashable, Sendable, Encodable {
  struct Stretch: Hashable, Sendable, Encodable {
    /// Milliseconds of 1970.
    var start: Int64
    var end: Int64
    /// HealthKit's number: 0 in bed, 1 asleep, 2 awake, 3 core, 4 deep, 5 REM sleep.
    var stage: Int64

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(start)
      try container.encode(end)
      try container.encode(stage)
    }
  }

  /// The day to which the night leads: `2026-11-28`.
  var day: String
  /// Milliseconds of sleep, naps included.
  var asleep: Int64
  /// The share of the time in bed that was sleep; nil where the time in bed is not known.
  var efficiency: Double?
  var stretches: [Stretch]

  /// The nights and naps that samples of sleep make up, the latest first, by the clocks at an offset of seconds from UTC.
  package static func entries(of samples: [HealthSample], offset: Int32) -> [NightEntry] {
    let intervals = samples.compactMap(SleepInterval.init)
    return SleepNight.nights(of: intervals, in: TimeZoneRules(name: "", fixedOffset: offset)).reversed().map { night in
      NightEntry(
        day: "\(night.day)", asleep: night.timeAsleep.wholeMicroseconds / 1000, efficiency: night.main?.efficiency,
        stretches: night.periods.flatMap(\.stretches).map {
          Stretch(start: $0.span.start.milliseconds, end: $0.span.end.milliseconds, stage: $0.value.rawValue)
        })
    }
  }
}

/// The heart rate of a stretch of time.
package struct StatisticsEntry: Hashable, Sendable, Encodable {
  var start: Int64
  var end: Int64
  var count: Int
  /// Beats a minute.
  var average: Double?
  var minimum: Double?
  var maximum: Double?

  package init(_ statistics: Statistics) {
    start = statistics.start.milliseconds
    end = statistics.end.milliseconds
    count = statistics.count
    average = statistics.average
    minimum = statistics.minimum
    maximum = statistics.maximum
  }
}

/// Heart rate variability of a recording: each figure, or the reason for its refusal.
package struct VariabilityEntry: Hashable, Sendable, Encodable {
  struct Figure: Hashable, Sendable, Encodable {
    var name: String
    var unit: String
    /// In `unit`; nil where the figure is refused.
    var value: Double?
    /// The reason for the refusal; nil where there is a value.
    var refused: String?
  }

  /// The share of the time that counted intervals fill, 0...1.
  var coverage: Double
  /// The number of counted intervals.
  var intervals: Int
  /// The filter that decides which intervals count.
  var filter: String
  var figures: [Figure]

  /// The variability of a series; nil without beats.
  package init?(_ series: HeartbeatSeries) {
    guard let bounds = series.bounds else { return nil }
    let report = VariabilityReport(NNIntervals(series), in: bounds)
    coverage = report.coverage
    intervals = report.intervals.count
    filter = report.intervals.filter.rawValue
    figures = VariabilityMeasure.allCases.map { measure in
      do throws(VariabilityRefusal) {
        let value = try report.figure(measure).value
        return Figure(name: measure.rawValue, unit: measure.unitSymbol, value: value)
      } catch {
        return Figure(name: measure.rawValue, unit: measure.unitSymbol, refused: error.description)
      }
    }
  }
}
