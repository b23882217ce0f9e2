import BlueZ
import GATTHeartRate
import Sensors

// Events of BlueZ, translated for the values that decide, and the commands of these values for BlueZ.

extension Recorder {
  /// Something that BlueZ reports, in the order in which it happened.
  func handle(_ event: Event) {
    guard bus != nil else { return }
    if case .notification(let device, let bytes, let microseconds) = event {
      return receive(bytes, from: device, at: BootInstant(microseconds: microseconds))
    }
    let now = present
    switch event {
    case .serviceAppeared: log(condition.serviceAppeared())
    case .serviceDenied: busFailed(.noPermission)
    case .serviceSilent: busFailed(.silent)
    case .serviceDisappeared:
      let isDeath = condition.hasAdapters
      log(condition.serviceDisappeared())
      serviceGone(reason: .serviceGone, isDeath: isDeath)
    case .busLost:
      log(condition.busLost())
      leaveBus()
    case .adapter(let adapter):
      guard let index = index(of: adapter.path) else { break }
      log(condition.adapter(index, isPowered: adapter.isPowered))
      perform(
        plan.adapterChanged(index, isPowered: adapter.isPowered, filtersServices: adapter.filtersServices, at: now))
    case .adapterRemoved(let path):
      guard let index = index(of: path) else { break }
      log(condition.adapterRemoved(index))
      perform(plan.adapterRemoved(index, at: now))
      removeUnlisted()
    case .discovery(let path, let state): discoveryChanged(path, state, at: now)
    case .deviceSeen, .deviceChanged, .deviceRemoved: handleDevice(event, at: now)
    case .identityLearnt(let address, let identity): learnIdentity(identity, of: address)
    default: handleLink(event, at: now)
    }
    armTimer(for: plan.deadline)
    publishLinks()
    publishStatus()
  }

  /// Announces which links are the recorder's own, where that has changed.
  func publishLinks() {
    let links = bus?.central.assumeIsolated { $0.ownLinks }
    guard links != publishedLinks else { return }
    publishedLinks = links
    settings.onLinks(links)
  }

  private func discoveryChanged(_ path: AdapterPath, _ state: DiscoveryState, at now: BootInstant) {
    guard let index = index(of: path) else { return }
    switch state {
    case .running: break
    case .stopped: perform(plan.discoveryEnded(on: index, at: now))
    case .refused(let name):
      log(.warning, "\(path.name): BlueZ does not look for sensors (\(name)); trying again")
      perform(plan.discoveryEnded(on: index, at: now))
    }
  }

  private func handleDevice(_ event: Event, at now: BootInstant) {
    switch event {
    case .deviceSeen(let device):
      admit(device, at: now)
      deviceChanged(device, at: now)
      lookForNamesake(device, at: now)
      guard let (address, adapter, index) = place(device), let rssi = device.rssi else { return }
      recordings[index].signal = rssi
      perform(plan.deviceSeen(address, on: adapter, rssi: rssi, at: now))
    case .deviceChanged(let device): deviceChanged(device, at: now)
    case .deviceRemoved(let device):
      if let address = SensorAddress(bits: device.address.bits) { namesakes.forget(address) }
      guard let (address, adapter, _) = place(device) else { return }
      perform(plan.deviceForgotten(address, on: adapter, at: now))
      removeUnlisted()
    default: break
    }
  }

  /// A sensor that is heard and not listed: whether it has the name of a listed one that is away.
  private func lookForNamesake(_ device: Device, at now: BootInstant) {
    guard let address = SensorAddress(bits: device.address.bits) else { return }
    guard !plan.allowed.contains(address), index(of: device.path.adapter) != nil,
      device.services.contains(BluetoothUUID(AssignedUUID.heartRateService))
    else { return namesakes.forget(address) }
    namesakes.heard(address, name: device.name, at: now)
    for index in recordings.indices where namesake(of: index, at: now) == address {
      log(namesakes.line(recordings[index].address, namesake: address, at: now))
    }
  }

  /// The near sensor with the name of a listed one that is away.
  func namesake(of index: Int, at now: BootInstant) -> SensorAddress? {
    guard !namesakes.isEmpty, recordings[index].isAway(at: now), plan.allowed.contains(recordings[index].address)
    else { return nil }
    let names = [recordings[index].name, recordings[index].ownName].compactMap { $0 }
    return namesakes.namesake(of: names, at: now)
  }

