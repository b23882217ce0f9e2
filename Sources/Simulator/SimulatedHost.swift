import Support

/// The whole simulated host as a value: straps in the air, adapters, and a bluetoothd that drives them.
///
/// Inputs come with their time; the result is what is to be done on the bus, in order. The host reads no clock and performs
/// nothing itself. It behaves as BlueZ 5.66 was observed to behave, faults included.
struct SimulatedHost {
  /// Whether bluetoothd runs.
  enum Daemon {
    case running, frozen, absent
  }

  /// The durations of steps. "Measured" means against the real bluetoothd (UML, virtual controller).
  enum Delay {
    /// Advertisements heard until the link is up (measured 3.2 at 100 and 500 ms).
    static let advertisementsPerLink = 3.2
    /// One request with its response over the air.
    static let exchange = Duration.milliseconds(30)
    /// Discovery of services that BlueZ does not know yet.
    static let discovery = Duration.milliseconds(180)
    /// Verification that the services are the known ones.
    static let verification = Duration.milliseconds(60)
    /// From a value's arrival in bluetoothd to its signal; a link lost in between loses the value (measured 1 to 3 ms).
    static let emission = Duration.milliseconds(3)
    /// Timeout of a Connect to a strap that does not advertise (measured 40.2 s).
    static let connectTimeout = Duration.milliseconds(40_200)
    /// Failure of a Connect on an adapter without free links (measured 4.1 s).
    static let noRoom = Duration.milliseconds(4_100)
    /// From Disconnect to the end of the link.
    static let disconnect = Duration.seconds(2)
    /// From RemoveDevice of a connected device to the end of the link (measured 2.3 s).
    static let removal = Duration.milliseconds(2_300)
    /// From the death of bluetoothd until the kernel drops its links.
    static let orphanedLink = Duration.seconds(2)
    /// From the last use of an unpaired device to its removal.
    static let expiry = Duration.seconds(30)
    /// From the death of bluetoothd to its next start by systemd or the bus.
    static let restart = Duration.seconds(1)
    /// From bluetoothd's name to its adapters.
    static let adapterAfterStart = Duration.milliseconds(200)
    /// From plugging in an adapter to its object, and from there to its power.
    static let plug = Duration.milliseconds(300)
    static let power = Duration.milliseconds(500)
    /// Pairing, once allowed.
    static let pairing = Duration.milliseconds(200)
  }

  /// The ATT MTU that BlueZ requests and the straps grant.
  static let mtu: UInt16 = 517

  let scenario: Scenario
  private(set) var now = SimulationInstant.start
  var agenda = Agenda<Occasion>()
  var effects: [LinkEffect] = []
  var random: SplitMix64

  var straps: [Strap]
  var adapters: [SimulatedAdapter] = []
  var machinePosition = 0

  var daemon = Daemon.running
  /// Events that a frozen bluetoothd has not handled yet.
  var backlog: [DaemonEvent] = []
  var agents: [Agent] = []
  /// Questions to an agent, each with its device.
  var questions: [UInt64: (device: DeviceKey, link: Int)] = [:]
  /// Calls of the other client that wait for an answer.
  var foreignCalls: [CallToken: String] = [:]
  var lastNumber: UInt64 = 0

  /// A client's pairing agent.
  struct Agent {
    let sender: String
    let path: String
  }

  /// The host at its start: one adapter with power, the straps advertising, bluetoothd running.
  init(scenario: Scenario, seed: UInt64 = 1) {
    self.scenario = scenario
    random = SplitMix64(seed: seed)
    straps = scenario.straps.enumerated().map { number, profile in
      var source = SplitMix64(seed: seed &+ UInt64(number) &* 0x1000_0001)
      return Strap(profile: profile, heart: profile.source == .heart ? PlausibleHeart(seed: source.next()) : nil)
    }
    adapters = [SimulatedAdapter(address: scenario.adapter, index: 0)]
    for (number, strap) in straps.enumerated() where strap.isBonded {
      var device = SimulatedDevice(alias: strap.profile.name, uuids: strap.layout.uuids)
      device.isPaired = true
      device.isTemporary = false
      device.wasEverConnected = true
      adapters[0].devices[number] = device
    }
  }

  /// When the host has to be called again; nil if nothing is scheduled.
  var deadline: SimulationInstant? { agenda.next }

  /// Handles an input at `instant`, after everything that is due before it.
  ///
  /// - Returns: What is to be done, in order.
  mutating func handle(_ input: Input, at instant: SimulationInstant) -> [LinkEffect] {
    while let (due, occasion) = agenda.removeNext(by: instant) {
      now = max(now, due)
      switch occasion {
      case .air(let event): happen(event)
      case .daemon(let event): report(event)
      }
    }
    now = max(now, instant)
    apply(input)
    defer { effects.removeAll() }
    return effects
  }

  /// Starts the straps and the timelines.
  mutating func start() -> [LinkEffect] {
    for strap in straps.indices {
      log("ready", strap, ["name": .string(straps[strap].profile.name)])
      if straps[strap].isAvailable { advertise(strap) }
      if straps[strap].profile.clock == .start { startClock(strap) }
    }
    scheduleMachineItem()
    defer { effects.removeAll() }
    return effects
  }

  private mutating func apply(_ input: Input) {
    switch input {
    case .time: break
    case .item(let item): perform(item, by: nil, number: nil)
    case .call, .clientLeft, .pipeClosed, .agentAnswered: report(.input(input))
    }
  }

  /// Delivers an event to bluetoothd: now, after it is unfrozen, or never.
  mutating func report(_ event: DaemonEvent) {
    switch daemon {
    case .running: handle(event)
    case .frozen: backlog.append(event)
    case .absent: break
    }
  }

  /// Schedules an event in the air.
  @discardableResult
  mutating func enter(_ event: AirEvent, in delay: Duration) -> Agenda<Occasion>.ID {
    agenda.enter(.air(event), at: now + delay)
  }

  /// Schedules an event of bluetoothd.
  @discardableResult
  mutating func enter(_ event: DaemonEvent, in delay: Duration) -> Agenda<Occasion>.ID {
    agenda.enter(.daemon(event), at: now + delay)
  }

  /// A number that is unique in this simulation.
  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Logs a line of ground truth.
  mutating func log(_ event: String, _ strap: Int? = nil, _ fields: KeyValuePairs<String, LogEntry.Field> = [:]) {
    effects.append(.log(LogEntry(event, strap: strap.map { straps[$0].address }, fields)))
  }
}
