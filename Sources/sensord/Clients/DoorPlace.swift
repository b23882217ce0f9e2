internal import Recordings
internal import Clients
internal import DBus
internal import Glibc

/// On which bus a recorder lets other programs in, and whose recorder it is.
struct DoorPlace: Hashable {
  var bus: BusAddress
  var owners: Owners

  /// Nil where the door stays shut.
  ///
  /// By itself the service, and root, take the system bus; a person takes the session bus where there is one, unless
  /// bluetoothd was looked for on a bus of its own: a demonstration or a test is nobody's recorder.
  ///
  /// - Parameters:
  ///   - choice: The setting.
  ///   - bluetooth: The bus that bluetoothd is on.
  ///   - environment: Tells whether this is the service, and where the session bus is.
  ///   - files: Where the socket of the session bus is looked for.
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
