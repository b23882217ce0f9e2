import RecorderBus
import DBus
public import FoundationEssentials
public import HealthModel

extension SensordClient {
  /// Begins a session of one's own, of a game for example: what the sensor sends until its end is stored as one sample of rates and one
  /// series of beats with this metadata. The recorder's own session pauses meanwhile; no value is lost or stored twice.
  ///
  /// - Parameters:
  ///   - sensor: The sensor's address; nil for the one that is measuring.
  ///   - metadata: Metadata to store; more can be added while the session lasts.
  ///   - endsWithClient: Whether the session ends when this program's connection does. Otherwise another run of it can end it
  ///     (``session(_:)``).
  /// - Returns: The session, which is open.
  /// - Throws: ``ClientError/notAuthorized`` without permission to save heart rates and beats, ``ClientError/noSensor(_:)``,
  ///   ``ClientError/busy``, and others.
  @concurrent public func beginSession(
    of sensor: String? = nil, metadata: Metadata = [:], endsWithClient: Bool = true
  ) async throws(ClientError) -> ClientSession {
    var options: [String: Value] = ["endWithClient": .boolean(endsWithClient)]
    options["sensor"] = sensor.map { .string($0) }
    if !metadata.isEmpty { options["metadata"] = metadata.value }
    let answer = try await link.call(ClientInterfaces.manager, "BeginSession", [.properties(options)])
    guard let path = answer.first?.objectPath else { throw .unreadable }
    return try await ClientSession(at: path, of: self)
  }

  /// A session of this program that is open, by its identifier.
  ///
  /// - Throws: ``ClientError/ended`` if this program has no such open session, and others.
  @concurrent public func session(_ id: UUID) async throws(ClientError) -> ClientSession {
    try await ClientSession(at: .object(id, below: ClientInterfaces.sessions), of: self)
  }
}

/// A session that this program has begun; see ``SensordClient/beginSession(of:metadata:endsWithClient:)``.
///
/// The session ends with ``end()``, by itself as every session does (the sensor stays away, 24 hours), or with the
/// program's connection.
public struct ClientSession: Hashable, Sendable, Identifiable {
  /// Its identifier, also in the store unless it went on in another session after 24 hours; ``end()`` returns that one.
  public let id: UUID
  /// The address of its sensor; nil where this program may not read.
  public let sensor: String?
  /// When it began.
  public let start: Timestamp
  /// The program that began it.
  package let program: ClientIdentity
  let path: ObjectPath
  private let client: SensordClient

  init(
    at path: ObjectPath, of client: SensordClient, isolation: isolated (any Actor)? = #isolation
  ) async throws(ClientError) {
    let begun = try await client.link.begun(path, ClientInterfaces.session, below: ClientInterfaces.sessions)
    (id, sensor, start, program) = (begun.id, begun.sensor, begun.start, begun.program)
    self.path = path
    self.client = client
  }

  /// Adds metadata; the last value of a key counts.
  ///
  /// - Throws: ``ClientError/ended``, and others.
  @concurrent public func addMetadata(_ metadata: Metadata) async throws(ClientError) {
    _ = try await client.link.call(ClientInterfaces.session, "AddMetadata", [metadata.value], at: path)
  }

  /// Marks a moment of the session with a text; the present one if none is named.
  ///
  /// - Throws: ``ClientError/ended``, ``ClientError/invalidSample(_:)`` for a time outside of the session, and others.
  @concurrent public func addMarker(_ text: String, at time: Timestamp? = nil) async throws(ClientError) {
    _ = try await client.link.call(
      ClientInterfaces.session, "AddMarker", [.int64(time?.microseconds ?? 0), .string(text)], at: path)
  }

  /// The session as it was stored.
  public struct Stored: Hashable, Sendable {
    /// Its identifier in the store.
    public var id: UUID
    /// From its beginning to its end.
    public var span: TimeSpan
  }

  /// Ends the session, and returns when it is stored.
  ///
  /// - Returns: The stored session; nil if no value came, since a session without one is stored nowhere.
  /// - Throws: ``ClientError/notStored`` if that takes longer than 20 s: the session is safe in the recorder's journal then, and
  ///   is stored later; ``ClientError/ended`` if it was ended before, and others.
  @discardableResult
  @concurrent public func end() async throws(ClientError) -> Stored? {
    let ended = try await ended()
    return ended.span.map { Stored(id: ended.id, span: $0) }
  }

  /// The same with the name of a session that is stored nowhere.
  @concurrent package func ended() async throws(ClientError) -> Ended {
    try Ended(try await client.link.call(ClientInterfaces.session, "End", at: path).first)
  }

  /// A session that has ended, as the recorder reports it.
  package struct Ended: Sendable {
    package var id: UUID
    /// Nil where nothing was recorded, so that nothing is stored.
    package var span: TimeSpan?

    init(_ value: Value?) throws(ClientError) {
      guard let result = value?.properties, let isStored = result["stored"]?.boolean,
        let id = result["id"]?.string.flatMap({ UUID(uuidString: $0) })
      else { throw .unreadable }
      self.id = id
      guard isStored else { return }
      guard let start = result["start_us"]?.int64, let end = result["end_us"]?.int64,
        let span = TimeSpan(start: Timestamp(microseconds: start), end: Timestamp(microseconds: end))
      else { throw .unreadable }
      self.span = span
    }
  }

  /// Whether both are the same session.
  public static func == (one: ClientSession, other: ClientSession) -> Bool { one.id == other.id }

  /// By its identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
