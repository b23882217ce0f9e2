import BlueZ
import FoundationEssentials
import SeriesStore
import Timeline

extension Recorder {
  /// Something about the bus itself has changed.
  func busChanged(_ news: BusKeeper.News) {
    switch news {
    case .connected: return condition.busConnected()
    case .otherRecorder(let isThere): return perform(sensors.otherRecorder(isThere: isThere, at: present), at: present)
    case .works:
      log(condition.busWorks())
      wallClock?.assumeIsolated { $0.look() }
    case .failed(let problem): log(condition.busFailed(problem))
    case .closed:
      condition.busClosed()
      perform(sensors.serviceGone(.busLost, isDeath: false, at: present), at: present)
    }
    publishStatus()
  }

  /// Something that BlueZ reports, in the order in which it happened.
  func handle(_ event: Event) {
    guard condition.hasBus else { return }
    if case .notification(let device, let bytes, let microseconds) = event {
      return receive(bytes, from: device, at: BootInstant(microseconds: microseconds))
    }
    let now = present
    switch event {
    case .serviceAppeared: log(condition.serviceAppeared())
    case .serviceDenied: log(condition.busFailed(.noPermission))
    case .serviceSilent: log(condition.busFailed(.silent))
    case .serviceDisappeared:
      let isDeath = condition.hasAdapters
      log(condition.serviceDisappeared())
      perform(sensors.serviceGone(.serviceGone, isDeath: isDeath, at: now), at: now)
    case .busLost:
      log(condition.busLost())
      bus?.assumeIsolated { $0.leave() }
    case .adapter(let adapter):
      guard let index = sensors.index(of: adapter.path) else { break }
      log(condition.adapter(index, isPowered: adapter.isPowered))
      let effects = sensors.adapterChanged(
        index, isPowered: adapter.isPowered, filtersServices: adapter.filtersServices, at: now)
      perform(effects, at: now)
    case .adapterRemoved(let path):
      guard let index = sensors.index(of: path) else { break }
      log(condition.adapterRemoved(index))
      perform(sensors.adapterRemoved(index, at: now), at: now)
    case .identityLearnt(let address, let identity): learnIdentity(identity, of: address)
    default: perform(sensors.handle(event, at: now), at: now)
    }
    armTimer(for: sensors.plan.deadline)
    bus?.assumeIsolated { $0.announceLinks() }
    publishStatus()
  }

  /// Does what follows from something that happened to sensors or their links.
  func perform(_ effects: [Sensors.Effect], at now: BootInstant) {
    for effect in effects {
      switch effect {
      case .command(let command): bus?.assumeIsolated { $0.perform(command) }
      case .close(let device, let adapter): bus?.assumeIsolated { $0.close(device, on: adapter) }
      case .event(let kind, let address): record(kind, of: address, at: now)
      case .line(let line): log(line)
      case .blame(let verdict): log(condition.blamed(verdict))
      case .forgetUnlisted: sensors.forgetUnlisted()
      }
    }
  }

  /// Reads the list of allowed sensors and follows it: new ones are looked for, sessions of removed ones end.
  func loadAllowedSensors() async {
    guard let store = files?.store else { return }
    let listed: [AllowedSensor]
    do {
      listed = try await store.allowedSensors()
    } catch {
      log(.error, "the list of allowed sensors cannot be read: \(error)")
      return
    }
    var list = AllowList(unlisted: settings.unlisted)
    for sensor in listed {
      guard let address = SensorAddress(sensor.address) else { continue }
      guard list.insert(address, name: sensor.name) else {
        log(.warning, "more than \(AllowList.capacity) sensors are allowed; the last ones are left out")
        break
      }
    }
    guard list != sensors.plan.allowed || sensors.recordings.isEmpty else { return }
    follow(list)
  }

  private func follow(_ list: AllowList, replacing former: SensorAddress? = nil) {
    let now = clock.now()
    followClock(at: now)
    for address in sensors.recordings.addresses where !list.contains(address) {
      guard let index = sensors.recordings.index(of: address), !sensors.recordings[index].isUnlisted else { continue }
      if let ending = sensors.recordings[index].end(.request, at: now) {
        end(ending, of: index)
        commitSoon(ending.session)
      }
      sensors.recordings.remove(at: index)
      if address != former { log(.notice, "\(address): not allowed any more") }
    }
    perform(sensors.allow(list, known: bus?.assumeIsolated { $0.devices } ?? [], at: now), at: now)
    publishStatus()
  }

  /// A listed sensor goes on under its lasting address, at once: its link would be ended as nobody's otherwise. The keys prove that it is
  /// the same one, and a person has paired it.
  private func learnIdentity(_ identity: DeviceAddress, of address: DeviceAddress) {
    guard let former = SensorAddress(bits: address.bits), let identity = SensorAddress(bits: identity.bits) else {
      return
    }
    var list = sensors.plan.allowed
    let name = list.name(of: former)
    guard list.remove(former) else { return }
    list.insert(identity, name: name ?? list.name(of: identity))
    follow(list, replacing: former)
    Task(executorPreference: loop) { await self.storeIdentity(identity, of: former) }
  }

  private func storeIdentity(_ identity: SensorAddress, of former: SensorAddress) async {
    do throws(StoreError) {
      try await files?.store.replaceSensor("\(former)", by: "\(identity)")
    } catch {
      // Not found: `sensord devices pair` was faster.
      guard error.code == .notFound else {
        return log(.error, "\(identity), lasting address of \(former): not put into the list of sensors: \(error)")
      }
    }
    log(.notice, "\(former): paired; it is \(identity) from now on, its lasting address")
  }
}
