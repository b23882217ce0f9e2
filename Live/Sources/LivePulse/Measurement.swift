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
