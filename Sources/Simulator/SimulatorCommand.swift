import ArgumentParser
import DBus
import Glibc
import Synchronization

/// The program `sensord-simulator`.
@main
enum Main {
  static func main() {
    do {
      var command = try SimulatorCommand.parse()
      try command.run()
    } catch {
      exit(report(error))
    }
  }

  /// Writes the text of `error`, help and version included, and returns the exit code.
  private static func report(_ error: any Error) -> Int32 {
    if let failure = error as? SimulatorFailure {
      if !failure.message.isEmpty { write("sensord-simulator: \(failure.message)\n", to: STDERR_FILENO) }
      return failure.code
    }
    guard SimulatorCommand.exitCode(for: error) != .success else {
      write(SimulatorCommand.fullMessage(for: error) + "\n", to: STDOUT_FILENO)
      return 0
    }
    let message = SimulatorCommand.message(for: error).replacing("\n", with: " ")
    write("sensord-simulator: \(message) (--help tells more)\n", to: STDERR_FILENO)
    return 64
  }

  /// Writes `text` as it is. Nothing can be done where that fails.
  static func write(_ text: String, to number: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
  }
}

/// The command line of `sensord-simulator`.
struct SimulatorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sensord-simulator",
    abstract: "Plays virtual heart-rate straps behind an org.bluez of its own.",
    usage: """
      sensord-simulator --bus <address> --scenario <file> [options]
      sensord-simulator --bus <address> --strap <name@address> ... [options]
      """,
    discussion: """
      Owns org.bluez on a private bus, with the behaviour of BlueZ 5.66, the
      unpleasant part included. Prints "ready" when clients can call. Ends on
      SIGTERM or SIGINT, and when the bus goes (exit 69).
      """,
    // The version is that of sensord.
    version: "sensord-simulator 0.1.0")

  @Option(
    help: ArgumentHelp(
      "The bus, as dbus-daemon prints it (unix:path=/…); or session, or system.", valueName: "address"))
  var bus: String

  @Option(
    help: ArgumentHelp(
      "What happens, as JSON: one strap, or straps and a timeline (the lab's form).", valueName: "file"))
  var scenario: String?

  @Option(
    name: .customLong("strap"),
    help: ArgumentHelp(
      "A strap on a plausible heart that never stops, such as H10@C0:FF:EE:00:00:01.", valueName: "name@address"),
    transform: Self.strap)
  var straps: [StrapProfile] = []

  @Option(help: ArgumentHelp("Seeds everything that is left to chance.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "Let so many simulated seconds pass in one; clients' own time stamps are compressed too.", valueName: "x"))
  var speed = 1.0

  @Option(help: ArgumentHelp("The ground truth: JSON lines of what was really sent.", valueName: "file"))
  var log: String?

  @Option(
    help: ArgumentHelp(
      "A Unix socket for scenario items, one a line, answered with ok or error ….", valueName: "path"))
  var control: String?

  func validate() throws {
    guard !bus.isEmpty else { throw ValidationError("--bus names no bus") }
    guard speed >= 0.01, speed <= 1000 else { throw ValidationError("--speed needs a number from 0.01 to 1000") }
    guard (scenario == nil) != straps.isEmpty else {
      throw ValidationError("either --scenario or --strap is needed, not both")
    }
    guard Set(straps.map(\.address)).count == straps.count else {
      throw ValidationError("two straps have the same address")
    }
  }

  mutating func run() throws {
    let scenario = try readScenario()
    let loop: EventLoop
    do {
      loop = try EventLoop()
    } catch {
      throw SimulatorFailure(code: 71, message: error.description)
    }
    let log: GroundTruthLog?
    if let path = self.log {
      guard let file = GroundTruthLog(path: path) else {
        throw SimulatorFailure(code: 73, message: "cannot write \(path)")
      }
      log = file
    } else {
      log = nil
    }
    let ending = Ending(loop: loop)
    let service = Service(scenario, on: BusAddress(bus), loop: loop, seed: seed, speed: speed, log: log) {
      ending.end($0, $1)
    }
    guard (try? loop.watch(signals: [SIGTERM, SIGINT]) { _ in ending.end(0, "") }) != nil else {
      throw SimulatorFailure(code: 71, message: "cannot watch for signals")
    }
    var socket: ControlSocket?
    if let path = control {
      socket = ControlSocket(path: path, loop: loop) { items in service.assumeIsolated { $0.perform(items) } }
      guard socket != nil else { throw SimulatorFailure(code: 73, message: "cannot listen on \(path)") }
    }
    Task(executorPreference: loop) {
      await service.begin { Main.write("ready\n", to: STDOUT_FILENO) }
    }
    loop.run()
    withExtendedLifetime(socket) {}
    if let path = control { ControlSocket.removeSocket(path) }
    if let failure = ending.failure { throw failure }
  }

  private func readScenario() throws(SimulatorFailure) -> Scenario {
    guard let path = scenario else { return Scenario(straps: straps) }
    guard let json = Self.contents(of: path) else { throw SimulatorFailure(code: 66, message: "cannot read \(path)") }
    do {
      return try Scenario(json: json)
    } catch {
      throw SimulatorFailure(code: 65, message: "\(path): \(error.description)")
    }
  }

  private static func contents(of path: String) -> [UInt8]? {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    let file = FileDescriptor(owning: number)
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file.number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { return contents }
      contents += buffer[..<count]
    }
  }

  private static func strap(_ text: String) throws -> StrapProfile {
    guard let at = text.lastIndex(of: "@"), at != text.startIndex,
      let address = try? Scenario.address(String(text[text.index(after: at)...]), place: "")
    else { throw ValidationError("a strap is NAME@ADDRESS, H10@C0:FF:EE:00:00:01 for example") }
    var profile = StrapProfile()
    profile.name = String(text[..<at])
    profile.address = address
    profile.source = .heart
    return profile
  }
}

/// The end of the program: of several reasons the first one counts.
final class Ending: Sendable {
  private let loop: EventLoop
  private let reason = Mutex<SimulatorFailure?>(nil)

  init(loop: EventLoop) {
    self.loop = loop
  }

  /// The failure of the program; nil where it was asked to end.
  var failure: SimulatorFailure? { reason.withLock { $0.flatMap { $0.code == 0 ? nil : $0 } } }

  /// Ends the loop; the program then exits with `code` and writes the message, unless that is empty.
  func end(_ code: Int32, _ message: String) {
    reason.withLock { if $0 == nil { $0 = SimulatorFailure(code: code, message: message) } }
    loop.stop()
  }
}

/// The reason for which the program ends: an exit code of sysexits.h and one line for a person.
struct SimulatorFailure: Error, Hashable {
  var code: Int32
  var message: String
}
