internal import DBus
internal import Glibc
internal import Synchronization

/// The program `sensord-simulator`.
@main
enum SimulatorCommand {
  /// Why the program ends before it has begun: an exit code of sysexits.h and one line.
  struct Failure: Error {
    let code: Int32
    let message: String
  }

  static func main() {
    do {
      switch try request() {
      case .showHelp: write(Options.help, to: STDOUT_FILENO)
      case .showVersion: write("sensord-simulator \(Options.version)\n", to: STDOUT_FILENO)
      case .simulate(let options): exit(try simulate(options))
      }
    } catch {
      write("sensord-simulator: \(error.message)\n", to: STDERR_FILENO)
      exit(error.code)
    }
  }

  private static func request() throws(Failure) -> Options.Request {
    do {
      return try Options.parse(Array(CommandLine.arguments.dropFirst()))
    } catch {
      throw Failure(code: 64, message: error.message + " (--help tells more)")
    }
  }

  private static func simulate(_ options: Options) throws(Failure) -> Int32 {
    let scenario = try scenario(options)
    let loop: EventLoop
    do {
      loop = try EventLoop()
    } catch {
      throw Failure(code: 71, message: error.description)
    }
    let log: GroundTruthLog?
    if let path = options.log {
      guard let file = GroundTruthLog(path: path) else { throw Failure(code: 73, message: "cannot write \(path)") }
      log = file
    } else {
      log = nil
    }
    let status = ExitStatus(loop: loop)
    let service = Service(scenario, options: options, loop: loop, log: log) { code, reason in
      status.end(code, reason)
    }
    guard (try? loop.watch(signals: [SIGTERM, SIGINT]) { _ in status.end(0, "") }) != nil else {
      throw Failure(code: 71, message: "cannot watch for signals")
    }
    var control: ControlSocket?
    if let path = options.control {
      control = ControlSocket(path: path, loop: loop) { items in service.assumeIsolated { $0.perform(items) } }
      guard control != nil else { throw Failure(code: 73, message: "cannot listen on \(path)") }
    }
    Task(executorPreference: loop) {
      await service.begin { write("ready\n", to: STDOUT_FILENO) }
    }
    loop.run()
    withExtendedLifetime(control) {}
    if let path = options.control { ControlSocket.removeSocket(path) }
    if !status.reason.isEmpty { write("sensord-simulator: \(status.reason)\n", to: STDERR_FILENO) }
    return status.code
  }

  private static func scenario(_ options: Options) throws(Failure) -> Scenario {
    guard let path = options.scenario else { return Scenario(straps: options.straps) }
    guard let json = contents(of: path) else { throw Failure(code: 66, message: "cannot read \(path)") }
    do {
      return try Scenario(json: json)
    } catch {
      throw Failure(code: 65, message: "\(path): \(error.description)")
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

  private static func write(_ text: String, to number: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
  }
}

/// How the program is to end: the first reason given counts.
final class ExitStatus: Sendable {
  private let loop: EventLoop
  private let ending = Mutex<(code: Int32, reason: String)?>(nil)

  init(loop: EventLoop) {
    self.loop = loop
  }

  var code: Int32 { ending.withLock { $0?.code ?? 0 } }

  var reason: String { ending.withLock { $0?.reason ?? "" } }

  /// Ends the loop; the program then exits with `code` and, unless it is empty, says why.
  func end(_ code: Int32, _ reason: String) {
    ending.withLock { if $0 == nil { $0 = (code, reason) } }
    loop.stop()
  }
}
