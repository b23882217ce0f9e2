import Ingestion
import Support
import Timeline

/// A model of bluetoothd with some adapters and straps, after what was seen of BlueZ 5.66, that obeys a
/// ``ConnectionPlan`` and complains when it is asked for nonsense. Time goes in steps of a quarter of a second.
struct VirtualAir {
  struct Strap {
    let address: SensorAddress
    var advertises = false
    /// Its advertisement holds no 180D.
    var isNameOnly = false
    var link: Link?
  }

  struct Link {
    let adapter: AdapterIndex
    let isOurs: Bool
    let since: Int64
  }

  struct Adapter {
    let index: AdapterIndex
    let capacity: Int
    let refusesWhileScanning: Bool
    var filtersServices = true
    var isPowered = false
    var discovery: ConnectionPlan.Discovery?
    /// When each Connect that pends was called.
    var pending: [SensorAddress: Int64] = [:]
    /// When each object was last needed; 30 s later it goes.
    var known: [SensorAddress: Int64] = [:]
  }

  static let step: Int64 = 250_000

  var plan: ConnectionPlan
  var straps: [Strap]
  var adapters: [Adapter]
  var random: SplitMix64
  var now: Int64 = 0
  var wakeups = 0
  /// What the plan asked for and must not, in words.
  var complaints: Set<String> = []
  var connects: [(at: Int64, address: SensorAddress)] = []
  /// Over which adapter the values of each strap are asked for, until they are not any more: links come and go meanwhile.
  private var followed: [SensorAddress: AdapterIndex] = [:]
  /// What is on its way to the plan: the answer to a call, or news of a link, which is void when the link has gone.
  private var inbox: [(at: Int64, address: SensorAddress, isOfLink: Bool, event: Event)] = []
  /// Links that are going down after a Disconnect.
  private var leaving: [(at: Int64, address: SensorAddress)] = []

  typealias Event = (inout ConnectionPlan, BootInstant) -> [ConnectionPlan.Command]

  var instant: BootInstant { BootInstant(microseconds: now) }

  init(straps: [Strap], allowed: Int, adapters: [Adapter], seed: UInt64) {
    self.straps = straps
    self.adapters = adapters
    random = SplitMix64(seed: seed)
    plan = ConnectionPlan(seed: seed)
    var list = AllowList()
    for strap in straps.prefix(allowed) { list.insert(strap.address) }
    obey(plan.allow(list, at: instant))
    for adapter in adapters.indices { power(adapter, on: true) }
  }

  mutating func advance() {
    now += Self.step
    while let first = inbox.firstIndex(where: { $0.at <= now }) { obey(inbox.remove(at: first).event(&plan, instant)) }
    while let first = leaving.firstIndex(where: { $0.at <= now }) {
      let address = leaving.remove(at: first).address
      drop(straps.firstIndex { $0.address == address }!)
    }
    for adapter in adapters.indices where adapters[adapter].isPowered {
      advertise(to: adapter)
      answerConnects(of: adapter)
      expire(adapter)
    }
    if now % 1_000_000 == 0 {
      for strap in straps where strap.link.map({ now - $0.since > 1_000_000 }) ?? false {
        plan.valueReceived(from: strap.address, at: instant)
      }
    }
    while let deadline = plan.deadline, deadline <= instant {
      wakeups += 1
      obey(plan.timeReached(instant))
      if let next = plan.deadline, next <= instant {
        complaints.insert("the timer does not come to rest")
        break
      }
    }
  }

  // MARK: What happens by itself

  private mutating func advertise(to adapter: Int) {
    guard let discovery = adapters[adapter].discovery else { return }
    let index = adapters[adapter].index
    for strap in straps where strap.advertises && strap.link == nil && Bool.random(using: &random) {
      if strap.isNameOnly && discovery == .heartRateService { continue }
      if adapters[adapter].known.updateValue(now, forKey: strap.address) == nil {
        obey(plan.deviceKnown(strap.address, on: index, at: instant))
      }
      obey(plan.deviceSeen(strap.address, on: index, rssi: -60, at: instant))
    }
  }