  /// A device that a game controller's driver, say, has a link to is used, never connected or disconnected by us.
  private func deviceChanged(_ device: Device, at now: BootInstant) {
    guard let (address, adapter, index) = place(device) else { return }
    if recordings[index].name == nil { recordings[index].name = device.name }
    if let name = device.name { recordings[index].ownName = name }
    let isShared = device.isPaired && device.services.contains(BluetoothUUID(AssignedUUID.humanInterfaceDevice))
    perform(plan.deviceKnown(address, on: adapter, isShared: isShared, at: now))
    guard device.isPaired else { return }
    let commands = plan.paired(address, at: now)
    perform(commands)
    if !commands.isEmpty, device.servicesResolved { perform(plan.servicesResolved(address, on: adapter, at: now)) }
  }

  /// After a change of the list: what BlueZ knows already of the sensors on it.
  func planKnownDevices(at now: BootInstant) {
    guard let central = bus?.central else { return }
    for device in central.assumeIsolated({ $0.devices }) {
      deviceChanged(device, at: now)
      guard device.hasLink, let (address, adapter, _) = place(device) else { continue }
      perform(plan.linkUp(address, on: adapter, at: now))
      if device.servicesResolved { perform(plan.servicesResolved(address, on: adapter, at: now)) }
    }
  }

  private func place(_ device: Device) -> (SensorAddress, AdapterIndex, index: Int)? {
    place(device.address, device.path.adapter)
  }

  /// The sensor and the adapter that a device object stands for, and the sensor's index; nil where one of them is not to be
  /// used.
  func place(_ device: DeviceAddress, _ path: AdapterPath) -> (SensorAddress, AdapterIndex, index: Int)? {
    guard let address = SensorAddress(bits: device.bits), let index = recordings.index(of: address),
      let adapter = self.index(of: path)
    else { return nil }
    return (address, adapter, index)
  }

  /// Returns the number of an adapter; nil if the settings leave it out: no sensor is looked for there, and no link
  /// used.
  func index(of path: AdapterPath) -> AdapterIndex? {
    if let adapters = settings.adapters, !adapters.contains(path.name) { return nil }
    return AdapterIndex(name: path.name)
  }

  /// Carries out what the plan decided.
  func perform(_ commands: [ConnectionPlan.Command]) {
    guard let central = bus?.central else { return }
    central.assumeIsolated { central in for command in commands { central.perform(command) } }
    for command in commands { note(command) }
  }

  /// Applies a command to the recordings and the log.
  private func note(_ command: ConnectionPlan.Command) {
    switch command {
    case .connect(let address, _):
      // A Connect in place of a discovery waits for as long as the sensor is away.
      let isWaiting = plan.standing(of: address)?.state == .searching
      if let index = recordings.index(of: address) { recordings[index].connecting(!isWaiting) }
    case .follow(let address, let adapter):
      // The plan may turn to a link over another adapter that has been up for long: nothing else reports it.
      linkCameUp(address, over: adapter, at: present)
    case .unresolved(let address, _):
      valuesMissing(
        because: "no values: bluetoothd does not tell its services; forget it with: bluetoothctl remove \(address)",
        of: address)
    case .refuse(let address, let adapter, let recorded):
      log(
        .warning,
        "\(address): a second link over \(adapter) is not recorded, it is recorded over \(recorded); "
          + "two devices with one address are a copy or a mistake")
    case .blame(let verdict):
      log(condition.blamed(verdict))
      if case .connect(let address) = verdict.call, verdict.isGivenUp {
        valuesMissing(because: RecorderCondition.text(of: verdict), of: address)
      }
    default: break
    }
  }
}

extension Central {
  /// Carries out one command of the plan.
  fileprivate func perform(_ command: ConnectionPlan.Command) {
    switch command {
    case .startDiscovery(let adapter, let what):
      let mode: DiscoveryMode =
        switch what {
        case .heartRateService: .services([BluetoothUUID(AssignedUUID.heartRateService)])
        case .everything: .everything
        }
      startDiscovery(mode, on: AdapterPath(adapter.number))
    case .stopDiscovery(let adapter): stopDiscovery(on: AdapterPath(adapter.number))
    case .connect(let address, let adapter): connect(DeviceAddress(address), on: AdapterPath(adapter.number))
    case .disconnect(let address, let adapter): disconnect(DeviceAddress(address), on: AdapterPath(adapter.number))
    case .follow(let address, let adapter): follow(DeviceAddress(address), on: AdapterPath(adapter.number))
    case .unfollow(let address, let adapter): unfollow(DeviceAddress(address), on: AdapterPath(adapter.number))
    case .resubscribe(let address, let adapter): resubscribe(DeviceAddress(address), on: AdapterPath(adapter.number))
    case .refuse, .unresolved, .blame: break
    }
  }
}
