import ClientInterfaces

internal import DBus
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

  @concurrent func mark(_ session: DoorAccess.Object, _ text: String) async throws {
    _ = try await door.call(session, "AddMarker", [.int64(0), .string(text)])
  }

  /// What the recorder says of the session's end.
  @concurrent func end(_ session: DoorAccess.Object) async throws -> [String: Value] {
    try await door.call(session, "End").first?.properties ?? [:]
  }

  /// The session with this name, or the one that this user began from a shell where none is named.
  @concurrent func session(_ name: String?) async throws -> DoorAccess.Object {
    try await door.object(named: name, severalRemedy: "name one of them")
  }
}
