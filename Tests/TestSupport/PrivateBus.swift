import Glibc
import Synchronization

/// A real `dbus-daemon` for one test: its own socket, everything allowed. Killed and cleaned up when the object goes, and
/// also when the process of the test does, however it ends.
public final class PrivateBus: Sendable {
  /// Why there is no bus.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Folder that only this bus uses; gone with it.
  public let directory: String
  /// What clients connect to; the same after a restart.
  public let address: String
  private let guardian = Mutex<Guardian?>(nil)
  private let environment: [String: String]?

  /// The shell that starts the daemon and kills it: told so by a line on `channel`, or by its end when the test is no more.
  private struct Guardian {
    var process: StartedProgram
    var channel: Int32

    static let script = """
      dbus-daemon --config-file="$0/bus.conf" --nofork --nopidfile --print-address=1 </dev/null 2>"$0/log" &
      daemon=$!
      exec >/dev/null
      read -r word; told=$?
      # The shell would tell that it was killed.
      { kill -9 $daemon; wait $daemon; } 2>/dev/null
      rm -f "$0/bus"
      if [ $told != 0 ]; then cat "$0/log" >&2; rm -f "$0/bus.conf" "$0/log"; rmdir "$0"; fi
      """
  }

  /// Starts a bus and returns when it listens.
  ///
  /// - Parameters:
  ///   - environment: The daemon's; the test's own where it is nil.
  ///   - rules: Rules of its policy besides that everything is allowed.
  /// - Throws: ``Failure``, when `dbus-daemon` is not installed for example.
  public convenience init(environment: [String: String]? = nil, rules: String = "") throws {
    try self.init(environment: environment, policies: Self.allowing(rules))
  }

  /// A policy that allows everything, but for these rules.
  private static func allowing(_ rules: String = "") -> String {
    """
    <policy context="default">
      <allow send_destination="*" eavesdrop="true"/>
      <allow eavesdrop="true"/>
      <allow own="*"/>
      \(rules)
    </policy>
    """
  }

  /// Starts a bus with the policies of a system bus, which allow no calls and no names, and with these.
  ///
  /// - Throws: ``Failure``.
  public convenience init(systemPolicies policies: String) throws {
    try self.init(
      environment: nil,
      policies: """
        <policy context="default">
          <allow user="*"/>
          <deny own="*"/>
          <deny send_type="method_call"/>
          <allow send_type="signal"/>
          <allow send_requested_reply="true" send_type="method_return"/>
          <allow send_requested_reply="true" send_type="error"/>
          <allow receive_type="method_call"/>
          <allow receive_type="method_return"/>
          <allow receive_type="error"/>
          <allow receive_type="signal"/>
          <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
        </policy>
        \(policies)
        """)
  }

  private init(environment: [String: String]?, policies: String) throws {
    self.environment = environment
    var template = Array("/tmp/sensord-bus-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Failure(description: "no temporary folder") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    address = "unix:path=\(directory)/bus"
    try write(policies)
    try start()
  }

  deinit {
    kill()
    for name in ["bus", "bus.conf", "log"] { unsafe unlink("\(directory)/\(name)") }
    unsafe rmdir(directory)
  }

  /// Kills the daemon in the middle of whatever it does, and returns when it is gone.
  public func kill() {
    guardian.withLock { guardian in
      guard let running = guardian.take() else { return }
      _ = unsafe send(running.channel, "kill\n", 5, Int32(MSG_NOSIGNAL))
      running.process.wait()
      close(running.channel)
    }
  }

  /// Starts the daemon again after ``kill()``, at the same address.
  ///
  /// - Throws: ``Failure``.
  public func start() throws {
    try guardian.withLock { guardian in
      if guardian == nil { guardian = try spawn() }
    }
  }

  /// Everything is allowed as soon as the bus reads its configuration again.
  ///
  /// - Throws: ``Failure``.
  public func allowAll() throws { try write(Self.allowing()) }

  private func write(_ policies: String) throws {
    let text = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>\(address)</listen>
        <auth>EXTERNAL</auth>
        \(policies)
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
  private func spawn() throws -> Guardian {
    var output: [Int32] = [-1, -1]
    guard unsafe pipe(&output) == 0 else { throw Failure(description: "no pipe") }
    defer { close(output[0]) }
    var channel: [Int32] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &channel) == 0 else {
      close(output[1])
      throw Failure(description: "no socket")
    }
    // Another program that the test starts must not hold the channel open.
    for descriptor in output + channel { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    let started = Result {
      try StartedProgram(
        "sh", ["-c", Guardian.script, directory], environment: environment, input: channel[1], output: output[1],
        errors: STDERR_FILENO)
    }
    close(channel[1])
    close(output[1])
    let process: StartedProgram
    do {
      process = try started.get()
    } catch {
      close(channel[0])
      throw error
    }
    var byte: UInt8 = 0
    while unsafe read(output[0], &byte, 1) == 1 {
      if byte == UInt8(ascii: "\n") { return Guardian(process: process, channel: channel[0]) }
    }
    close(channel[0])
    process.wait()
    throw Failure(description: "dbus-daemon is not installed, or ended at its start")
  }
}
