import FoundationEssentials

// Descriptions for a person. They contain health data and must not be logged.

extension HeartRateValue: CustomStringConvertible {
  /// `61 count/min at 2026-11-22T10:30:00.000000Z`.
  public var description: String { "\(beatsPerMinute) count/min at \(time)" }
}

extension Heartbeat: CustomStringConvertible {
  /// `1024 ticks`, followed by the flags of the beat.
  public var description: String {
    let notes = (precededByGap ? ["precededByGap"] : []) + flags.names
    return notes.isEmpty ? "\(rrTicks) ticks" : "\(rrTicks) ticks (\(notes.joined(separator: ", ")))"
  }
}

extension RecordingGap: CustomStringConvertible {
  /// `link 2026-11-22T10:30:00.000000Z/2026-11-22T10:30:05.000000Z`.
  public var description: String { "\(reason) \(start)/\(end)" }
}

extension Device: CustomStringConvertible {
  /// The name, else the local identifier; `unnamed device` if neither is known.
  public var description: String { name ?? localIdentifier ?? "unnamed device" }
}

extension SourceRevision: CustomStringConvertible {
  /// The identifier and the version: `sensord 0.1.0`.
  public var description: String { version.map { "\(identifier) \($0)" } ?? identifier }
}

extension MetadataValue: CustomStringConvertible {
  /// The value alone.
  public var description: String {
    switch self {
    case .text(let text): text
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .flag(let flag): "\(flag)"
    case .time(let time): "\(time)"
    case .quantity(let quantity): "\(quantity)"
    }
  }
}

extension TimeCoverage: CustomStringConvertible {
  /// `98 %`, rounded down.
  public var description: String { "\(Int(fraction * 100)) %" }
}

extension CategoryValue: CustomStringConvertible {
  /// The integer.
  public var description: String { "\(rawValue)" }
}

extension TimeZoneRules: CustomStringConvertible {
  /// The zone's name.
  public var description: String { name }
}

extension StatisticsOptions: CustomStringConvertible {
  private static let names: [(option: StatisticsOptions, name: String)] = [
    (.average, "average"), (.minimum, "minimum"), (.maximum, "maximum"), (.sum, "sum"), (.mostRecent, "mostRecent"),
    (.duration, "duration"), (.separateBySource, "separateBySource"),
  ]

  /// The names of the options: `average, maximum`; `none` without an option.
  public var description: String {
    let present = Self.names.filter { contains($0.option) }.map(\.name)
    return present.isEmpty ? "none" : present.joined(separator: ", ")
  }
}

extension Statistics: CustomStringConvertible {
  /// The time, the number of quantities, and the figures that exist, in the type's unit.
  public var description: String {
    let figures = [
      ("sum", sum), ("average", average), ("minimum", minimum), ("maximum", maximum), ("most recent", mostRecent),
    ]
    .compactMap { name, value in value.map { ", \(name) \($0)" } }
    return "\(start)/\(end): \(count) \(count == 1 ? "quantity" : "quantities")\(figures.joined())"
  }
}

extension SampleKind: CustomStringConvertible {
  /// The name in the file.
  public var description: String { rawValue }
}

extension HealthSample: CustomStringConvertible {
  /// `heartRate 2026-11-22T10:30:00.000000Z/2026-11-22T10:30:08.000000Z, 5 values, from com.example.gym 1.0`.
  public var description: String {
    let content = value.map { "value \($0)" } ?? "\(count) \(count == 1 ? "value" : "values")"
    let span = start == end ? "\(start)" : "\(start)/\(end)"
    return "\(type) \(span), \(content), from \(source)"
  }
}

extension SampleSummary: CustomStringConvertible {
  /// The figures by name, in the type's unit.
  public var description: String {
    let total = [("sum", sum), ("average", average)].compactMap { name, value in value.map { "\(name) \($0), " } }
    return "\(total.joined())minimum \(minimum), maximum \(maximum), most recent \(mostRecent)"
  }
}

extension ChangeSet: CustomStringConvertible {
  /// `3 added, 1 deleted`.
  public var description: String { "\(added.count) added, \(deleted.count) deleted" }
}

extension DeletedObject: CustomStringConvertible {
  /// The type and identifier, and when it was deleted.
  public var description: String {
    "\(type?.identifier ?? "object") \(id.uuidString.lowercased()), deleted \(deleted)"
  }
}

extension QuantityList: CustomStringConvertible {
  /// `4 quantities of 2 samples`.
  public var description: String {
    "\(count) \(count == 1 ? "quantity" : "quantities") of \(samples.count) \(samples.count == 1 ? "sample" : "samples")"
  }
}

extension QuantityList.Element: CustomStringConvertible {
  /// The value, in the type's unit, and its time: `64.0 at 2026-11-22T10:30:00.000000Z`.
  public var description: String { "\(value) at \(span)" }
}

extension SyncIdentity: CustomStringConvertible {
  /// `class-42, version 1`.
  public var description: String { "\(identifier), version \(version)" }
}
