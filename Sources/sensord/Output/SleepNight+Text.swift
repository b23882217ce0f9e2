internal import Documents
internal import HealthModel

extension SleepNight {
  /// The night for a person: a picture of its stages, its figures, and its naps.
  func text(columns: Int) -> String {
    guard let main else { return "" }
    let title = "Night to \(dayText)\n\n"
    var text = title + Hypnogram(main).text(columns: columns) + "\n" + main.figures
    for nap in periods where nap != main {
      let length = DurationText.text(microseconds: nap.timeAsleep.wholeMicroseconds)
      text += Self.row("Nap", "\(nap.clockTimes), \(length) asleep")
    }
    return text
  }

  fileprivate static func row(_ name: String, _ value: String) -> String {
    name + String(repeating: " ", count: max(1, 14 - name.count)) + value + "\n"
  }
}

extension SleepPeriod {
  fileprivate var figures: String {
    let asleep = Self.text(timeAsleep)
    guard let efficiencyText else { return SleepNight.row("Asleep", "\(clockTimes), \(asleep)") + stages }
    return SleepNight.row("In bed", "\(clockTimes), \(Self.text(timeInBed))")
      + SleepNight.row("Asleep", "\(asleep), \(efficiencyText) of the time in bed") + stages
  }

  private var stages: String {
    var rows = ""
    for (name, value) in [("Core", CategoryValue.asleepCore), ("Deep", .asleepDeep), ("REM", .asleepREM)] {
      let duration = duration(of: [value])
      if duration > .zero { rows += SleepNight.row("  \(name)", Self.text(duration)) }
    }
    if awakenings > 0 {
      let times = awakenings == 1 ? "once" : "\(awakenings) times"
      rows += SleepNight.row("Awake", "\(times) in between, \(Self.text(wakeAfterOnset))")
    }
    if let latency { rows += SleepNight.row("Fell asleep", "after \(Self.text(latency))") }
    return rows + SleepNight.row("Told by", sources.map { PrintableText.line("\($0)") }.joined(separator: ", "))
  }

  private static func text(_ duration: Duration) -> String {
    DurationText.text(microseconds: duration.wholeMicroseconds)
  }
}
