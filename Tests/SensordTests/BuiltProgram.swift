import Foundation
import TestSupport

/// The built `sensord`, started as a person or another program would.
struct BuiltProgram {
  /// What one run left.
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String

    /// The lines on stderr.
    var errorLines: [Substring] { errors.split(separator: "\n") }
  }

  private let folder: TemporaryFolder

  /// With a home, state and runtime folder of its own, all below `folder`.
  init(in folder: TemporaryFolder) {
    self.folder = folder
  }

  /// Runs `sensord` with `arguments` to its end.
  func run(_ arguments: String..., changed: [String: String] = [:]) throws -> Outcome {
    try run(arguments, changed: changed)
  }

  /// The same under a limit that the shell's `ulimit` sets, `-f 8` for instance.
  func run(_ arguments: String..., limited limit: String) throws -> Outcome {
    try run(arguments, limited: limit)
  }

  /// The same with arguments that were put together before.
  func run(_ arguments: [String], changed: [String: String] = [:], limited limit: String? = nil) throws -> Outcome {
    var environment = [
      "HOME": folder.path, "PATH": "/usr/bin:/bin", "TZ": "UTC", "XDG_STATE_HOME": "\(folder.path)/state",
      "XDG_RUNTIME_DIR": "\(folder.path)/runtime", "SWIFT_BACKTRACE": "enable=no",
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/no-bus",
    ]
    // What the thread sanitizer must not report stands there; a program without it tells of the standard library's locks.
    environment["TSAN_OPTIONS"] = ProcessInfo.processInfo.environment["TSAN_OPTIONS"]
    environment.merge(changed) { $1 }

    let (output, errors) = (try OutputFile(), try OutputFile())
    let sensord = "\(TestPlaces.programs)/sensord"
    let program = try StartedProgram(
      limit == nil ? sensord : "/bin/sh",
      limit.map { ["-c", "ulimit \($0); exec \"$0\" \"$@\"", sensord] + arguments } ?? arguments,
      environment: environment, output: output.descriptor, errors: errors.descriptor)
    return Outcome(status: program.wait(), output: output.text, errors: errors.text)
  }
}
