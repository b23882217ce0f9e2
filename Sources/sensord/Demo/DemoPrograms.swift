internal import Recordings
internal import StoreCommands

/// The three programs of the demo and how they are started.
struct DemoPrograms {
  static let sensorAddress = "C0:FF:EE:00:00:01"
  static let sensorName = "Simulated strap"

  var bus: ChildProgram
  var simulator: ChildProgram
  var recorder: ChildProgram

  /// Finds them; the simulator is installed beside this program.
  init(folder: DemoFolder, store: StoreLocation, environment: ProcessEnvironment) throws(CommandFailure) {
    let own = try ProgramSearch.own()
    let path = environment["PATH"]
    guard let daemon = ProgramSearch.find("dbus-daemon", path: path) else {
      throw CommandFailure(
        .unavailable, "the demo needs dbus-daemon, which is not installed", remedy: "sudo apt install dbus-daemon")
    }
    let beside = FileAccess.directory(of: own)
    guard let simulated = ProgramSearch.find("sensord-simulator", first: beside, path: path) else {
      throw CommandFailure(
        .unavailable, "sensord-simulator is neither in \(beside) nor in PATH",
        remedy: "install it beside sensord (Debian: sensord-health-simulator)")
    }
    bus = ChildProgram(
      title: "the message bus", path: daemon,
      arguments: ["--config-file=\(folder.busConfiguration)", "--nofork", "--print-address"])
    simulator = ChildProgram(
      title: "the simulator", path: simulated,
      arguments: ["--bus", folder.busAddress, "--strap", "\(Self.sensorName)@\(Self.sensorAddress)"])
    recorder = ChildProgram(
      title: "the recorder", path: own, arguments: ["run", "--bus", folder.busAddress, "--store", store.path],
      environment: ["RUNTIME_DIRECTORY": folder.runtime, "NOTIFY_SOCKET": "", "JOURNAL_STREAM": ""])
  }
}
