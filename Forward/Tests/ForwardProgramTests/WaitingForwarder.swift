import Glibc
import TestSupport

/// A forwarder of a gateway that has sent everything and waits for more.
struct WaitingForwarder {
  let program: StartedProgram
  let errors: OutputFile

  struct Failure: Error, CustomStringConvertible { var description: String }

  init(of gateway: TestGateway) throws {
    errors = try OutputFile()
    program = try gateway.start(["run"], output: try OutputFile(), errors: errors)
    while !errors.text.contains("waiting for more") {
      guard program.status == nil else { throw Failure(description: "it ended: \(errors.text)") }
      poll(nil, 0, 10)
    }
  }

  /// Kills it.
  func end() {
    program.send(SIGKILL)
    program.wait()
  }
}
