import ClientInterfaces

internal import Clients
internal import DBus
internal import FoundationEssentials
internal import Glibc
internal import HealthModel

/// How `sensord session` reaches the sessions on request of the recorder that runs.
struct SessionAccess {
  /// A session as its object shows it.
  struct Session {
    var path: ObjectPath
    var id: String
    var sensor: String
    /// When it began, in microseconds since 1970 (UTC).
    var start: Int64
    /// Whose it is.
    var uid: UInt32
    var application: String
  }

  private let connection: Connection

  /// - Throws: ``CommandFailure`` where no recorder lets programs in.
  @concurrent static func find(on loop: EventLoop) async throws -> SessionAccess {
    guard let connection = try await GrantAccess.door(on: loop) else {
      throw CommandFailure(
        .unavailable, "no recorder is open to other programs", remedy: "'sensord doctor' finds out why")
    }
    return SessionAccess(connection: connection)
  }

  /// Begins a session that outlives this program.
  @concurrent func begin(of sensor: String?, _ metadata: [String: Value]) async throws -> Session {
    var options: [String: Value] = ["endWithClient": .boolean(false), "metadata": .properties(metadata)]
    options["sensor"] = sensor.map { .string($0) }
    let answer = try await call(
      ClientInterfaces.root, ClientInterfaces.manager, "BeginSession", [.properties(options)])
    guard let path = answer.first?.objectPath else {
      throw CommandFailure(.internalError, "the recorder's answer makes no sense")
    }
    return try await session(at: path)
  }

  @concurrent func mark(_ session: Session, _ text: String) async throws {
    _ = try await call(session.path, ClientInterfaces.session, "AddMarker", [.int64(0), .string(text)])
  }

  /// What the recorder says of the session's end.
  @concurrent func end(_ session: Session) async throws -> [String: Value] {
    try await call(session.path, ClientInterfaces.session, "End", []).first?.properties ?? [:]
  }

  /// The session with this name, or the one that this user began from a shell where none is named.
  @concurrent func session(_ name: String?) async throws -> Session {
    let sessions = try await all()
    guard let name else {
      let own = sessions.filter { $0.uid == geteuid() && $0.application == ClientIdentity.unnamed }
      guard own.count < 2 else {
        throw CommandFailure(
          .usage, "several sessions were begun: \(own.map(\.id).joined(separator: ", "))", remedy: "name one of them")
      }
      guard let only = own.first else {
        throw CommandFailure(.noInput, "no session was begun", remedy: "'sensord session begin' begins one")
      }
      return only
    }
    let digits = name.lowercased()
    let found = sessions.filter { digits.utf8.count >= 4 && $0.id.hasPrefix(digits) }
    guard found.count < 2 else {
      throw CommandFailure(.usage, "several sessions begin with that name", remedy: "give more of it")
    }
    guard let only = found.first else { throw CommandFailure(.noInput, "no session of that name was begun") }
    return only
  }

  @concurrent private func all() async throws -> [Session] {
    let introspectable = "org.freedesktop.DBus.Introspectable"
    let text = try await call(ClientInterfaces.sessions, introspectable, "Introspect", []).first?.string ?? ""
    var sessions: [Session] = []
    for name in Self.children(text) {
      guard let path = ClientInterfaces.sessions.appending(name) else { continue }
      sessions.append(try await session(at: path))
    }
    return sessions
  }

  /// The names of the nodes in introspection data of a recorder, which has one on each line.
  static func children(_ text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: "\"", omittingEmptySubsequences: false)
      return words.count == 3 && words[0] == "  <node name=" ? String(words[1]) : nil
    }
  }

  @concurrent private func session(at path: ObjectPath) async throws -> Session {
    let values = try await call(
      path, "org.freedesktop.DBus.Properties", "GetAll", [.string(ClientInterfaces.session.name)]
    ).first?.properties
    return Session(
      path: path, id: values?["Id"]?.string ?? "", sensor: values?["Sensor"]?.string ?? "",
      start: values?["Start"]?.int64 ?? 0, uid: values?["Uid"]?.uint32 ?? 0,
      application: values?["Application"]?.string ?? "")
  }

  @concurrent private func call(
    _ path: ObjectPath, _ interface: Interface, _ member: String, _ body: [Value]
  ) async throws -> [Value] {
    try await call(path, interface.name, member, body)
  }

  @concurrent private func call(_ path: ObjectPath, _ interface: String, _ member: String, _ body: [Value]) async throws
    -> [Value]
  {
    do throws(DBusError) {
      var message = Message.call(
        ClientInterfaces.busName, path: path, interface: interface, member: member, body: body)
      message.noAutoStart = true
      return try await connection.call(message, timeout: .seconds(30)).body
    } catch {
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: DBusError) -> any Error {
    let domain = "org.sensord.Error."
    guard let name = error.name, name.hasPrefix(domain) else { return error }
    let status: ExitStatus
    var remedy: String?
    switch name.dropFirst(domain.count) {
    case "NotAuthorized":
      status = .permission
      remedy = "use sudo, or join the group sensord"
    case "Busy": status = .locked
    case "NoSensor", "UnknownSensor": status = .noInput
    case "NotRecording", "LimitsExceeded": status = .unavailable
    case "NotStored":
      status = .inputOutput
      remedy = "what was recorded is safe, and the recorder tries again"
    default: status = .usage
    }
    return CommandFailure(status, error.message, remedy: remedy)
  }
}
