import ArgumentParser
import Glibc
import LiveHub

/// The program: parses, does one thing, and ends with one line and a code for a failure.
@main
enum Main {
  static func main() {
    // A browser that goes, or a full pipe, is no reason to end.
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try LiveCommand.parseAsRoot()
      try command.run()
    } catch let failure as LiveFailure {
      Terminal.complain(failure.message)
      exit(failure.status.rawValue)
    } catch {
      let isHelp = LiveCommand.exitCode(for: error) == .success
      let text = LiveCommand.fullMessage(for: error)
      if isHelp { Terminal.print(text) } else { Terminal.complain(Terminal.line(of: text)) }
      exit(isHelp ? 0 : LiveFailure.Status.usage.rawValue)
    }
  }
}

/// Lines for people.
enum Terminal {
  /// A line of output.
  static func print(_ text: String) { put(text + "\n", STDOUT_FILENO) }

  /// A line about a failure, or about the state of the program.
  static func complain(_ text: String) { put("sensord-live: \(text)\n", STDERR_FILENO) }

  /// The several lines of the parser's error as one line.
  static func line(of text: String) -> String {
    var line = text.split(separator: "\n").first.map(String.init) ?? text
    if line.hasPrefix("Error: ") { line.removeFirst("Error: ".count) }
    return "\(line); see 'sensord-live --help'"
  }

  private static func put(_ text: String, _ descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
