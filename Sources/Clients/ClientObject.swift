package import FoundationEssentials
package import HealthModel
package import Sensors

/// Something that a client has begun and not ended: it has an object of its own on the bus.
package struct ClientObject: Hashable, Sendable {
  /// What it is.
  package enum Kind: Hashable, Sendable {
    /// A session that it took out of what is recorded.
    case session
    /// A series that it inserts, of the type with this identifier.
    case series(of: String)
    /// A live workout.
    case workout

    /// The identifier of the type that its client has to be allowed to save.
    package var type: String {
      switch self {
      case .session: "heartRate"
      case .series(of: let type): type
      case .workout: "workout"
      }
    }

    /// What there is a limit of.
    var limit: Refusal.Limit {
      switch self {
      case .session: .sessions
      case .series: .series
      case .workout: .workouts
      }
    }
  }

  package let kind: Kind
  /// What it is called, to its end.
  package let identifier: UUID
  /// Whose it is: every connection of the same user and application.
  package let owner: ClientIdentity
  /// The sensor whose values belong to it; a series has none, and not every workout has one.
  package let sensor: SensorAddress?
  /// When it began, in microseconds since 1970 (UTC).
  package let start: Int64
  /// The connection with whose end it ends; nil where it outlives its program.
  package internal(set) var connection: String?
  /// Whether its end was asked for, and is not stored yet.
  package internal(set) var isEnding = false
  /// The types whose samples a workout collects as soon as its program has saved them.
  package internal(set) var collects: Set<String> = []
  /// The connections that have asked for the end of a workout: they are told when it is stored, whosever they are.
  var enders: Set<String> = []
  /// Whether a grant allows it. What an owner began needs none.
  var needsGrant = false

  /// One that began, or that an earlier run of the recorder left.
  package init(
    _ kind: Kind, _ identifier: UUID, of owner: ClientIdentity, sensor: SensorAddress? = nil, start: Int64,
    connection: String? = nil
  ) {
    self.kind = kind
    self.identifier = identifier
    self.owner = owner
    self.sensor = sensor
    self.start = start
    self.connection = connection
  }
}
