import Foundation
import TestSupport

/// Debian's mosquitto, and its mosquitto_sub.
final class Broker {
  let port: Int
  private let folder = TemporaryFolder()
  private var program: StartedProgram?
  private let output: OutputFile

  /// One that lets everybody in, or only `user`, whose password is "right".
  init(user: String? = nil) throws {
    port = try FreePort.find()
    output = try OutputFile()
    let rule: String
    if let user {
      let passwords = try folder.write("passwords", "")
      let maker = try StartedProgram(
        "/usr/bin/mosquitto_passwd", ["-b", passwords, user, "right"], output: output.descriptor,
        errors: output.descriptor)
      maker.wait()
      unsafe chmod(passwords, 0o644)
      rule = "allow_anonymous false\npassword_file \(passwords)"
    } else {
      rule = "allow_anonymous true"
    }
    try folder.write("broker.conf", "listener \(port) 127.0.0.1\nuser root\n\(rule)\n")
    try start()
  }

  deinit { stop() }

  /// Starts it, and returns when it listens.
  func start() throws {
    program = try StartedProgram(
      "/usr/sbin/mosquitto", ["-c", "\(folder.path)/broker.conf"], output: output.descriptor,
      errors: output.descriptor)
    let end = ContinuousClock.now + .seconds(120)
    while (try? Peer(port: port)) == nil {
      guard ContinuousClock.now < end else { throw Peer.Failure(description: "no broker: \(output.text)") }
      usleep(10_000)
    }
  }

  func stop() {
    program?.send(SIGKILL)
    program?.wait()
    program = nil
  }

  /// Hears all topics, those that are kept first; each line is a topic, whether it was kept (1), and what was published.
  /// It hears everything from here on.
  func listener(_ words: String...) throws -> Listener {
    let listener = try Listener(["-p", "\(port)", "-t", "#", "-F", "%t %r %p"] + words)
    let end = ContinuousClock.now + .seconds(120)
    // What is published before it has subscribed goes by unheard.
    while !listener.lines.contains("test/ready 0 ready") {
      guard ContinuousClock.now < end else { throw Peer.Failure(description: "no listener: \(listener.lines)") }
      try publish("ready", to: "test/ready", words)
      usleep(10_000)
    }
    return listener
  }

  func publish(_ text: String, to topic: String, _ words: [String] = []) throws {
    let program = try StartedProgram(
      "/usr/bin/mosquitto_pub", ["-p", "\(port)", "-t", topic, "-m", text] + words.filter { $0 != "-R" },
      output: output.descriptor,
      errors: output.descriptor)
    guard program.wait() == 0 else { throw Peer.Failure(description: output.text) }
  }

  /// A mosquitto_sub that runs.
  final class Listener {
    private let program: StartedProgram
    private let output: OutputFile

    init(_ words: [String]) throws {
      output = try OutputFile()
      program = try StartedProgram(
        "/usr/bin/mosquitto_sub", words, output: output.descriptor, errors: output.descriptor)
    }

    deinit {
      program.send(SIGKILL)
      program.wait()
    }

    var lines: [String] { output.text.split(separator: "\n").map(String.init) }

    /// Waits until it has heard this so many times; the limit stands for "never".
    func heard(_ line: String, times: Int = 1) throws {
      let end = ContinuousClock.now + .seconds(120)
      while lines.count(where: { $0 == line }) < times {
        guard ContinuousClock.now < end else {
          throw Peer.Failure(description: "waited in vain for \(line): \(lines)")
        }
        usleep(10_000)
      }
    }
  }
}
