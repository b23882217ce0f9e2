import Glibc
package import NIOCore
import NIOPosix

/// The hub with its outputs and its doors, as a program starts it.
package final class LiveServer: Sendable {
  /// The options that a person may choose.
  package struct Options: Sendable {
    /// The only sensor to show; nil for any.
    package var sensor: String?
    /// The address and port for browsers and programs; port 0 for any that is free.
    var address: String
    var port: Int
    /// Further names that the hub answers to: a proxy's.
    package var hosts: [String] = []
    /// The folder in which the tokens are kept.
    var stateFolder: String
    /// The path of the hub's own socket, for those who may open it.
    var controlPath: String
    /// A file with the rate alone.
    package var textFile: String?
    /// The mode of that file, as for chmod(2).
    package var textFileMode: UInt32 = 0o600
    /// The address and port to which avatar parameters are sent.
    package var avatar: (address: String, port: Int)?
    /// The MQTT broker that receives the pulse.
    package var broker: BrokerPlace?
    /// The name of the hub at the broker.
    package var deviceName = "sensord"
    /// The recordings; nil where the hub does not show them.
    package var archive: Archive?
    var limits = Limits()

    package init(address: String, port: Int, stateFolder: String, controlPath: String) {
      self.address = address
      self.port = port
      self.stateFolder = stateFolder
      self.controlPath = controlPath
    }
  }

  private let loop: any EventLoop
  private let hub: NIOLoopBound<Hub>
  /// The address and port that the hub listens on, as in a link: `127.0.0.1:8765`.
  package let place: String
  private let channels: [any Channel]
  private let home: NIOLoopBound<HomeOutput>?
  let textFile: NIOLoopBound<TextFileOutput>?

  private init(
    loop: any EventLoop, hub: NIOLoopBound<Hub>, place: String, channels: [any Channel],
    home: NIOLoopBound<HomeOutput>?, textFile: NIOLoopBound<TextFileOutput>?
  ) {
    self.loop = loop
    self.hub = hub
    self.place = place
    self.channels = channels
    self.home = home
    self.textFile = textFile
  }

  /// Starts everything on `loop`, from another thread; returns when the hub listens.
  ///
  /// - Parameters:
  ///   - options: The options that a person chose.
  ///   - loop: The loop on which everything runs.
  ///   - complain: Receives one line about an output that fails; the others go on.
  /// - Returns: The hub, which listens.
  /// - Throws: A ``LiveFailure`` that says what to do.
  package static func start(
    _ options: Options, on loop: any EventLoop, complain: @escaping @Sendable (String) -> Void
  ) throws(LiveFailure) -> LiveServer {
    guard unsafe mkdir(options.stateFolder, 0o700) == 0 || errno == EEXIST else {
      throw LiveFailure(
        .cannotCreate,
        "\(options.stateFolder) cannot be made: \(LiveFailure.reason(errno)); choose another --state")
    }
    let file = TokenFile(path: options.stateFolder + "/tokens")
    let tokens = try file.read()
    var channels: [any Channel] = []
    do throws(LiveFailure) {
      let hub = try wait(loop.submit { NIOLoopBound(Hub(on: loop, showing: options.sensor), eventLoop: loop) })
      let web = try listen(options, tokens, hub, loop)
      channels.append(web.channel)
      let place = "\(options.address.contains(":") ? "[\(options.address)]" : options.address):\(web.port)"
      channels.append(try listenForOwners(options, hub, web.locks, file, place, loop))
      channels += try startAvatar(options, hub, loop)
      let home = try startHome(options, hub, loop, complain)
      let textFile = try startTextFile(options, hub, loop, complain)
      return LiveServer(loop: loop, hub: hub, place: place, channels: channels, home: home, textFile: textFile)
    } catch {
      for channel in channels { channel.close(promise: nil) }
      throw error
    }
  }

  /// Handles an event of the recorder.
  package func handle(_ event: RecorderEvent) {
    loop.execute { [hub] in hub.value.handle(event) }
  }

  /// Shows on every output that there is no value, then ends connections. From another thread than the loop's.
  package func stop() {
    let ends = loop.flatSubmit { [hub, channels, home, textFile, loop] in
      hub.value.handle(.lost)
      let outputs = [home?.value.close(), textFile?.value.close()].compactMap(\.self)
      return EventLoopFuture.andAllComplete(channels.map { $0.close() } + outputs, on: loop)
    }
    try? ends.wait()
  }

  private struct Web {
    var channel: any Channel
    var port: Int
    var locks: NIOLoopBound<Locks>
  }

  private static func listen(
    _ options: Options, _ tokens: TokenList, _ hub: NIOLoopBound<Hub>, _ loop: any EventLoop
  ) throws(LiveFailure) -> Web {
    let address: SocketAddress
    do {
      address = try SocketAddress(ipAddress: options.address, port: options.port)
    } catch {
      throw LiveFailure(.usage, "'\(options.address)' is no IP address to listen on; the usual one is 127.0.0.1")
    }
    do {
      let bound = try loop.submit {
        let metrics = MetricsOutput()
        hub.value.attach(metrics)
        let locks = Locks(hosts: HostRule(port: options.port, hosts: options.hosts), tokens: tokens)
        let router = Router(hub: hub.value, locks: locks, metrics: metrics, archive: options.archive)
        return (
          NIOLoopBound(WebServer(router, options.limits), eventLoop: loop), NIOLoopBound(locks, eventLoop: loop)
        )
      }.wait()
      let channel = try loop.flatSubmit { bound.0.value.listen(on: address) }.wait()
      let port = channel.localAddress?.port ?? options.port
      try loop.submit { bound.1.value.hosts = HostRule(port: port, hosts: options.hosts) }.wait()
      return Web(channel: channel, port: port, locks: bound.1)
    } catch {
      throw LiveFailure(
        .unavailable,
        "\(options.address) port \(options.port) cannot be listened on: \(reason(error)); choose another with --listen")
    }
  }

  private static func listenForOwners(
    _ options: Options, _ hub: NIOLoopBound<Hub>, _ locks: NIOLoopBound<Locks>, _ file: TokenFile, _ place: String,
    _ loop: any EventLoop
  ) throws(LiveFailure) -> any Channel {
    let path = options.controlPath
    if let folder = path.lastIndex(of: "/").map({ path[..<$0] }) { _ = unsafe mkdir(String(folder), 0o700) }
    do {
      let control = try loop.submit {
        NIOLoopBound(Control(hub: hub.value, locks: locks.value, file: file, address: place), eventLoop: loop)
      }.wait()
      let channel = try ServerBootstrap(group: loop)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ControlHandler(control.value))
          }
        }
        .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).wait()
      // The mode of the folder decides who else may connect.
      guard unsafe chmod(path, 0o660) == 0 else { throw IOError(errnoCode: errno, reason: "chmod") }
      return channel
    } catch {
      throw LiveFailure(.cannotCreate, "the socket \(path) cannot be made: \(reason(error)); choose another --socket")
    }
  }

  private static func startTextFile(
    _ options: Options, _ hub: NIOLoopBound<Hub>, _ loop: any EventLoop,
    _ complain: @escaping @Sendable (String) -> Void
  ) throws(LiveFailure) -> NIOLoopBound<TextFileOutput>? {
    guard let path = options.textFile else { return nil }
    let file = DraftedFile(path: path, mode: mode_t(options.textFileMode))
    return try wait(
      loop.submit {
        let output = TextFileOutput(file, on: loop, complain: complain)
        hub.value.attach(output)
        return NIOLoopBound(output, eventLoop: loop)
      })
  }

  private static func startAvatar(
    _ options: Options, _ hub: NIOLoopBound<Hub>, _ loop: any EventLoop
  ) throws(LiveFailure) -> [any Channel] {
    guard let avatar = options.avatar else { return [] }
    let address: SocketAddress
    do {
      address = try SocketAddress(ipAddress: avatar.address, port: avatar.port)
    } catch {
      throw LiveFailure(.usage, "'\(avatar.address)' is no IP address to send to; the usual one is 127.0.0.1")
    }
    do {
      let channel = try DatagramBootstrap(group: loop).bind(
        host: address.protocol == .inet6 ? "::" : "0.0.0.0", port: 0
      ).wait()
      loop.execute { hub.value.attach(OSCOutput(channel, to: address)) }
      return [channel]
    } catch {
      throw LiveFailure(.unavailable, "nothing can be sent over UDP: \(reason(error)); leave --osc out")
    }
  }

  private static func startHome(
    _ options: Options, _ hub: NIOLoopBound<Hub>, _ loop: any EventLoop,
    _ complain: @escaping @Sendable (String) -> Void
  ) throws(LiveFailure) -> NIOLoopBound<HomeOutput>? {
    guard let broker = options.broker else { return nil }
    guard let device = HomeDevice(name: options.deviceName) else {
      throw LiveFailure(.usage, "--mqtt-name has 1 to 40 of the ASCII letters, digits, '_' and '-'")
    }
    return try wait(
      loop.submit {
        let output = HomeOutput(device, at: broker, on: loop, complain: complain)
        hub.value.attach(output)
        output.start()
        return NIOLoopBound(output, eventLoop: loop)
      })
  }

  private static func wait<Value: Sendable>(_ future: EventLoopFuture<Value>) throws(LiveFailure) -> Value {
    do {
      return try future.wait()
    } catch {
      throw LiveFailure(.unavailable, reason(error))
    }
  }

  private static func reason(_ error: any Error) -> String {
    if let error = error as? IOError { return LiveFailure.reason(error.errnoCode) }
    return "\(error)"
  }
}

/// The limits of what strangers may use of the hub.
struct Limits: Sendable {
  /// Connections at a time; further ones are closed at once.
  var connections = 1000
  /// The time that a connection has for a request, and may stay without one.
  var requestTime: TimeAmount = .seconds(10)
  /// The time for which a stream may accept nothing of the messages that wait.
  var stallTime: TimeAmount = .seconds(30)
  /// Messages that wait for a slow reader; with more the oldest go.
  var waitingMessages = 32
  /// Bytes of a request's header fields, and fields.
  var headerBytes = 16 * 1024
  var headerFields = 64
  /// Bytes of a message, and of a frame, that a WebSocket's client may send.
  var messageBytes = 4096
  /// Frames that one message may be cut into.
  var fragments = 16
}

/// A failure of the hub as one line for a person: what failed, why, and what to do.
package struct LiveFailure: Error, Hashable, Sendable {
  /// Codes of `sysexits.h`.
  package enum Status: Int32, Sendable {
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
  }

  package var status: Status
  package var message: String

  package init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }

  /// The system's text for an error.
  package static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
