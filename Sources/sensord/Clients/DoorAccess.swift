import RecorderBus
import DBus
import Door
import FoundationEssentials
import Glibc
import HealthModel
import Reports

/// Access of a shell to the sessions and workouts of the running recorder, by calls that name no application and never start a
/// recorder.
struct DoorAccess {
  /// The kind of object that a command is about, with the words for it in lines for a person.
  struct Kind {
    /// The path above the objects.
    var parent: ObjectPath
    var interface: Interface
    /// The noun: `session`.
    var name: String
    /// The participle for an object that exists: `begun`.
    var beginning: String
    /// The command that begins an object of this kind.
    var command: String
  }

  /// A session or workout of the recorder, with the properties that it shows on the bus.
  struct Object {
    var path: ObjectPath
    var properties: [String: Value]

    var id: String { properties["Id"]?.string ?? "" }
    /// The address of the sensor; empty without a sensor.
    var sensor: String { properties["Sensor"]?.string ?? "" }
    /// The start in microseconds since 1970 (UTC).
    var start: Int64 { properties["Start"]?.int64 ?? 0 }
    var state: String { properties["State"]?.string ?? "" }
    /// The user that the object belongs to.
    var uid: UInt32 { properties["Uid"]?.uint32 ?? 0 }
    var application: String { properties["Application"]?.string ?? "" }
    /// Whether this user began the object in a shell.
    var isOwn: Bool { uid == geteuid() && application == ClientIdentity.unnamed }
  }

  let connection: Connection
  let kind: Kind

  /// - Throws: ``CommandFailure`` where no recorder lets programs in.
  @concurrent static func find(_ kind: Kind, on loop: EventLoop) async throws -> DoorAccess {
    guard let connection = try await GrantAccess.door(on: loop) else {
      throw CommandFailure(
        .unavailable, "no recorder is open to other programs", remedy: "'sensord doctor' finds out why")
    }
    return DoorAccess(connection: connection, kind: kind)
  }

  /// Calls a method of the root.
  @concurrent func call(_ interface: Interface, _ member: String, _ body: [Value]) async throws -> [Value] {
    try await call(ClientInterfaces.root, interface.name, member, body)
  }

  /// Makes an object by a method of the root.
  @concurrent func make(_ interface: Interface, _ member: String, _ options: Value) async throws -> Object {
    let answer = try await call(interface, member, [options])
    guard let path = answer.first?.objectPath, let object = try await object(at: path) else { throw Self.noSense }
    return object
  }

  /// Makes several objects by a method of the root.
  @concurrent func makeAll(_ interface: Interface, _ member: String, _ options: Value) async throws -> [Object] {
    let answer = try await call(interface, member, [options])
    guard let paths = answer.first?.objectPaths else { throw Self.noSense }
    var objects: [Object] = []
    for path in paths {
      if let object = try await object(at: path) { objects.append(object) }
    }
    return objects
  }

  /// Calls a method of an object.
  @concurrent func call(_ object: Object, _ member: String, _ body: [Value] = []) async throws -> [Value] {
    do throws(DBusError) {
      return try await ask(object.path, kind.interface.name, member, body)
    } catch {
      if error.name == Self.unknownObject { throw CommandFailure(.noInput, "the \(kind.name) is over") }
      throw Self.failure(error)
    }
  }

  /// The object with this name, or without a name the one that this user began in a shell.
  ///
  /// - Parameters:
  ///   - name: The first digits of the object's identifier.
  ///   - remedy: The remedy where several objects fit.
  /// - Returns: The object that was meant.
  /// - Throws: ``CommandFailure`` where no object fits, or several do.
  @concurrent func object(named name: String?, severalRemedy remedy: String) async throws -> Object {
    guard let name else {
      let own = try await allOwn()
      guard own.count == 1 else {
        throw CommandFailure(
          .usage, "several \(kind.name)s were \(kind.beginning): \(own.map(\.id).joined(separator: ", "))",
          remedy: remedy)
      }
      return own[0]
    }
    let objects = try await all()
    let digits = name.lowercased()
    let found = objects.filter { digits.utf8.count >= 4 && $0.id.hasPrefix(digits) }
    guard found.count < 2 else {
      throw CommandFailure(.usage, "several \(kind.name)s begin with that name", remedy: "give more of it")
    }
    guard let only = found.first else {
      throw CommandFailure(.noInput, "no \(kind.name) of that name was \(kind.beginning)")
    }
    return only
  }

  /// All objects that this user began in a shell.
  ///
  /// - Throws: ``CommandFailure`` without such an object.
  @concurrent func allOwn() async throws -> [Object] {
    let own = try await all().filter(\.isOwn)
    guard !own.isEmpty else {
      throw CommandFailure(.noInput, "no \(kind.name) was \(kind.beginning)", remedy: "'\(kind.command)' does that")
    }
    return own
  }

  /// All objects that this user may see.
  @concurrent func all() async throws -> [Object] {
    let introspectable = "org.freedesktop.DBus.Introspectable"
    let text = try await call(kind.parent, introspectable, "Introspect", []).first?.string ?? ""
    var objects: [Object] = []
    for path in kind.parent.children(in: text) {
      if let object = try await object(at: path) { objects.append(object) }
    }
    return objects
  }

