import Captures
package import FoundationEssentials
package import HealthModel
package import Sensors

/// The sessions that were asked for and whose end nobody has asked for yet, also where they are over by themselves: what a request
/// is called, and in which session it goes on. Pure.
struct SessionRequests {
  private var byIdentifier: [UUID: RequestedSession] = [:]

  /// In the order of their identifiers.
  var all: [RequestedSession] { byIdentifier.values.sorted { $0.request.uuidString < $1.request.uuidString } }

  subscript(identifier: UUID) -> RequestedSession? { byIdentifier[identifier] }

  /// One begins. What was asked for of the same sensor before is over.
  mutating func begin(_ requested: RequestedSession) {
    byIdentifier = byIdentifier.filter { $0.value.sensor != requested.sensor }
    byIdentifier[requested.request] = requested
  }

  /// A request goes on in this session.
  mutating func note(_ request: SessionRequest, session: UUID) {
    byIdentifier[request.identifier]?.session = session
  }

  /// Its end is stored, or nobody will ask for it.
  mutating func remove(_ identifier: UUID) {
    byIdentifier[identifier] = nil
  }
}

/// A session that somebody asked for.
package struct RequestedSession: Hashable, Sendable {
  /// The identifier of the request, the same to its end: the identity of its first session.
  package var request: UUID
  /// The session in which it goes on, also in the store: another than the first after 24 hours.
  package var session: UUID
  /// The sensor whose values it holds.
  package var sensor: SensorAddress
  /// When it began, in microseconds since 1970 (UTC).
  package var start: Int64
  /// The client that asked for it.
  package var owner: ClientIdentity
  /// Whether it ends when its program goes.
  package var endsWithClient: Bool

  package init(
    request: UUID, session: UUID, sensor: SensorAddress, start: Int64, owner: ClientIdentity, endsWithClient: Bool
  ) {
    self.request = request
    self.session = session
    self.sensor = sensor
    self.start = start
    self.owner = owner
    self.endsWithClient = endsWithClient
  }
}

/// A requested session that has ended.
package struct EndedSession: Hashable, Sendable {
  /// The last session of the request.
  package var session: UUID
  /// Its bounds in the store; nil where there was nothing to store.
  package var span: TimeSpan?
}

/// Why a session that was asked for cannot begin, go on or end.
package enum SessionRequestFailure: Error, Hashable, Sendable {
  /// The recorder is starting or stopping.
  case notRecording
  /// The sensor is not in the list of sensors.
  case unknownSensor(SensorAddress)
  /// No sensor was named, and none is measuring: none of these, which are in the list.
  case noneMeasuring([SensorAddress])
  /// No sensor was named, and these are measuring.
  case severalMeasuring([SensorAddress])
  /// A requested session of the sensor is open already.
  case busy(SensorAddress)
  /// The metadata or the marker cannot be stored.
  case refused(ClientDataProblem)
  /// The time lies before the session's beginning, or in the future.
  case invalidTime
  /// No such session was asked for, or its end was stored and answered.
  case notOpen
  /// The session is over by itself.
  case over
  /// The journal cannot be written now.
  case journal
  /// The session has ended and is not in the store yet. The journal has it, and the recorder tries again.
  case notStored
}
