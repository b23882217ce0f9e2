package import HealthModel
package import Support

extension SleepNight {
  /// The object of `sleep --json`. Keys are stable.
  package var json: JSONValue {
    [
      "day": .string(dayText), "asleepSeconds": .number(timeAsleep.seconds),
      "periods": .array(periods.map { $0.json(isMain: $0 == main) }),
    ]
  }

  /// The day to which it leads: `2026-11-21`.
  package var dayText: String {
    Timestamp(microseconds: day.daysSince1970.multipliedSaturated(by: 86_400_000_000)).iso8601().prefix { $0 != "T" }
      .description
  }
}

extension SleepPeriod {
  fileprivate func json(isMain: Bool) -> JSONValue {
    [
      "start": .string(span.start.iso8601()), "end": .string(span.end.iso8601()), "isNap": .bool(!isMain),
      "inBedSeconds": .number(timeInBed.seconds), "asleepSeconds": .number(timeAsleep.seconds),
      "coreSeconds": .number(duration(of: [.asleepCore]).seconds),
      "deepSeconds": .number(duration(of: [.asleepDeep]).seconds),
      "remSeconds": .number(duration(of: [.asleepREM]).seconds),
      "unspecifiedSeconds": .number(duration(of: [.asleepUnspecified]).seconds),
      "awakeSeconds": .number(duration(of: [.awake]).seconds), "latencySeconds": .number(latency?.seconds),
      "wakeAfterOnsetSeconds": .number(wakeAfterOnset.seconds), "awakenings": .integer(awakenings),
      "efficiency": .number(efficiency), "sources": .array(sources.map { .string("\($0)") }),
      "stretches": .array(stretches.map(\.json)),
    ]
  }
}

extension SleepPeriod.Stretch {
  fileprivate var json: JSONValue {
    [
      "value": .string(word), "start": .string(span.start.iso8601()), "end": .string(span.end.iso8601()),
      "source": .string("\(source)"),
    ]
  }

  /// HealthKit's name of the value; a period has no others.
  private var word: String {
    switch value {
    case .inBed: "inBed"
    case .awake: "awake"
    case .asleepCore: "asleepCore"
    case .asleepDeep: "asleepDeep"
    case .asleepREM: "asleepREM"
    default: "asleepUnspecified"
    }
  }
}
