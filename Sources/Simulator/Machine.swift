import Bits

/// The whole simulated machine as a value: straps in the air, adapters, and a bluetoothd that drives them.
///
/// What happens goes in with its time, what is to be done on the bus comes out, in order; the machine reads no clock and
/// does nothing itself. Everything that was seen of BlueZ 5.66 is here, the unpleasant part included.
struct Machine {
  /// Whether bluetoothd runs.
  enum Daemon {
    case running, frozen, absent
  }

  /// How long things take. What was measured against the real one (UML, virtual controller) says so.
  enum Delay {
    /// Advertisements heard until the link is there (measured 3.2 at 100 and 500 ms).
    static let advertisementsPerLink = 3.2
    /// One exchange of a request and its answer over the air.
    static let exchange = Duration.milliseconds(30)
    /// Looking through services that BlueZ does not know yet.
    static let discovery = Duration.milliseconds(180)
    /// Making sure that they are the known ones.
    static let verification = Duration.milliseconds(60)
    /// From a value's arrival in bluetoothd to its signal: a link lost meanwhile takes the value with it (measured 1-3 ms).
    static let emission = Duration.milliseconds(3)
    /// A strap that does not advertise (measured 40.2 s).
    static let connectTimeout = Duration.milliseconds(40_200)
    /// An adapter without room for another link (measured 4.1 s).
    static let noRoom = Duration.milliseconds(4_100)
    /// Disconnect to the end of the link.
    static let disconnect = Duration.seconds(2)
    /// RemoveDevice of a connected device to the end of the link (measured 2.3 s).
    static let removal = Duration.milliseconds(2_300)
    /// The kernel drops the links of a dead bluetoothd.
    static let orphanedLink = Duration.seconds(2)
    /// An unpaired device goes after it was last of use.
    static let expiry = Duration.seconds(30)
    /// bluetoothd's name to its adapters.
    static let adapterAfterStart = Duration.milliseconds(200)
    /// An adapter pushed in, to its object, and from there to its power.
    static let plug = Duration.milliseconds(300)
    static let power = Duration.milliseconds(500)
    /// Pairing, once allowed.
    static let pairing = Duration.milliseconds(200)
  }

  /// The ATT MTU that BlueZ asks for and the straps grant.
  static let mtu: UInt16 = 517

  let scenario: Scenario
  private(set) var now = SimulationInstant.start
  var agenda = Agenda<Occasion>()
  var effects: [Effect] = []
  var random: SplitMix64

  var straps: [Strap]
  var adapters: [Adapter] = []
  var machinePosition = 0

  var daemon = Daemon.running
  /// What a frozen bluetoothd has still to hear.
  var backlog: [DaemonEvent] = []
  var agents: [Agent] = []
  /// Questions put to an agent, and the device each is about.
  var questions: [UInt64: (device: DeviceKey, link: Int)] = [:]
  /// The other program's calls that wait for an answer.
  var foreignCalls: [CallToken: String] = [:]
  var lastNumber: UInt64 = 0

  /// A pairing agent of a client.
  struct Agent {
    let sender: String
    let path: String
  }

  /// A machine at its start: one adapter with power, the straps advertising, bluetoothd running.
  init(scenario: Scenario, seed: UInt64 = 1) {
    self.scenario = scenario
    random = SplitMix64(seed: seed)
    straps = scenario.straps.enumerated().map { number, profile in
      var source = SplitMix64(seed: seed &+ UInt64(number) &* 0x1000_0001)
      return Strap(profile: profile, heart: profile.source == .heart ? PlausibleHeart(seed: source.next()) : nil)
    }
    adapters = [Adapter(address: scenario.adapter, index: 0)]
    for (number, strap) in straps.enumerated() where strap.isBonded {
      var device = Device(alias: strap.profile.name, uuids: strap.layout.uuids)
      device.isPaired = true
      device.isTemporary = false
      device.wasEverConnected = true
      adapters[0].devices[number] = device
    }
  }

  /// When the machine wants to be told the time again; nil when nothing is to come.
  var deadline: SimulationInstant? { agenda.next }

  /// Takes in what happens at `instant`, after everything that is due before it.
  ///
  /// - Returns: what is to be done, in order.
  mutating func handle(_ input: Input, at instant: SimulationInstant) -> [Effect] {
    while let (due, occasion) = agenda.take(by: instant) {
      now = max(now, due)
      switch occasion {
      case .air(let event): happen(event)
      case .daemon(let event): tell(event)
      }
    }
    now = max(now, instant)
    take(input)
    defer { effects.removeAll() }
    return effects
  }

  /// Lets the straps and the timelines begin.
  mutating func start() -> [Effect] {
    for strap in straps.indices {
      log("ready", strap, ["name": .string(straps[strap].profile.name)])
      if straps[strap].isAvailable { advertise(strap) }
      if straps[strap].profile.clock == .start { startClock(strap) }
    }
    scheduleMachineItem()
    defer { effects.removeAll() }
    return effects
  }

  private mutating func take(_ input: Input) {
    switch input {
    case .time: break
    case .item(let item): perform(item, by: nil, number: nil)
    case .call, .clientLeft, .pipeClosed, .agentAnswered: tell(.input(input))
    }
  }

  /// Lets bluetoothd know, now, when it runs again, or never.
  mutating func tell(_ event: DaemonEvent) {
    switch daemon {
    case .running: handle(event)
    case .frozen: backlog.append(event)
    case .absent: break
    }
  }

  /// Enters what will happen in the air.
  @discardableResult
  mutating func enter(_ event: AirEvent, in delay: Duration) -> Agenda<Occasion>.ID {
    agenda.enter(.air(event), at: now + delay)
  }

  /// Enters what bluetoothd will do.
  @discardableResult
  mutating func enter(_ event: DaemonEvent, in delay: Duration) -> Agenda<Occasion>.ID {
    agenda.enter(.daemon(event), at: now + delay)
  }

  /// A number that nothing else has.
  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Writes a line of ground truth.
  mutating func log(_ event: String, _ strap: Int? = nil, _ fields: KeyValuePairs<String, LogEntry.Field> = [:]) {
    effects.append(.log(LogEntry(event, strap: strap.map { straps[$0].address }, fields)))
  }
}