  /// The object at a path; nil where the object has gone meanwhile.
  @concurrent func object(at path: ObjectPath) async throws -> Object? {
    let answer: [Value]
    do throws(DBusError) {
      answer = try await ask(path, "org.freedesktop.DBus.Properties", "GetAll", [.string(kind.interface.name)])
    } catch {
      if error.name == Self.unknownObject { return nil }
      throw Self.failure(error)
    }
    guard let properties = answer.first?.properties else { throw Self.noSense }
    return Object(path: path, properties: properties)
  }

  /// Whether the recorder's store has the sample that an object becomes.
  @concurrent func isStored(_ object: Object) async throws -> Bool {
    guard let id = UUID(uuidString: object.id) else { throw Self.noSense }
    let query = ClientQuery.samples(SampleQuery(.identifier([id])))
    let answer = try await call(
      ClientInterfaces.root, ClientInterfaces.healthStore.name, "Query", [.string(query.kind), query.value])
    guard let descriptor = answer.first?.descriptor?.take() else { throw Self.noSense }
    // A line for each sample, and one that ends the answer.
    var (text, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
    while true {
      var look = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&look, 1, 30_000) == 1 else { throw Self.noSense }
      let count = unsafe read(descriptor.number, &bytes, bytes.count)
      guard count > 0 else { break }
      text += bytes[..<count]
    }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    guard lines.last == #"{"complete":true}"# else { throw Self.noSense }
    return lines.count > 1
  }

  @concurrent private func call(
    _ path: ObjectPath, _ interface: String, _ member: String, _ body: [Value]
  ) async throws -> [Value] {
    do throws(DBusError) {
      return try await ask(path, interface, member, body)
    } catch {
      throw Self.failure(error)
    }
  }

  @concurrent private func ask(
    _ path: ObjectPath, _ interface: String, _ member: String, _ body: [Value]
  ) async throws(DBusError) -> [Value] {
    var message = Message.call(
      ClientInterfaces.busName, path: path, interface: interface, member: member, body: body)
    message.noAutoStart = true
    return try await connection.call(message, timeout: .seconds(30)).body
  }

  static let noSense = CommandFailure(.internalError, "the recorder's answer makes no sense")
  private static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"

  /// The failure that a refusal means for a person.
  static func failure(_ error: DBusError) -> any Error {
    let domain = "org.sensord.Error."
    if ["UnknownInterface", "UnknownMethod"].contains(where: { error.name == "org.freedesktop.DBus.Error.\($0)" }) {
      return CommandFailure(
        .unavailable, "the recorder that runs is of another version", remedy: "restart it, with this one")
    }
    guard let name = error.name, name.hasPrefix(domain) else { return error }
    let status: ExitStatus
    var remedy: String?
    switch name.dropFirst(domain.count) {
    case "NotAuthorized":
      status = .permission
      remedy = "use sudo, or join the group sensord"
    case "Busy", "InvalidState": status = .locked
    case "NoSensor", "UnknownSensor", "Finished": status = .noInput
    case "NotRecording", "LimitsExceeded": status = .unavailable
    case "NotStored":
      status = .inputOutput
      remedy = "what was recorded is safe, and the recorder tries again"
    default: status = .usage
    }
    return CommandFailure(status, error.message, remedy: remedy)
  }
}

/// The bus on which a recorder lets other programs in, and the owners of the recorder.
struct DoorPlace: Hashable {
  var bus: BusAddress
  var owners: Owners

  /// Chooses the bus; nil where the door stays shut.
  ///
  /// Without a setting, the service and root use the system bus; a person uses the session bus where there is one, unless
  /// bluetoothd was looked for on a bus of its own: a demonstration or a test is nobody's recorder.
  ///
  /// - Parameters:
  ///   - choice: The setting.
  ///   - bluetooth: The bus that bluetoothd is on.
  ///   - environment: Shows whether this is the service, and where the session bus is.
  ///   - files: The files among which the socket of the session bus is looked for.
  ///   - uid: The recorder's user.
  ///   - group: The recorder's group.
  init?(
    _ choice: ClientsBus, bluetooth: BusAddress, environment: ProcessEnvironment, files: FileLookup = .system,
    uid: UInt32 = geteuid(), group: UInt32 = getegid()
  ) {
    let isService = environment["STATE_DIRECTORY"] != nil
    switch choice {
    case .off: return nil
    case .system: bus = .system
    case .session: bus = .session
    case .auto:
      if case .address = bluetooth { return nil }
      if isService || uid == 0 {
        bus = .system
      } else if Self.hasSessionBus(environment, files) {
        bus = .session
      } else {
        return nil
      }
    }
    // The group of the unit; that of a person may be everybody's.
    owners = Owners(uid: uid, group: isService ? group : nil)
  }

  /// Whether the person has a session bus.
  static func hasSessionBus(_ environment: ProcessEnvironment, _ files: FileLookup = .system) -> Bool {
    if environment["DBUS_SESSION_BUS_ADDRESS"] != nil { return true }
    return environment.runtimeHome.map { files.presence("\($0)/bus") == .present } ?? false
  }
}
