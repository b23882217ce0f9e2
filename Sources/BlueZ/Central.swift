public import DBus

/// BlueZ as sensord uses it: mirrors its objects, and keeps the notifications of followed devices coming.
///
/// Lives on the event loop: its executor is the loop, and `events` is called there, synchronously and in the order in
/// which things happened, so an owner on the same loop uses `assumeIsolated` in both directions. The events of a
/// command are published after the command has returned. A central survives every restart of bluetoothd and ends with
/// the loss of the bus.
///
/// The owner decides which device to connect, and when; the central does not.
public actor Central {
  /// A device as one adapter reaches it.
  struct Peer: Hashable, Sendable {
    var address: DeviceAddress
    var adapter: AdapterPath
  }

  /// A Connect that has not been answered.
  struct Attempt {
    /// By which its answer finds it; one that comes too late finds none.
    let generation: Int
    /// Its link was published already.
    var isAnswered = false
    /// Not yet called: a scan of ours has to end before.
    var isDeferred = false
  }

  struct Follow {
    /// Tells this follow from earlier ones of the same device when an answer comes late.
    let generation: Int
    var link = FollowedLink()
    var socket: NotificationSocket?
    var watch: WatchToken?
    /// The level that was published last for this link.
    var battery: UInt8?
  }

  let connection: Connection
  let configuration: CentralConfiguration
  let sink: @Sendable (Event) -> Void

  var tree = ObjectTree()
  var trace = SerialTrace()
  var attempts: [Peer: Attempt] = [:]
  /// Peers whose link was published, and not yet its end.
  var linked: Set<Peer> = []
  /// Peers whose services were published.
  var resolved: Set<Peer> = []
  /// Peers whose link this central made.
  var ours: Set<Peer> = []
  /// The links that an earlier central left, until the objects have been read for the first time.
  var inherited: OwnLinks?
  var reasons: [Peer: DisconnectReason] = [:]
  var follows: [Peer: Follow] = [:]
  /// Calls of Pair that have not been answered.
  var pairings: [Peer: Task<Result<Void, DBusError>, Never>] = [:]
  var discoveries: [AdapterPath: (machine: Discovery, generation: Int)] = [:]
  /// Adapters whose filters were asked for.
  var asked: Set<AdapterPath> = []
  var lastGeneration = 0
  /// The bus's policy refused the last question for the objects.
  var isDenied = false
  private var observer: Connection.ObserverToken?
  private var commandDepth = 0
  private var outbox: [Event] = []
  private(set) var isStopped = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.loop.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - connection: An open connection; it stays the owner's, who closes it after ``stop()``.
  ///   - configuration: The characteristics to look for in each followed device.
  ///   - events: Called on the loop's thread.
  public init(
    on connection: Connection, configuration: CentralConfiguration, events: @escaping @Sendable (Event) -> Void
  ) {
    self.connection = connection
    self.configuration = configuration
    inherited = configuration.inherited
    sink = events
  }

  /// Adds the match rules and mirrors what is there. ``Event/serviceAppeared`` follows, now or when bluetoothd starts; nothing
  /// that is called here starts it.
  ///
  /// - Throws: The bus's error; ``DBusError/isAccessDenied`` if its policy forbids to listen.
  public func start() async throws(DBusError) {
    observer = await connection.observeSignals { [weak self] message in
      self?.assumeIsolated { $0.receive(message) }
    }
    await connection.onDisconnect { [weak self] _ in
      self?.assumeIsolated { $0.loseBus() }
    }
    for rule in Self.rules { try await connection.addMatch(rule) }
    apply(tree.setOwner(try await connection.nameOwner(of: "org.bluez")))
  }

  /// Before anything is asked, so that no change is missed.
  private static let rules: [MatchRule] = {
    let properties = [
      ObjectTree.adapterInterface, ObjectTree.deviceInterface, ObjectTree.batteryInterface,
      ObjectTree.characteristicInterface,
    ].map { interface in
      MatchRule(
        sender: "org.bluez", interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
        pathNamespace: "/org/bluez", firstArgument: interface)
    }
    return properties + [
      MatchRule(sender: "org.bluez", interface: "org.freedesktop.DBus.ObjectManager"),
      MatchRule(sender: "org.bluez", interface: ObjectTree.deviceInterface, member: "Disconnected"),
      MatchRule(
        sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
        firstArgument: "org.bluez"),
    ]
  }()

  /// Whether bluetoothd runs, as far as the bus has reported.
  public var isServiceRunning: Bool { tree.owner != nil }

  /// The devices that BlueZ knows now.
  public var devices: [Device] { tree.devices.values.sorted { $0.path < $1.path } }

  /// The adapters that are there now.
  public var adapters: [Adapter] { tree.adapters.values.sorted { $0.path < $1.path } }

  /// The links that this central has made, or inherited; nil while there is no bluetoothd.
  public var ownLinks: OwnLinks? {
    tree.owner.map { OwnLinks(service: $0, links: Set(ours.map { OwnLinks.Link($0.address, over: $0.adapter) })) }
  }

  /// Hands an event to the owner, later where it is just calling a command.
  func publish(_ event: Event) {
    if commandDepth > 0 || !outbox.isEmpty {
      outbox.append(event)
    } else {
      sink(event)
    }
  }

  /// Carries out a command; its events are published afterwards.
  func command<Result>(_ body: () -> Result) -> Result {
    commandDepth += 1
    defer {
      commandDepth -= 1
      if commandDepth == 0, !outbox.isEmpty {
        connection.loop.execute { [weak self] in self?.assumeIsolated { $0.flush() } }
      }
    }
    return body()
  }

  private func flush() {
    while !outbox.isEmpty {
      let events = outbox
      outbox = []
      for event in events { sink(event) }
    }
  }

  /// Ends everything: subscriptions, discovery, and the links that are ours and of no use to other programs. Returns when BlueZ
  /// has confirmed, or not within 15 s. No event is published any more.
  public func stop() async {
    guard !isStopped else { return }
    isStopped = true
    if let observer { await connection.removeObserver(observer) }
    /// Links of ours that end with us.
    let unused = ours.filter { !isUsedElsewhere($0) }
    var calls: [Message] = []
    /// Devices of which others may be notified by signals, too: that shows once ours are over.
    var shared: [Peer: Message] = [:]
    for (peer, follow) in follows {
      var link = follow.link
      for case .stopNotify(let path) in link.subscription.cancel() {
        calls += message(path.object, ObjectTree.characteristicInterface, "StopNotify").map { [$0] } ?? []
        shared[peer] = message(
          path.object, "org.freedesktop.DBus.Properties", "Get",
          [.string(ObjectTree.characteristicInterface), .string("Notifying")])
      }
      close(peer)
    }
    for peer in unused.union(attempts.keys).subtracting(shared.keys) where unused.contains(peer) || !ours.contains(peer)
    {
      calls += disconnection(of: peer).map { [$0] } ?? []
    }
    for (adapter, discovery) in discoveries where discovery.machine.isActive {
      calls += message(adapter.object, ObjectTree.adapterInterface, "StopDiscovery").map { [$0] } ?? []
    }
    follows = [:]
    await callAll(calls)
    var last: [Message] = []
    for (peer, question) in shared where unused.contains(peer) {
      let answer = try? await connection.call(question, timeout: .seconds(5))
      guard answer?.body.first?.boolean != true else { continue }
      last += disconnection(of: peer).map { [$0] } ?? []
    }
    await callAll(last)
  }

  /// Whether another program is notified by this device, as far as the mirror shows.
  private func isUsedElsewhere(_ peer: Peer) -> Bool {
    guard let device = tree.device(peer.address, on: peer.adapter) else { return false }
    let subscription = follows[peer]?.link.subscription
    return tree.characteristics[device.path]?.values.contains { characteristic in
      guard characteristic.isNotifying || characteristic.isNotifyAcquired else { return false }
      return characteristic.path != subscription?.characteristic || subscription?.isElsewhere == true
    } ?? false
  }

  private func disconnection(of peer: Peer) -> Message? {
    guard let device = tree.device(peer.address, on: peer.adapter) else { return nil }
    return message(device.path.object, ObjectTree.deviceInterface, "Disconnect")
  }

  /// Calls all of them at once, and returns when all are answered, or not within 5 s.
  private func callAll(_ calls: [Message]) async {
    guard !calls.isEmpty else { return }
    let connection = connection
    await withCheckedContinuation { continuation in
      let barrier = Barrier(calls.count) { continuation.resume() }
      connection.assumeIsolated { connection in
        for call in calls { connection.call(call, timeout: .seconds(5)) { _ in barrier.arrive() } }
      }
    }
  }
}

