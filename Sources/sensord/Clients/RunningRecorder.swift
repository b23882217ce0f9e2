import DBus
import Door
import FoundationEssentials
import Glibc
import HealthModel
import Reports
import SensordClient

/// The recorder that runs and lets programs in, for the commands of its owner.
enum RunningRecorder {
  /// The bus on which the door of this person's recorder, or of the service, would be; nil without such a bus.
  static func bus() throws -> SensordClient.Bus? {
    let location = try StoreLocation.forCommands(option: nil, environment: .current)
    if location.path == StoreLocation.servicePath { return .system }
    return DoorPlace.hasSessionBus(.current) ? .session : nil
  }

  /// The recorder; nil where none lets programs in.
  @concurrent static func find(on loop: EventLoop) async throws -> SensordClient? {
    guard let bus = try bus() else { return nil }
    let recorder = SensordClient.owner(on: bus, loop: loop)
    return await recorder.isRunning() ? recorder : nil
  }

  /// Runs the work of a command that needs the recorder.
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable (SensordClient) async throws -> Value
  ) throws -> Value {
    try CommandLoop.run(on: EventLoop()) { try await body(require(on: $0)) }
  }

  /// The recorder.
  ///
  /// - Throws: 69 where none lets programs in.
  @concurrent static func require(on loop: EventLoop) async throws -> SensordClient {
    guard let recorder = try await find(on: loop) else { throw CommandFailure(.notRunning) }
    return recorder
  }
}

extension CommandFailure {
  /// The failure that an answer of the recorder means for a person.
  init(_ error: ClientError) {
    switch error {
    case .notRunning:
      self.init(.unavailable, "no recorder is open to other programs", remedy: "'sensord doctor' finds out why")
    case .refused(let name, _) where ["UnknownInterface", "UnknownMethod"].contains { name.hasSuffix(".Error.\($0)") }:
      self.init(.unavailable, "the recorder that runs is of another version", remedy: "restart it, with this one")
    case .notAuthorized: self.init(.permission, "\(error)", remedy: "use sudo, or join the group sensord")
    case .busy, .invalidState: self.init(.locked, "\(error)")
    case .noSensor, .ended: self.init(.noInput, "\(error)")
    case .noBus, .interrupted, .timedOut, .limitsExceeded: self.init(.unavailable, "\(error)")
    case .notStored:
      self.init(.inputOutput, "\(error)", remedy: "what was recorded is safe, and the recorder tries again")
    case .unreadable, .cutOff, .closed, .cancelled: self.init(.internalError, "\(error)")
    case .refused(_, let message): self.init(.usage, message)
    default: self.init(.usage, "\(error)")
    }
  }
}

/// A session or workout that goes on, as it is named in a shell.
protocol ShellObject: Identifiable where ID == UUID {
  /// The program that began it.
  var program: ClientIdentity { get }
}

extension ClientSession: ShellObject {}
extension LiveWorkout: ShellObject {}

extension ShellObject {
  /// The identifier in small letters.
  var name: String { id.uuidString.lowercased() }
  /// Whether this user began it in a shell.
  var isOwn: Bool { program == ClientIdentity(uid: geteuid(), application: ClientIdentity.unnamed) }
}

/// The kinds of objects that a command can be about, with the words for them in lines for a person.
struct ShellObjectKind {
  static let session = ShellObjectKind(
    noun: "session", beginning: "begun", command: "sensord session begin", choice: "name one of them")
  static let workout = ShellObjectKind(
    noun: "workout", beginning: "started", command: "sensord workout start TYPE",
    choice: "name one of them with --workout")

  /// The noun: `session`.
  let noun: String
  /// The participle for an object that exists: `begun`.
  let beginning: String
  /// The command that begins one.
  let command: String
  /// The remedy where several objects fit.
  let choice: String

  /// The object with this name, or without a name the one that this user began in a shell.
  ///
  /// - Parameters:
  ///   - name: The first digits of the object's identifier.
  ///   - objects: All objects that go on.
  /// - Returns: The object that was meant.
  /// - Throws: ``CommandFailure`` where no object fits, or several do.
  func chosen<Object: ShellObject>(_ name: String?, of objects: [Object]) throws(CommandFailure) -> Object {
    guard let name else {
      let own = try own(of: objects)
      guard own.count == 1 else {
        throw CommandFailure(
          .usage, "several \(noun)s were \(beginning): \(own.map(\.name).joined(separator: ", "))", remedy: choice)
      }
      return own[0]
    }
    let digits = name.lowercased()
    let found = objects.filter { digits.utf8.count >= 4 && $0.name.hasPrefix(digits) }
    guard found.count < 2 else {
      throw CommandFailure(.usage, "several \(noun)s begin with that name", remedy: "give more of it")
    }
    guard let only = found.first else { throw CommandFailure(.noInput, "no \(noun) of that name was \(beginning)") }
    return only
  }

  /// The objects that this user began in a shell.
  ///
  /// - Throws: ``CommandFailure`` without such an object.
  func own<Object: ShellObject>(of objects: [Object]) throws(CommandFailure) -> [Object] {
    let own = objects.filter(\.isOwn)
    guard !own.isEmpty else {
      throw CommandFailure(.noInput, "no \(noun) was \(beginning)", remedy: "'\(command)' does that")
    }
    return own
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