  private mutating func answerConnects(of adapter: Int) {
    let index = adapters[adapter].index
    var isBusy = false
    for (address, since) in adapters[adapter].pending.sorted(by: { $0.key < $1.key }) {
      guard adapters[adapter].pending[address] == since else { continue }
      let strap = straps.firstIndex { $0.address == address }!
      let isRefused =
        !hasRoom(adapter) || adapters[adapter].refusesWhileScanning && adapters[adapter].discovery != nil
      if straps[strap].link?.adapter == index {
        adapters[adapter].pending[address] = nil
        obey(plan.connectSucceeded(address, on: index, at: instant))
      } else if straps[strap].advertises && straps[strap].link == nil && !isRefused && !isBusy && now - since >= 500_000
      {
        isBusy = true
        adapters[adapter].pending[address] = nil
        linkUp(strap, on: adapter, isOurs: true)
        obey(plan.connectSucceeded(address, on: index, at: instant))
      } else if straps[strap].advertises && isRefused && now - since >= 4_100_000 {
        fail(address, on: adapter)
        forget(address, on: adapter)
      } else if now - since >= 40_200_000 {
        fail(address, on: adapter)
      }
    }
  }

  private mutating func fail(_ address: SensorAddress, on adapter: Int, _ reason: ConnectFailure = .abortedByLocal) {
    adapters[adapter].pending[address] = nil
    obey(plan.connectFailed(address, on: adapters[adapter].index, reason, at: instant))
  }

  private mutating func forget(_ address: SensorAddress, on adapter: Int) {
    guard adapters[adapter].known.removeValue(forKey: address) != nil else { return }
    obey(plan.deviceForgotten(address, on: adapters[adapter].index, at: instant))
  }

  private mutating func expire(_ adapter: Int) {
    for (address, since) in adapters[adapter].known.sorted(by: { $0.key < $1.key }) where now - since > 30_000_000 {
      let isLinked = straps.contains { $0.address == address && $0.link?.adapter == adapters[adapter].index }
      if !isLinked && adapters[adapter].pending[address] == nil { forget(address, on: adapter) }
    }
  }

  // MARK: What a test does to it

  /// Whether another link can be made over this adapter.
  func hasRoom(_ adapter: Int) -> Bool {
    adapters[adapter].isPowered
      && straps.count { $0.link?.adapter == adapters[adapter].index } < adapters[adapter].capacity
  }

  mutating func linkUp(_ strap: Int, on adapter: Int, isOurs: Bool) {
    let index = adapters[adapter].index
    let address = straps[strap].address
    straps[strap].link = Link(adapter: index, isOurs: isOurs, since: now)
    adapters[adapter].known[address] = now
    obey(plan.linkUp(address, on: index, at: instant))
    deliver(after: 500_000, address, isOfLink: true) { $0.servicesResolved(address, on: index, at: $1) }
  }

  mutating func drop(_ strap: Int) {
    guard let link = straps[strap].link else { return }
    straps[strap].link = nil
    if let adapter = adapters.firstIndex(where: { $0.index == link.adapter }) {
      adapters[adapter].known[straps[strap].address] = now
    }
    let address = straps[strap].address
    inbox.removeAll { $0.isOfLink && $0.address == address }
    leaving.removeAll { $0.address == address }
    obey(plan.linkLost(address, on: link.adapter, at: instant))
  }

  mutating func power(_ adapter: Int, on isPowered: Bool) {
    let index = adapters[adapter].index
    if !isPowered {
      for strap in straps.indices where straps[strap].link?.adapter == index { drop(strap) }
      while let address = adapters[adapter].pending.keys.min() { fail(address, on: adapter, .notReady) }
    }
    adapters[adapter].isPowered = isPowered
    adapters[adapter].discovery = nil
    obey(
      plan.adapterChanged(
        index, isPowered: isPowered, filtersServices: adapters[adapter].filtersServices, at: instant))
  }

