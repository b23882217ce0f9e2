import Glibc
import Synchronization

/// A real `dbus-daemon` for one test: its own socket, everything allowed. Killed and cleaned up when the object goes.
public final class PrivateBus: Sendable {
  /// Why there is no bus.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Folder that only this bus uses; gone with it.
  public let directory: String
  /// What clients connect to; the same after a restart.
  public let address: String
  private let process = Mutex<pid_t?>(nil)

  /// Starts a bus and returns when it listens.
  ///
  /// - Throws: ``Failure``, when `dbus-daemon` is not installed for example.
  public init() throws {
    var template = Array("/tmp/sensord-bus-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Failure(description: "no temporary folder") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    address = "unix:path=\(directory)/bus"
    try writeConfiguration()
    try start()
  }

  deinit {
    kill()
    for name in ["bus", "bus.conf"] { unsafe unlink("\(directory)/\(name)") }
    unsafe rmdir(directory)
  }

  /// Kills the daemon in the middle of whatever it does, and returns when it is gone.
  public func kill() {
    process.withLock { process in
      guard let identifier = process.take() else { return }
      Glibc.kill(identifier, SIGKILL)
      waitpid(identifier, nil, 0)
      // The next one could not listen there.
      _ = unsafe unlink("\(directory)/bus")
    }
  }

  /// Starts the daemon again after ``kill()``, at the same address.
  ///
  /// - Throws: ``Failure``.
  public func start() throws {
    try process.withLock { process in
      guard process == nil else { return }
      process = try spawn()
    }
  }

  private func writeConfiguration() throws {
    let text = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>\(address)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
        <limit name="max_replies_per_connection">50000</limit>
        <limit name="max_completed_connections">200</limit>
      </busconfig>
      """
    guard let file = unsafe fopen("\(directory)/bus.conf", "w") else {
      throw Failure(description: "the configuration of the bus cannot be written")
    }
    unsafe fputs(text, file)
    unsafe fclose(file)
  }

  /// Starts the daemon and waits until it has printed its address.
  private func spawn() throws -> pid_t {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
    defer { close(ends[0]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    unsafe posix_spawn_file_actions_addclose(&actions, ends[0])
    unsafe posix_spawn_file_actions_addclose(&actions, ends[1])
    // Signals that a test has blocked must not be blocked in the daemon.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    let words = ["dbus-daemon", "--config-file=\(directory)/bus.conf", "--nofork", "--nopidfile", "--print-address=1"]
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
    var identifier: pid_t = 0
    let result = unsafe posix_spawnp(&identifier, "dbus-daemon", &actions, &attributes, &arguments, environ)
    close(ends[1])
    guard result == 0 else {
      throw Failure(description: "dbus-daemon does not start: \(unsafe String(cString: strerror(result)))")
    }
    var byte: UInt8 = 0
    while unsafe read(ends[0], &byte, 1) == 1 {
      if byte == UInt8(ascii: "\n") { return identifier }
    }
    waitpid(identifier, nil, 0)
    throw Failure(description: "dbus-daemon ended at its start")
  }
}
