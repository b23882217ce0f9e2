public import FoundationEssentials
public import Sensors

/// The description of a live workout when it begins. Its numbers are the raw values of the store.
public struct LiveWorkout: Hashable, Sendable {
  /// Its identity, which is also its sync identifier in the store.
  public var identifier: UUID
  /// The user identifier of the program whose it is.
  public var uid: UInt32
  /// The application identifier of that program.
  public var application: String
  /// Whether it ends when that program goes.
  public var endsWithClient: Bool
  /// What it is.
  public var configuration: Configuration
  /// The request of the recording session that began with it; nil for a workout without a sensor.
  public var request: UUID?
  /// The sensor whose values belong to it; nil for a workout of other programs' samples alone.
  public var sensor: SensorAddress?

  public init(
    identifier: UUID, uid: UInt32, application: String, endsWithClient: Bool, configuration: Configuration,
    request: UUID? = nil, sensor: SensorAddress? = nil
  ) {
    self.identifier = identifier
    self.uid = uid
    self.application = application
    self.endsWithClient = endsWithClient
    self.configuration = configuration
    self.request = request
    self.sensor = sensor
  }

  /// What a workout, or an activity in it, is.
  public struct Configuration: Hashable, Sendable {
    public var activityType: Int64
    public var location: Int64
    public var swimmingLocation: Int64
    /// The length of a lap with its unit; the number is finite.
    public var lapLength: Length?

    public init(activityType: Int64, location: Int64, swimmingLocation: Int64, lapLength: Length? = nil) {
      self.activityType = activityType
      self.location = location
      self.swimmingLocation = swimmingLocation
      self.lapLength = lapLength
    }
  }

  /// A length.
  public struct Length: Hashable, Sendable {
    public var value: Double
    public var unit: String

    public init(_ value: Double, _ unit: String) {
      self.value = value
      self.unit = unit
    }
  }
}
