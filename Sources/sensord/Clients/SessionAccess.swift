import ClientInterfaces

internal import DBus
internal import HealthModel
internal import Ingestion
internal import StoreCommands

/// How `sensord session` reaches the sessions on request of the recorder that runs.
struct SessionAccess {
  private let door: DoorAccess

  /// - Throws: ``CommandFailure`` where no recorder lets programs in.
  @concurrent static func find(on loop: EventLoop) async throws -> SessionAccess {
    let kind = DoorAccess.Kind(
      parent: ClientInterfaces.sessions, interface: ClientInterfaces.session, name: "session", beginning: "begun",
      command: "sensord session begin")
    return SessionAccess(door: try await DoorAccess.find(kind, on: loop))
  }

  /// Begins a session that outlives this program.
  @concurrent func begin(of sensor: String?, _ metadata: Value) async throws -> DoorAccess.Object {
    var options: [String: Value] = ["endWithClient": .boolean(false), "metadata": metadata]
    options["sensor"] = sensor.map { .string($0) }
    return try await door.make(ClientInterfaces.manager, "BeginSession", .properties(options))
  }

  /// The same of each sensor that measures.
  @concurrent func beginAll(_ metadata: Value) async throws -> [DoorAccess.Object] {
    let options: [String: Value] = ["endWithClient": .boolean(false), "metadata": metadata]
    return try await door.makeAll(ClientInterfaces.manager, "BeginSessions", .properties(options))
  }

  /// Marks a time, in microseconds since 1970 (UTC); 0 is now.
  @concurrent func mark(_ session: DoorAccess.Object, _ text: String, at time: Int64 = 0) async throws {
    _ = try await door.call(session, "AddMarker", [.int64(time), .string(text)])
  }

  /// Marks the present moment in all sessions that this user began from a shell, also where one of them is over meanwhile.
  @concurrent func markAll(_ text: String) async throws {
    let now = HostClock.system.wallMicroseconds()
    var failure: (any Error)?
    for session in try await door.allOwn() {
      do { try await mark(session, text, at: now) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// A session that has ended, as the recorder says.
  struct Ended {
    var id: String
    var isStored: Bool
    var span: TimeSpan?

    fileprivate init(_ values: [String: Value]) {
      func time(_ key: String) -> Timestamp? { values[key]?.int64.map { Timestamp(microseconds: $0) } }
      id = values["id"]?.string ?? ""
      isStored = values["stored"]?.boolean == true
      if let start = time("start_us"), let end = time("end_us") { span = TimeSpan(start: start, end: end) }
    }
  }

  /// Ends a session, and returns when it is stored.
  @concurrent func end(_ session: DoorAccess.Object) async throws -> Ended {
    Ended(try await door.call(session, "End").first?.properties ?? [:])
  }

  /// Ends all sessions that this user began from a shell, at one instant, and returns when they are stored.
  @concurrent func endAll() async throws -> [Ended] {
    let paths = try await door.allOwn().map(\.path)
    let answer = try await door.call(
      ClientInterfaces.manager, "EndSessions", [.objectPaths(paths), .properties([:])])
    guard case .array(let ended, _)? = answer.first else { throw DoorAccess.noSense }
    return ended.map { Ended($0.properties ?? [:]) }
  }

  /// The session with this name, or the one that this user began from a shell where none is named.
  @concurrent func session(_ name: String?) async throws -> DoorAccess.Object {
    try await door.object(named: name, severalRemedy: "name one of them")
  }
}
