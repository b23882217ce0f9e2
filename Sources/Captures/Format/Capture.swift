public import FoundationEssentials
public import HealthModel
public import Timeline

/// One session of one sensor as it was received: its header and all events, in order.
///
/// Bug reports, test inputs and sources of a replay all have this form, whatever file they came from.
public struct Capture: Hashable, Sendable {
  public var header: CaptureHeader
  public var log: SensorEventLog
  /// Records that only a later version understands, in order; they are preserved.
  public var carried: [CarriedRecord]

  public init(header: CaptureHeader, log: SensorEventLog, carried: [CarriedRecord] = []) {
    self.header = header
    self.log = log
    self.carried = carried
  }

  public init(header: CaptureHeader, events: [SensorEvent]) {
    self.init(header: header, log: SensorEventLog(events))
  }

  /// The events as an array, created by each call, with ten times the memory of ``log``.
  public var events: [SensorEvent] { Array(log) }

  /// The session's identity, which is also its sync identifier in the store.
  public var session: UUID { header.session }
  public var sensor: SensorIdentity { header.sensor }

  /// The number of Heart Rate Measurement notifications, including undecodable ones: the sync version of a replayed file.
  ///
  /// A truncated copy has fewer than the whole capture, so the whole replaces it.
  public var notificationCount: Int { log.measurementCount }
}

/// The description of a session when it opens: everything in a capture except the events.
public struct CaptureHeader: Hashable, Sendable {
  /// The session's identity, which is also its sync identifier in the store.
  public var session: UUID
  public var sensor: SensorIdentity
  /// The program that recorded the session, with its version, such as `sensord 0.1.0`.
  public var source: String
  /// Metadata from the person or program that requested the session, such as a game's name.
  public var metadata: Metadata
  /// The program's request for the session; nil where the session began by itself.
  public var request: SessionRequest?
  /// The session that this one continues because it reached its maximum length.
  public var linkedTo: UUID?

  public init(
    session: UUID, sensor: SensorIdentity, source: String, metadata: Metadata = [:],
    request: SessionRequest? = nil, linkedTo: UUID? = nil
  ) {
    self.session = session
    self.sensor = sensor
    self.source = source
    self.metadata = metadata
    self.request = request
    self.linkedTo = linkedTo
  }
}

/// A program's request for a session, and whether the session ends with that program.
///
/// The request stands in a record of its own, not in the session's metadata: a program's metadata can never change the
/// session's owner.
public struct SessionRequest: Hashable, Sendable {
  /// The identity of the request: that of its first session. A session that continues another one has the same request.
  public var identifier: UUID
  /// The user identifier of the program.
  public var uid: UInt32
  /// The application identifier of the program.
  public var application: String
  /// Whether the session ends when the program goes.
  public var endsWithClient: Bool

  public init(identifier: UUID, uid: UInt32, application: String, endsWithClient: Bool) {
    self.identifier = identifier
    self.uid = uid
    self.application = application
    self.endsWithClient = endsWithClient
  }
}

/// A record of a session of a kind that this version does not know, preserved for a later version.
public struct CarriedRecord: Hashable, Sendable {
  /// The number of the session's events before it.
  public var eventsBefore: Int
  /// The record's fields after the slot, as they are in the file: printable ASCII.
  public var fields: String

  public init(eventsBefore: Int, fields: String) {
    self.eventsBefore = eventsBefore
    self.fields = fields
  }
}
