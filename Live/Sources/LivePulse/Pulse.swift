/// A heart rate that holds now, or why there is none: what every output shows.
public enum Pulse: Hashable, Sendable {
  /// The sensor measures, and its next beat is not overdue.
  case value(Reading)
  /// There is no value that could be shown.
  case none(Absence)

  /// The state in one word: `measuring`, or why there is no value.
  public var state: String {
    switch self {
    case .value: "measuring"
    case .none(let absence): absence.rawValue
    }
  }
}

/// Why there is no value.
public enum Absence: String, Hashable, Sendable, CaseIterable {
  /// The sensor is linked, and sends nothing or no rate.
  case silent
  /// The sensor says that it is not on the skin.
  case offSkin
  /// There is no link to a sensor.
  case linkLost
  /// No recorder answers, or it ends.
  case noRecorder
}

/// What a sensor sent, with a rate in it.
public struct Reading: Hashable, Sendable {
  /// The sensor's Bluetooth address.
  public var sensor: String
  /// When it arrived at the recorder, in microseconds of 1970.
  public var microseconds: Int64
  public var beatsPerMinute: UInt16
  /// The intervals between beats in 1/1024 s, oldest first.
  public var rrTicks: [UInt16]
  /// Whether something is missing before it: no line may be drawn to it, and no interval formed with the beat before.
  public var precededByGap: Bool

  public init(
    sensor: String, microseconds: Int64, beatsPerMinute: UInt16, rrTicks: [UInt16] = [], precededByGap: Bool = false
  ) {
    self.sensor = sensor
    self.microseconds = microseconds
    self.beatsPerMinute = beatsPerMinute
    self.rrTicks = rrTicks
    self.precededByGap = precededByGap
  }

  /// The last interval in milliseconds, to the nearest; nil where the sensor sent none.
  public var lastIntervalMilliseconds: Int? { rrTicks.last.map { (Int($0) * 1000 + 512) / 1024 } }
}