  /// bluetoothd dies and comes back; nothing is known any more.
  mutating func restartService() {
    inbox.removeAll()
    leaving.removeAll()
    for strap in straps.indices { straps[strap].link = nil }
    for adapter in adapters.indices {
      adapters[adapter].pending = [:]
      adapters[adapter].known = [:]
      adapters[adapter].discovery = nil
      adapters[adapter].isPowered = false
    }
    obey(plan.serviceLost(isDeath: false, at: instant))
    for adapter in adapters.indices { power(adapter, on: true) }
  }

  mutating func failDiscovery(of adapter: Int) {
    guard adapters[adapter].discovery != nil else { return }
    adapters[adapter].discovery = nil
    obey(plan.discoveryEnded(on: adapters[adapter].index, at: instant))
  }

  // MARK: What the plan commands

  private mutating func deliver(
    after delay: Int64, _ address: SensorAddress, isOfLink: Bool = false, _ event: @escaping Event
  ) {
    inbox.append((now + delay, address, isOfLink, event))
  }

  private mutating func obey(_ commands: [ConnectionPlan.Command]) {
    for command in commands { obey(command) }
  }

  private mutating func obey(_ command: ConnectionPlan.Command) {
    switch command {
    case .startDiscovery(let index, let kind):
      let adapter = position(of: index)
      if adapters[adapter].discovery == kind { complaints.insert("discovery started twice") }
      if !adapters[adapter].isPowered { complaints.insert("discovery on an adapter without power") }
      if !adapters[adapter].filtersServices, kind == .heartRateService { complaints.insert("asks for a filter") }
      adapters[adapter].discovery = kind
    case .stopDiscovery(let index):
      let adapter = position(of: index)
      if adapters[adapter].isPowered && adapters[adapter].discovery == nil { complaints.insert("nothing to stop") }
      adapters[adapter].discovery = nil
    case .connect(let address, let index):
      connect(address, on: position(of: index))
    case .disconnect(let address, let index):
      disconnect(address, on: position(of: index))
    case .follow(let address, let index):
      let strap = straps.first { $0.address == address }
      if strap?.link?.adapter != index { complaints.insert("follows a link that is not there") }
      if followed.updateValue(index, forKey: address) ?? index != index {
        complaints.insert("follows two links of a sensor")
      }
    case .unfollow(let address, let index):
      if followed.removeValue(forKey: address) != index { complaints.insert("unfollows what it does not follow") }
    case .resubscribe, .refuse, .unresolved, .blame:
      complaints.insert("\(command)")
    }
  }

  private mutating func connect(_ address: SensorAddress, on adapter: Int) {
    connects.append((now, address))
    let index = adapters[adapter].index
    if !plan.allowed.contains(address) { complaints.insert("connects a stranger") }
    if !adapters[adapter].isPowered { complaints.insert("connects on an adapter without power") }
    if adapters[adapter].pending[address] != nil { complaints.insert("connects twice") }
    if adapters[adapter].known[address] == nil {
      deliver(after: 1, address) { $0.connectFailed(address, on: index, .unknownObject, at: $1) }
    } else {
      adapters[adapter].pending[address] = now
    }
  }

  private mutating func disconnect(_ address: SensorAddress, on adapter: Int) {
    if adapters[adapter].pending[address] != nil {
      adapters[adapter].pending[address] = nil
      let index = adapters[adapter].index
      deliver(after: 1, address) { $0.connectFailed(address, on: index, .canceled, at: $1) }
    }
    guard let link = straps.first(where: { $0.address == address })?.link, link.adapter == adapters[adapter].index
    else { return }
    if !link.isOurs { complaints.insert("ends a link of somebody else") }
    leaving.append((now + 500_000, address))
  }

  private func position(of index: AdapterIndex) -> Int {
    adapters.firstIndex { $0.index == index }!
  }
}
