import Glibc
import Synchronization

/// A program that a test has started. It gets its three standard descriptors and no other: where programs start at the same
/// time, none holds the pipe of another, which would then wait for its end in vain. No signal is blocked, and SIGINT ends it
/// as on a terminal, which a test that runs in the background ignores.
public final class StartedProgram: Sendable {
  /// Why it did not start.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  public let identifier: Int32
  private let ending = Mutex<Int32?>(nil)

  /// Starts the program at `path`, or found by its name.
  ///
  /// `environment` is all of it, the test's own where it is nil; standard input is empty where `input` is nil.
  ///
  /// - Throws: ``Failure``.
  public init(
    _ path: String, _ arguments: [String], environment: [String: String]? = nil, input: Int32? = nil, output: Int32,
    errors: Int32
  ) throws {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let input {
      unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    for descriptor in STDERR_FILENO + 1..<1024 { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe words.indices { unsafe free(words[index]) } }
    var variables = unsafe (environment ?? [:]).map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for index in unsafe variables.indices { unsafe free(variables[index]) } }
    var identifier: pid_t = 0
    let result = unsafe variables.withUnsafeMutableBufferPointer { variables in
      unsafe posix_spawnp(
        &identifier, path, &actions, &attributes, &words, environment == nil ? environ : variables.baseAddress)
    }
    guard result == 0 else {
      throw Failure(description: "\(path) does not start: \(unsafe String(cString: strerror(result)))")
    }
    self.identifier = identifier
  }

  /// Where the system has what it knows about the process.
  public var folder: String { "/proc/\(identifier)" }

  /// How it ended: its exit status, or less than zero the number of the signal; nil while it runs.
  public var status: Int32? {
    ending.withLock { ending in
      var word: Int32 = 0
      if ending == nil, unsafe waitpid(identifier, &word, WNOHANG) == identifier {
        ending = word & 0x7F == 0 ? word >> 8 & 0xFF : -(word & 0x7F)
      }
      return ending
    }
  }

  /// Waits for its end.
  ///
  /// - Returns: As ``status``.
  @discardableResult
  public func wait() -> Int32 {
    while true {
      if let status { return status }
      var information = unsafe siginfo_t()
      _ = unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT)
    }
  }

  /// Sends a signal, unless it has ended.
  public func send(_ signal: Int32) {
    ending.withLock { if $0 == nil { _ = kill(identifier, signal) } }
  }
}
