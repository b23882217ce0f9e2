import DBus
import Glibc
import Recordings
import StoreCommands

/// One running process of the demo, with a pipe for its output.
///
/// The process has a group of its own, so that Ctrl-C reaches the demo alone and the demo ends its processes in order. The kernel
/// ends the process when the demo is killed (see ``DemoChildCommand``).
final class ChildProcess {
  let identifier: pid_t
  /// The output of the process to stdout and stderr; reading does not block.
  let output: FileDescriptor

  /// Starts `program` by way of `launcher`, which is a `sensord`.
  init(_ program: ChildProgram, launcher: String) throws(CommandFailure) {
    var ends: [CInt] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw Self.failure(errno, program) }
    output = FileDescriptor(owning: ends[0])
    let input = FileDescriptor(owning: ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)

    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, input.number, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, input.number, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    Self.prepare(&attributes)

    let arguments = [launcher, DemoChildCommand.name, String(getpid()), program.path] + program.arguments
    var identifier: pid_t = 0
    let result = unsafe CStringArray.with(arguments) { argv in
      unsafe CStringArray.with(Self.environment(changed: program.environment)) { envp in
        unsafe posix_spawn(&identifier, launcher, &actions, &attributes, argv, envp)
      }
    }
    guard result == 0 else { throw Self.failure(result, program) }
    self.identifier = identifier
  }

  /// Sends a signal to the process.
  func send(_ signal: CInt) {
    kill(identifier, signal)
  }

  /// The output since the last call; nil at the end of the output.
  func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe Glibc.read(output.number, &buffer, buffer.count)
    if count > 0 { return Array(buffer.prefix(count)) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
  }

  /// A group of its own, and the signals as a program expects them: the demo reads its own from a descriptor, for which
  /// they are blocked, and a child would inherit that.
  private static func prepare(_ attributes: inout posix_spawnattr_t) {
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var pipe = sigset_t()
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &pipe)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  /// This process's whole environment with some variables changed.
  private static func environment(changed: [String: String]) -> [String] {
    var entries: [String] = []
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      let text = unsafe String(cString: entry)
      if let name = text.split(separator: "=", maxSplits: 1).first, changed[String(name)] == nil {
        entries.append(text)
      }
      unsafe next += 1
    }
    return entries + changed.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }

  private static func failure(_ code: CInt, _ program: ChildProgram) -> CommandFailure {
    CommandFailure(.unavailable, "cannot start \(program.title) (\(program.path)): \(FileError.reason(code))")
  }
}

/// The path, arguments and variables by which a process of the demo is started.
struct ChildProgram: Hashable {
  /// The program's name in messages.
  var title: String
  var path: String
  var arguments: [String]
  /// Variables that differ from those of this process.
  var environment: [String: String] = [:]
}

/// The search for the files of programs.
enum ProgramSearch {
  /// The path of this very program.
  static func own() throws(CommandFailure) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { throw CommandFailure(.internalError, "/proc/self/exe cannot be read") }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The program `name` in `first` or else in the folders of `PATH`; nil where no such file can be executed.
  static func find(_ name: String, first: String? = nil, path: String?) -> String? {
    let folders = [first].compactMap { $0 } + (path ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
    return folders.map { "\($0)/\(name)" }.first { unsafe access($0, X_OK) == 0 }
  }
}

/// Texts in the form that C functions expect: an array of pointers with a null at the end.
enum CStringArray {
  /// Calls `body` with `texts`, which are gone when it returns.
  static func with<Result>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      // Never empty: the null is always there.
      unsafe body(buffer.baseAddress.unsafelyUnwrapped)
    }
  }
}
