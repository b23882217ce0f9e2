import Glibc

@testable import sensord

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
    let path = "\(TestPlaces.programs)/sensord"
    let (output, errors) = ("\(folder.path)/.stdout", "\(folder.path)/.stderr")
    var environment = [
      "HOME": folder.path, "PATH": "/usr/bin:/bin", "TZ": "UTC", "XDG_STATE_HOME": "\(folder.path)/state",
      "XDG_RUNTIME_DIR": "\(folder.path)/runtime", "SWIFT_BACKTRACE": "enable=no",
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/no-bus",
    ]
    environment.merge(changed) { $1 }

    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var identifier: pid_t = 0
    let result = unsafe CStringArray.with([path] + arguments) { argv in
      unsafe CStringArray.with(environment.map { "\($0.key)=\($0.value)" }) { envp in
        unsafe posix_spawn(&identifier, path, &actions, nil, argv, envp)
      }
    }
    guard result == 0 else { throw FileAccess.failure(result, "cannot start \(path)", .unavailable) }
    var status: CInt = 0
    while unsafe waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    return Outcome(
      status: status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F),
      output: try String(decoding: FileAccess.read(output), as: UTF8.self),
      errors: try String(decoding: FileAccess.read(errors), as: UTF8.self))
  }
}
