import RecorderBus
import DBus
public import HealthModel
import Synchronization

/// A program's way to the recorder on this machine, over D-Bus: HealthKit's shape on Linux.
///
/// ```swift
/// let client = try await SensordClient.connect(application: "org.example.Game")
/// try await client.requestAuthorization(toShare: [.heartbeatSeries], read: [.quantity(.heartRate)])
/// for try await value in client.liveValues() { … }
/// ```
///
/// The recorder's owner decides what a program may do, and a program cannot find out whether it may read: where it may
/// not, there is nothing. A client has one thread of its own, which sleeps while nothing happens.
///
/// Bus and recorder may end and come back. A call that was under way then throws ``ClientError/interrupted``, and the
/// next one goes to the recorder that is there; live values and live queries report that they were interrupted and go
/// on by themselves.
public final class SensordClient: Sendable {
  /// The name under which the owner's decisions about this program are stored.
  public let application: String
  /// For calls.
  let link: Link
  let observation: Observation
  let signals: Signals
  let bus: Bus
  /// The connections of live streams.
  private let streams = Mutex<[ObjectIdentifier: Link]>([:])

  /// On which bus the recorder is looked for.
  public enum Bus: Hashable, Sendable {
    /// A person's own recorder on the session bus if there is one, else the service on the system bus.
    case automatic
    /// The service's bus.
    case system
    /// The bus of the person's session.
    case session
    /// A bus by its address, as `dbus-daemon --print-address` writes it.
    case address(String)
  }

  init(_ link: Link, _ bus: Bus, _ signals: Signals) {
    self.link = link
    self.bus = bus
    self.signals = signals
    application = link.application ?? ""
    observation = Observation(application: link.application, bus: bus, loop: link.loop)
  }

  deinit {
    let (link, observation) = (link, observation)
    Task(executorPreference: link.loop) { await Self.end(link, observation) }
  }

  /// Connects to the recorder, and identifies this program.
  ///
  /// - Parameters:
  ///   - bus: The bus of the recorder.
  ///   - application: 1 to 100 of the ASCII letters, digits, `.`, `_` and `-`, the first a letter: `org.example.Game`.
  /// - Returns: The client, which the recorder knows.
  /// - Throws: ``ClientError/noBus(_:)``, ``ClientError/notRunning``, ``ClientError/invalidApplication``, and others.
  @concurrent public static func connect(
    to bus: Bus = .automatic, application: String
  ) async throws(ClientError) -> SensordClient {
    let loop: EventLoop
    do throws(DBusError) {
      loop = try EventLoop.startThread(named: "sensord client")
    } catch {
      throw ClientError(error)
    }
    let signals = Signals()
    let link = Link(application: application, bus: bus, loop: loop) { signals.note($0) }
    let client = SensordClient(link, bus, signals)
    _ = try await link.open()
    return client
  }

  /// Ends everything: calls, live values and live queries throw ``ClientError/closed`` from now on.
  public func close() async {
    await observation.close()
    await link.close()
    signals.tell()
    for stream in streams.withLock({ Array($0.values) }) { await stream.close() }
  }

  /// Does `body` with a connection of its own, to which `events` belong, and closes it.
  func withStream(
    _ events: @escaping @Sendable (Link.Event) -> Void, _ body: @Sendable (Link) async -> Void
  ) async {
    let stream = Link(application: link.application, bus: bus, loop: link.loop, events: events)
    streams.withLock { $0[ObjectIdentifier(stream)] = stream }
    // A client that was closed meanwhile has not closed this one.
    if await !link.isClosed { await body(stream) }
    await stream.close()
    streams.withLock { $0[ObjectIdentifier(stream)] = nil }
  }

  private static func end(_ link: Link, _ observation: Observation) async {
    await observation.close()
    await link.close()
    // An owner lives on a loop of its own program.
    if link.application != nil { link.loop.stop() }
  }
}

/// A sensor that the recorder records.
public struct ClientSensor: Hashable, Sendable {
  /// Its Bluetooth address: `C0:FF:EE:00:00:01`.
  public var address: String
  /// The name that its owner gave it, or that it advertises; nil if it has none. The text comes from the sensor: escape
  /// it before it is shown.
  public var name: String?
  /// The sensor's state, in the words of `sensord status`: `measuring`, `absent` for example. A later version may have
  /// more.
  public var state: String
  /// The battery's level in percent; nil where the sensor has not reported it.
  public var battery: UInt8?
  /// The beginning of its open session, by the wall clock of now; nil where none is open.
  public var sessionStart: Timestamp?
}

extension SensordClient {
  /// The sensors that are recorded; none for a program that may read neither rates nor beats.
  @concurrent public func sensors() async throws(ClientError) -> [ClientSensor] {
    let answer = try await link.call(ClientInterfaces.manager, "ListSensors")
    return (answer.first?.array ?? []).compactMap { value in
      guard let properties = value.properties, let address = properties["address"]?.string else { return nil }
      return ClientSensor(
        address: address, name: properties["name"]?.string, state: properties["state"]?.string ?? "",
        battery: properties["battery"]?.byte,
        sessionStart: properties["session_us"]?.int64.map { Timestamp(microseconds: $0) })
    }
  }
}
