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

  /// The same with arguments that were put together before.
  func run(_ arguments: [String], changed: [String: String] = [:]) throws -> Outcome {
    var environment = [
      "HOME": folder.path, "PATH": "/usr/bin:/bin", "TZ": "UTC", "XDG_STATE_HOME": "\(folder.path)/state",
      "XDG_RUNTIME_DIR": "\(folder.path)/runtime", "SWIFT_BACKTRACE": "enable=no",
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/no-bus",
    ]
    environment.merge(changed) { $1 }

    let (output, errors) = (try OutputFile(), try OutputFile())
    let program = try StartedProgram(
      "\(TestPlaces.programs)/sensord", arguments, environment: environment, output: output.descriptor,
      errors: errors.descriptor)
    return Outcome(status: program.wait(), output: output.text, errors: errors.text)
  }
}
