internal import Documents
internal import HealthModel

/// The rows of `sensord sleep`: nights, and naps below them.
enum SleepTable {
  static func text(_ nights: [SleepNight], columns: Int) -> String {
    var table = TextTable([
      .init("Night to"), .init("In bed"), .init("Asleep", .right), .init("Core", .right), .init("Deep", .right),
      .init("REM", .right), .init("Awake", .right), .init("Eff.", .right),
    ])
    for night in nights {
      for period in night.periods {
        table.add([
          period == night.main ? night.dayText : "  nap", period.clockTimes, clock(period.timeAsleep),
          stage(.asleepCore, period), stage(.asleepDeep, period), stage(.asleepREM, period),
          period.efficiency == nil ? "" : clock(period.wakeAfterOnset), period.efficiencyText ?? "",
        ])
      }
    }
    return table.rendered(columns: columns)
  }

  private static func stage(_ value: CategoryValue, _ period: SleepPeriod) -> String {
    let duration = period.duration(of: [value])
    return duration > .zero ? clock(duration) : ""
  }

  private static func clock(_ duration: Duration) -> String {
    DurationText.hours(microseconds: duration.wholeMicroseconds)
  }
}

extension SleepPeriod {
  /// `22:58–06:41`, by the machine's clocks.
  var clockTimes: String {
    "\(LocalTime.timeOfDay(span.start.microseconds).prefix(5))–\(LocalTime.timeOfDay(span.end.microseconds).prefix(5))"
  }

  /// Of the time in bed: `91 %`; nil where nobody says how long that was.
  var efficiencyText: String? { efficiency.map { "\(FixedPoint.text($0 * 100, digits: 0)) %" } }
}
