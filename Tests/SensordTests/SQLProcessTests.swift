import Glibc
import Testing

@testable import sensord

/// `sensord sql` with an answer that never ends.
@Suite("An endless answer of sql")
struct SQLProcessTests {
  private let folder: TemporaryFolder
  private let sensord: BuiltProgram
  private let store: String

  /// Row after row, with the unpacked beats of the store read again for each.
  private static let query = """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    SELECT n.i, beats.time, printf('%0200d', n.i) AS padding FROM n CROSS JOIN beats
    """

  init() throws {
    folder = try TemporaryFolder()
    sensord = BuiltProgram(in: folder)
    store = folder.path + "/a.sqlite"
    _ = try sensord.run(
      "replay", TestPlaces.root + "/Tests/CapturesTests/Fixtures/every-record.capture", "--store", store)
  }

  @Test(
    "is printed in constant memory; Ctrl-C ends it at once, and the store can be read and written as before",
    arguments: [[], ["--csv"], ["--json"]])
  func interrupted(form: [String]) throws {
    let child = try EndlessChild(["sql", Self.query, "--store", store] + form)
    try child.read(bytes: 512 << 10)
    let before = try child.peakKilobytes()
    try child.read(bytes: 2 << 20)
    #expect(try child.peakKilobytes() < before + 2048)
    #expect(child.interrupt() == -SIGINT)
    #expect(try sensord.run("check", "--store", store).status == 0)
    let added = try sensord.run("devices", "add", "C0:FF:EE:00:00:02", "--store", store)
    #expect(added.status == 0, "\(added.errors)")
  }
}

/// A program that writes more than is read of it.
private final class EndlessChild {
  private var identifier: pid_t = 0
  private let output: Int32
  private var isEnded = false

  init(_ arguments: [String]) throws {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw FileAccess.failure(errno, "pipe", .unavailable) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = ends[0]
    defer { close(ends[1]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    // As a terminal starts it: tests that run in the background have SIGINT ignored, and their children after them.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let path = "\(TestPlaces.programs)/sensord"
    let result = unsafe CStringArray.with([path] + arguments) { argv in
      unsafe CStringArray.with(["TZ=UTC", "SWIFT_BACKTRACE=enable=no"]) { envp in
        unsafe posix_spawn(&identifier, path, &actions, &attributes, argv, envp)
      }
    }
    guard result == 0 else { throw FileAccess.failure(result, "cannot start \(path)", .unavailable) }
  }

  deinit {
    guard !isEnded else { return }
    kill(identifier, SIGKILL)
    _ = waitpid(identifier, nil, 0)
    close(output)
  }

  /// Reads so many bytes of what it prints.
  func read(bytes: Int) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var rest = bytes
    while rest > 0 {
      let count = unsafe Glibc.read(output, &buffer, min(rest, buffer.count))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileAccess.failure(errno, "the answer has ended", .unavailable) }
      rest -= count
    }
  }

  /// The most that it has had resident.
  func peakKilobytes() throws -> Int {
    let status = try String(decoding: FileAccess.read("/proc/\(identifier)/status"), as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
  }

  /// Sends what Ctrl-C sends, and waits for the end: the exit status, or less than zero for the signal that ended it.
  func interrupt() -> Int32 {
    kill(identifier, SIGINT)
    // One that does not end by that ends by its pipe, and its status tells.
    close(output)
    var status: CInt = 0
    while unsafe waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    isEnded = true
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }
}
