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

/// What the outputs show, with the number of the change that led to it.
public struct Shown: Hashable, Sendable {
  public var pulse: Pulse
  /// Counts what was shown since the hub's start, from 1: who reads slowly sees a hole. 0 before there was anything.
  public var sequence: UInt64

  public init(_ pulse: Pulse, sequence: UInt64) {
    self.pulse = pulse
    self.sequence = sequence
  }
}

/// What a sensor sent, as the recorder hands it on.
public struct Measurement: Hashable, Sendable {
  /// The sensor's Bluetooth address.
  public var sensor: String
  /// When it arrived at the recorder, in microseconds of 1970.
  public var microseconds: Int64
  /// Nil where the sensor sent no rate, or none for this program.
  public var beatsPerMinute: UInt16?
  /// The intervals between beats in 1/1024 s, oldest first.
  public var rrTicks: [UInt16]
  /// Nil where the sensor does not know.
  public var isOnSkin: Bool?
  /// How many values before it did not come here.
  public var missed: UInt64

  public init(
    sensor: String, microseconds: Int64, beatsPerMinute: UInt16?, rrTicks: [UInt16] = [], isOnSkin: Bool? = nil,
    missed: UInt64 = 0
  ) {
    self.sensor = sensor
    self.microseconds = microseconds
    self.beatsPerMinute = beatsPerMinute
    self.rrTicks = rrTicks
    self.isOnSkin = isOnSkin
    self.missed = missed
  }

  /// How long after it the next beat is due.
  var interval: Duration {
    if let last = rrTicks.last { return .microseconds(Int64(last) * 1_000_000 / 1024) }
    if let beatsPerMinute, beatsPerMinute > 0 { return .microseconds(60_000_000 / Int64(beatsPerMinute)) }
    return .seconds(1)
  }
}

/// What the recorder says that a sensor does.
public enum SensorState: Hashable, Sendable {
  /// It sends values.
  case measuring
  /// It sends none, though it is linked.
  case silent
  /// It is not on the skin.
  case offSkin
  /// There is no link to it.
  case linkLost
}
