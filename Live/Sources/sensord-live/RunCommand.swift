import ArgumentParser
import Glibc
import LiveHub
import NIOPosix
import SensordClient

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the hub until it is told to end.", usage: "sensord-live run [options]",
    discussion: """
      Paths, all for a cookie ('open') or a token ('token add'): /, /sessions,
      /overlay, /events, /ws, /hr, /metrics, /openapi.json, and what that describes.

        sensord-live run --text-file /tmp/heart-rate.txt --osc 127.0.0.1:9000
      """)

  @Option(help: ArgumentHelp("The address to listen on.", valueName: "address:port"))
  var listen = "127.0.0.1:8765"

  @Option(
    name: .customLong("host"),
    help: ArgumentHelp("Another name that it answers to, that of a proxy. May be repeated.", valueName: "name"))
  var hosts: [String] = []

  @Option(help: ArgumentHelp("Show this sensor only; otherwise one that measures.", valueName: "bluetooth-address"))
  var sensor: String?

  @Option(
    name: .customLong("text-file"),
    help: ArgumentHelp("Keep the rate in this file: digits, or a dash.", valueName: "path"))
  var textFile: String?

  @Option(
    help: ArgumentHelp(
      "Who may read that file, as for chmod: 640 for its group too; otherwise 600, you alone.", valueName: "mode"))
  var textFileMode: String?

  @Option(
    name: .customLong("osc"),
    help: ArgumentHelp(
      "Send avatar parameters (OSC over UDP); VRChat listens on 127.0.0.1:9000.", valueName: "address:port"))
  var avatar: String?

  @Option(
    help: ArgumentHelp(
      "Tell Home Assistant, through this MQTT broker; the usual port is 1883.", valueName: "host:port"))
  var mqtt: String?

  @Option(help: ArgumentHelp("The user's name at the broker.", valueName: "name"))
  var mqttUser: String?

  @Option(help: ArgumentHelp("The file with the user's password at the broker.", valueName: "path"))
  var mqttPasswordFile: String?

  @Option(help: ArgumentHelp("What the hub is called at the broker, each hub otherwise.", valueName: "name"))
  var mqttName = "sensord"

  @Option(help: ArgumentHelp("The bus of the recorder; otherwise found as by other programs.", valueName: "address"))
  var bus: String?

  @Option(name: .customLong("state"), help: ArgumentHelp("Where tokens are kept.", valueName: "folder"))
  var stateFolder: String?

  @OptionGroup var socket: SocketOption

  func validate() throws {
    if let sensor, !Self.isAddress(sensor) {
      throw ValidationError("--sensor needs a Bluetooth address, C0:FF:EE:00:00:01 for example, not '\(sensor)'")
    }
    if let host = hosts.first(where: { !Self.isHost($0) }) {
      throw ValidationError("--host needs a name alone, heart.example for example, not '\(host)'")
    }
    guard let textFileMode else { return }
    guard Self.mode(textFileMode) != nil else {
      throw ValidationError("--text-file-mode needs three octal digits, 640 for example, not '\(textFileMode)'")
    }
    guard textFile != nil else {
      throw ValidationError("--text-file-mode needs --text-file, which names the file")
    }
  }

  /// Reads octal digits, also with the 0 in front that C has.
  private static func mode(_ text: String) -> UInt32? {
    let digits = text.utf8.count == 4 && text.hasPrefix("0") ? text.dropFirst() : text[...]
    guard digits.utf8.count == 3, digits.allSatisfy({ ("0"..."7").contains($0) }) else { return nil }
    return UInt32(digits, radix: 8)
  }

  private static func isAddress(_ text: String) -> Bool {
    let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
    return pairs.count == 6 && pairs.allSatisfy { $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }
  }

  /// Whether a text can stand in the field `Host`: a name or an address, with a port or without.
  private static func isHost(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !text.contains { "/@?#*\\".contains($0) }
  }

  func run() throws {
    Descriptors.allow(2048)
    let (address, port) = try Place.parsed(listen, option: "--listen", ports: 0...65_535)
    var options = LiveServer.Options(
      address: address, port: port, stateFolder: try stateFolder ?? Places.stateFolder(),
      controlPath: socket.path ?? Places.ownSocket)
    options.hosts = hosts
    options.sensor = sensor?.uppercased()
    options.textFile = textFile
    if let mode = textFileMode.flatMap(Self.mode) { options.textFileMode = mode }
    options.avatar = try avatar.map { try Place.parsed($0, option: "--osc", ports: 1...65_535) }
    options.broker = try broker()
    options.deviceName = mqttName

    let bus = bus.map { SensordClient.Bus.address($0) } ?? .automatic
    let recorder = RecorderArchive(bus: bus)
    options.archive = { question, application, tell in
      Task { tell(await recorder.answer(question, as: application)) }
    }

    // Blocked before there are threads, so that they end the program here and nowhere else.
    var ends = sigset_t()
    unsafe sigemptyset(&ends)
    for end in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&ends, end) }
    unsafe pthread_sigmask(SIG_BLOCK, &ends, nil)

    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server = try LiveServer.start(options, on: group.next()) { Terminal.complain($0) }
    Terminal.complain("listening on http://\(server.place); 'sensord-live open' prints a link")
    let feed = Feed(bus: bus, loop: group.next()) { server.handle($0) }
    feed.start()
    var signal: Int32 = 0
    unsafe sigwait(&ends, &signal)
    server.stop()
  }

  private func broker() throws(LiveFailure) -> BrokerPlace? {
    guard let mqtt else { return nil }
    let (host, port) = try Place.parsed(mqtt, option: "--mqtt", ports: 1...65_535)
    guard let mqttPasswordFile else { return BrokerPlace(host: host, port: port, user: mqttUser) }
    guard mqttUser != nil else {
      throw LiveFailure(.usage, "--mqtt-password-file needs --mqtt-user, whose password it holds")
    }
    let password = try PasswordFile.read(mqttPasswordFile)
    return BrokerPlace(host: host, port: port, user: mqttUser, password: password)
  }
}

/// An address with a port, as a person writes it: `127.0.0.1:8765`, `[::1]:8765`.
enum Place {
  static func parsed(
    _ text: String, option: String, ports: ClosedRange<Int>
  ) throws(LiveFailure) -> (address: String, port: Int) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]), ports.contains(port)
    else {
      throw LiveFailure(.usage, "\(option) needs an address and a port, 127.0.0.1:8765 for example, not '\(text)'")
    }
    var address = text[..<colon]
    if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
    return (String(address), port)
  }
}

/// A file with a password in its first line: words of a command can be read by every process of the machine.
enum PasswordFile {
  /// The longest file that is read: longer than every password of a broker.
  private static let longest = 4096

  static func read(_ path: String) throws(LiveFailure) -> String {
    guard let file = unsafe fopen(path, "re") else {
      throw LiveFailure(
        .noInput, "\(path) cannot be read: \(LiveFailure.reason(errno)); mend that, or choose another file")
    }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: longest)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
    guard !line.isEmpty, let password = String(validating: line, as: UTF8.self) else {
      throw LiveFailure(.badData, "\(path) holds no password in its first line; write one into it")
    }
    return password
  }
}

/// The limit of descriptors of the program: one for each connection, and so more than a shell usually allows.
enum Descriptors {
  /// Raises the limit to `count`, or to the greatest that the system allows.
  static func allow(_ count: rlim_t) {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < count else { return }
    limit.rlim_cur = min(count, limit.rlim_max)
    unsafe setrlimit(resource, &limit)
  }
}
