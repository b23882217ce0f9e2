import ArgumentParser
import Glibc
import LiveHub

struct LiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sensord-live",
    abstract: "Shows the heart rate that sensord records: in a browser, and to other programs.",
    discussion: """
      Reads from the recorder over D-Bus, as the application org.sensord.Live, which the recorder's owner has to allow:
        sensord grants allow org.sensord.Live@UID --read heartRate,heartbeatSeries

      'sensord-live run' listens on this machine alone. 'sensord-live open' prints a link that opens its page once.
      """,
    subcommands: [RunCommand.self, OpenCommand.self, TokenCommand.self])
}

struct OpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Print a link that opens the page of the running hub once.",
    discussion: """
      The link works for two minutes and for one browser, which then may look for 30 days, or until the hub ends.

        xdg-open "$(sensord-live open)"
      """)

  @OptionGroup var socket: SocketOption

  func run() throws {
    Terminal.print(try ControlClient(socket.path).ask("open"))
  }
}

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Let programs and overlays read without a person.",
    subcommands: [Add.self, List.self, Revoke.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Print a new token, which is shown this once.",
      discussion: """
        A program sends it as 'Authorization: Bearer TOKEN', or, where it cannot, with the address: ?token=TOKEN.

          token=$(sensord-live token add shell)
          curl -H "Authorization: Bearer $token" http://127.0.0.1:8765/hr
        """)
    @Argument(help: "What it is for: 1 to 40 letters, digits, '.', '_' and '-'.") var name: String
    @OptionGroup var socket: SocketOption

    func run() throws {
      try TokenName.check(name)
      Terminal.print(try ControlClient(socket.path).ask("add \(name)"))
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Print the names of all tokens.")
    @OptionGroup var socket: SocketOption

    func run() throws {
      let names = try ControlClient(socket.path).ask("list")
      if !names.isEmpty { Terminal.print(names) }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Take a token back: no request with it is answered from now on.")
    @Argument(help: "The name it was given.") var name: String
    @OptionGroup var socket: SocketOption

    func run() throws {
      try TokenName.checkExisting(name)
      _ = try ControlClient(socket.path).ask("revoke \(name)")
    }
  }
}

struct SocketOption: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp("The hub's own socket; otherwise yours, or that of the service.", valueName: "path"))
  var path: String?
}

/// Asks a running hub over its own socket.
struct ControlClient {
  private let paths: [String]

  init(_ path: String?) {
    paths = path.map { [$0] } ?? Places.sockets
  }

  /// Returns the answer, without the end of the last line.
  func ask(_ line: String) throws(LiveFailure) -> String {
    let descriptor = try connected()
    defer { close(descriptor) }
    let bytes = Array((line + "\n").utf8)
    guard unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { throw silence }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw silence }
      if count == 0 { break }
      answer += buffer[..<count]
    }
    let lines = String(decoding: answer, as: UTF8.self).split(separator: "\n").map(String.init)
    switch lines.first {
    case "ok": return lines.dropFirst().joined(separator: "\n")
    case "error" where lines.count == 3:
      throw LiveFailure(Int32(lines[1]).flatMap(LiveFailure.Status.init) ?? .unavailable, lines[2])
    default: throw silence
    }
  }

  private var silence: LiveFailure { LiveFailure(.unavailable, "the hub ended before it answered; start it again") }

  private func connected() throws(LiveFailure) -> Int32 {
    var code = ENOENT
    for path in paths {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { continue }
      if Self.connect(descriptor, to: path) { return descriptor }
      // A reason that a person can remove is worth more than a socket that does not exist.
      if errno != ENOENT { code = errno }
      close(descriptor)
    }
    let places = paths.joined(separator: " or ")
    throw switch code {
    case EACCES:
      LiveFailure(
        .unavailable,
        "you may not use the hub's socket; join its group (sudo usermod -aG sensord-live $USER) and log in again")
    case ENOENT, ECONNREFUSED:
      LiveFailure(.unavailable, "no hub runs at \(places); start 'sensord-live run'")
    default: LiveFailure(.unavailable, "the hub at \(places) cannot be reached: \(LiveFailure.reason(code))")
    }
  }

  private static func connect(_ descriptor: Int32, to path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      errno = ENAMETOOLONG
      return false
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}

/// The places of the hub's files: the service's folders, or those of the person who runs it.
enum Places {
  private static let serviceSocket = "/run/sensord-live/control"

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The socket of a hub that is started here.
  static var ownSocket: String {
    if let folder = variable("RUNTIME_DIRECTORY") { return "\(folder)/control" }
    return variable("XDG_RUNTIME_DIR").map { "\($0)/sensord-live/control" } ?? "/tmp/sensord-live-\(getuid())/control"
  }

  /// The sockets on which a running hub may be found, the person's own first.
  static var sockets: [String] { [ownSocket, serviceSocket] }

  static func stateFolder() throws(LiveFailure) -> String {
    if let folder = variable("STATE_DIRECTORY") { return folder }
    if let folder = variable("XDG_STATE_HOME") { return "\(folder)/sensord-live" }
    guard let home = variable("HOME") else {
      throw LiveFailure(.usage, "there is no HOME to keep tokens in; name a folder with --state")
    }
    return "\(home)/.local/state/sensord-live"
  }
}
