import ArgumentParser
import CLinux
import DBus
import Glibc
import Recordings
import StoreCommands

/// One of the demo's three programs and its process, while it has one.
final class DemoPart {
  let program: ChildProgram
  private(set) var process: ChildProcess?
  private var startedAt: Int64 = 0
  private var policy = RestartPolicy()
  private var unfinished: [UInt8] = []
  private var lastLine = ""
  private var watch: WatchToken?

  init(_ program: ChildProgram) {
    self.program = program
  }

  /// Starts the process; `handle` is called with every line that it writes.
  func start(on loop: EventLoop, handle: @escaping (String) -> Void) throws {
    let process = try ChildProcess(program, launcher: ProgramSearch.own())
    self.process = process
    lastLine = ""
    startedAt = BootClock.now()
    watch = try loop.watch(process.output.number, for: .readable) { [weak self] _ in
      self?.read(on: loop, handle: handle)
    }
  }

  /// Collects the process where it has ended: reads the rest of its output and decides whether it is started again.
  ///
  /// - Returns: Nil for a process that still runs, or never did.
  func reap(on loop: EventLoop, handle: (String) -> Void) -> (reason: String, decision: RestartPolicy.Decision)? {
    var status: CInt = 0
    guard let process, unsafe waitpid(process.identifier, &status, WNOHANG) == process.identifier else { return nil }
    read(on: loop, handle: handle)
    stopReading(on: loop)
    self.process = nil
    let signal = status & 0x7F
    let exitStatus = signal == 0 ? status >> 8 & 0xFF : nil
    let life = Duration.microseconds(BootClock.now() - startedAt)
    let cause = exitStatus.map { "exit status \($0)" } ?? "signal \(signal)"
    // A killed process could not write the reason.
    let reason = exitStatus == nil || lastLine.isEmpty ? cause : "\(cause): \(lastLine)"
    return (reason, policy.ended(after: life, exitStatus: exitStatus))
  }

  private func read(on loop: EventLoop, handle: (String) -> Void) {
    while let process, let bytes = process.read() {
      guard !bytes.isEmpty else { return }
      unfinished += bytes
      while let end = unfinished.firstIndex(of: UInt8(ascii: "\n")) {
        lastLine = String(decoding: unfinished[..<end], as: UTF8.self)
        handle(lastLine)
        unfinished.removeFirst(end + 1)
      }
      if unfinished.count > 1 << 16 { unfinished.removeAll() }
    }
    stopReading(on: loop)
  }

  private func stopReading(on loop: EventLoop) {
    if let watch { loop.cancel(watch) }
    watch = nil
  }
}

/// The three programs of the demo and how they are started.
struct DemoPrograms {
  static let sensorAddress = "C0:FF:EE:00:00:01"
  static let sensorName = "Simulated strap"

  var bus: ChildProgram
  var simulator: ChildProgram
  var recorder: ChildProgram

  /// Finds the programs; the simulator is installed beside this one.
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

/// The launcher of each program of `sensord demo`, hidden from the help.
///
/// The kernel can send a process a signal when its parent dies, but only the process itself can ask for it. This command asks,
/// and then becomes the program: so nothing is left over when the demo is killed, and its recorder still stores the session.
struct DemoChildCommand: ParsableCommand {
  static let name = "demo-child"

  static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

  @Argument var parent: Int32

  @Argument(parsing: .captureForPassthrough) var program: [String]

  mutating func run() throws {
    guard let path = program.first, clinux_set_parent_death_signal(SIGTERM) == 0 else {
      throw CommandFailure(.internalError, "the demo cannot watch over its processes")
    }
    // The parent may have died before the kernel was asked.
    guard getppid() == parent else { throw CommandFailure(.unavailable, "the demo has ended") }
    unsafe CStringArray.with(program) { _ = unsafe execv(path, $0) }
    throw FileError(errno, "cannot start \(path)", otherwise: .unavailable)
  }
}

/// Whether a process of the demo that ended is started again, and when. Pure: the caller has the clock.
struct RestartPolicy: Hashable {
  /// The decision after the end of a process.
  enum Decision: Hashable {
    case restart(after: Duration)
    case giveUp
  }

  /// A process that lived shorter than this has failed to start.
  static let shortLife: Duration = .seconds(2)
  private static let mostFailures = 5
  private var failures = 0

  /// Records that the process ended after `life`, by `exitStatus` or by a signal (nil).
  mutating func ended(after life: Duration, exitStatus: Int32?) -> Decision {
    if let exitStatus, Self.isFinal(exitStatus) { return .giveUp }
    guard life < Self.shortLife else {
      failures = 0
      return .restart(after: .milliseconds(200))
    }
    failures += 1
    guard failures < Self.mostFailures else { return .giveUp }
    return .restart(after: .milliseconds(200 << failures))
  }

  /// Codes that say that the same start would fail again: a store that is locked or newer, no permission.
  private static func isFinal(_ status: Int32) -> Bool {
    switch ExitStatus(rawValue: status) {
    case .usage, .badData, .noInput, .cannotCreate, .locked, .permission, .configuration: true
    default: false
    }
  }
}
