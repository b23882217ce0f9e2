internal import ArgumentParser
internal import Glibc

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

  /// Says what `error` has to say, help and version included, and returns the code to exit with.
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