/// The characteristics that a ``Central`` looks for in each followed device.
public struct CentralConfiguration: Hashable, Sendable {
  /// The characteristic whose notifications are wanted.
  public var notifying: BluetoothUUID
  /// Characteristics read once after each link came up, in this order; missing and refused ones are left out.
  public var readOnce: [BluetoothUUID]
  /// Links that an earlier central made and left: where they are up when the service is first seen, they are this central's.
  public var inherited: OwnLinks?
  /// A bluetoothd that has not answered with its objects after this is silent. One that starts with many devices takes a second.
  public var answerLimit = Duration.seconds(5)

  public init(notifying: BluetoothUUID, readOnce: [BluetoothUUID] = [], inherited: OwnLinks? = nil) {
    self.notifying = notifying
    self.readOnce = readOnce
    self.inherited = inherited
  }
}

/// The links that a central has made, as it leaves them to a central after it: one that was killed cannot end them.
///
/// They are the next central's only while it is certain that they are still the same links. BlueZ gives a link no name, so
/// that is the owner's to judge: the same bluetoothd, and so little time that nobody else can have made them anew.
public struct OwnLinks: Hashable, Sendable {
  /// One link: a device over an adapter.
  public struct Link: Hashable, Sendable {
    public let device: DeviceAddress
    public let adapter: AdapterPath

    public init(_ device: DeviceAddress, over adapter: AdapterPath) {
      self.device = device
      self.adapter = adapter
    }
  }

  /// The unique bus name of the bluetoothd that holds them: another one has other links.
  public let service: String
  public let links: Set<Link>

  public init(service: String, links: Set<Link>) {
    self.service = service
    self.links = links
  }
}
