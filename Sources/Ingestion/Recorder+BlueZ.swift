import BlueZ
import GATTHeartRate
import Sensors

extension Recorder {
  /// What BlueZ tells, in the order in which it happened.
  func handle(_ event: Event) {
    guard client != nil else { return }
    if case .notification(let device, let bytes, let microseconds) = event {
      return receive(bytes, from: device, at: BootInstant(microseconds: microseconds))
    }
    let now = present
    switch event {
    case .serviceAppeared:
      hasService = true
      busProblem = nil
      log(.info, "bluetoothd is there")
    case .serviceDenied: report(.noPermission)
    case .serviceSilent: report(.silent)
    case .serviceDisappeared:
      busProblem = nil
      log(.warning, "bluetoothd is gone; waiting for it")
      serviceGone(reason: .serviceGone)
    case .busLost:
      log(.warning, "the bus is gone; waiting for it")
      busProblem = .noBus("the connection ended")
      leaveBus()
    case .adapter(let adapter): adapterChanged(adapter, at: now)
    case .adapterRemoved(let path):
      guard let index = index(of: path) else { break }
      if adapters[index] != nil { log(.warning, "\(path.name): the adapter is gone; waiting for it") }
      adapters[index] = nil
      perform(plan.adapterRemoved(index, at: now))
      dropUnlisted()
    case .discovery(let path, let state): discoveryChanged(path, state, at: now)
    case .deviceSeen(let device):
      admit(device, at: now)
      deviceChanged(device, at: now)
      guard let (address, index) = place(device), let rssi = device.rssi else { break }
      channels[address]?.signal = rssi
      perform(plan.deviceSeen(address, on: index, rssi: rssi, at: now))
    case .deviceChanged(let device): deviceChanged(device, at: now)
    case .deviceRemoved(let device):
      guard let (address, index) = place(device) else { break }
      perform(plan.deviceForgotten(address, on: index, at: now))
      dropUnlisted()
    default: handleLink(event, at: now)
    }
    armTimer(for: plan.deadline)
    tellLinks()
    tellStatus()
  }

  /// Tells which links are the recorder's own, where that has changed.
  func tellLinks() {
    let links = client?.assumeIsolated { $0.ownLinks }
    guard links != toldLinks else { return }
    toldLinks = links
    settings.onLinks(links)
  }

  private func adapterChanged(_ adapter: Adapter, at now: BootInstant) {
    guard let index = index(of: adapter.path) else { return }
    tellPower(of: adapter, before: adapters[index])
    adapters[index] = adapter
    perform(plan.adapterChanged(index, isPowered: adapter.isPowered, at: now))
  }

  /// Logs that an adapter is off, or is on again.
  private func tellPower(of adapter: Adapter, before: Adapter?) {
    guard adapter.isPowered != before?.isPowered else { return }
    if !adapter.isPowered {
      log(.warning, "\(adapter.path.name): the adapter is off; switch it on with: bluetoothctl power on")
    } else {
      log(before == nil ? .info : .notice, "\(adapter.path.name): the adapter is on")
    }
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

  /// A device that a game controller's driver, say, has a link to is used, never connected or disconnected by us.
  private func deviceChanged(_ device: Device, at now: BootInstant) {
    guard let (address, index) = place(device) else { return }
    if channels[address] != nil, channels[address]?.name == nil { channels[address]?.name = device.name }
    let isShared = device.isPaired && device.services.contains(BluetoothUUID(AssignedUUID.humanInterfaceDevice))
    perform(plan.deviceKnown(address, on: index, isShared: isShared, at: now))
    if device.isPaired {
      let commands = plan.paired(address, at: now)
      perform(commands)
      if !commands.isEmpty, device.servicesResolved { perform(plan.servicesResolved(address, on: index, at: now)) }
    }
  }

  /// After a change of the list: what BlueZ knows already of the sensors on it.
  func tellKnownDevices(at now: BootInstant) {
    guard let client else { return }
    for device in client.assumeIsolated({ $0.devices }) {
      deviceChanged(device, at: now)
      guard device.hasLink, let (address, index) = place(device) else { continue }
      perform(plan.linkUp(address, on: index, at: now))
      if device.servicesResolved { perform(plan.servicesResolved(address, on: index, at: now)) }
    }
  }

  /// The sensor and the adapter that a device object stands for; nil where one of them is not to be used.
  private func place(_ device: Device) -> (SensorAddress, AdapterIndex)? {
    place(device.address, device.path.adapter)
  }

  func place(_ device: DeviceAddress, _ path: AdapterPath) -> (SensorAddress, AdapterIndex)? {
    guard let address = SensorAddress(bits: device.bits), channels[address] != nil, let index = index(of: path)
    else { return nil }
    return (address, index)
  }

  /// Which adapter this is; nil where the settings leave it out: no sensor is looked for there, and no link used.
  func index(of path: AdapterPath) -> AdapterIndex? {
    if let adapters = settings.adapters, !adapters.contains(path.name) { return nil }
    return AdapterIndex(name: path.name)
  }

  /// Carries out what the plan decided.
  func perform(_ commands: [ConnectionPlan.Command]) {
    guard let client else { return }
    client.assumeIsolated { client in
      for command in commands {
        switch command {
        case .startDiscovery(let adapter, let what):
          let mode: DiscoveryMode =
            switch what {
            case .heartRateService: .services([BluetoothUUID(AssignedUUID.heartRateService)])
            case .everything: .everything
            }
          client.startDiscovery(mode, on: AdapterPath(adapter.number))
        case .stopDiscovery(let adapter): client.stopDiscovery(on: AdapterPath(adapter.number))
        case .connect(let address, let adapter):
          client.connect(DeviceAddress(address), on: AdapterPath(adapter.number))
        case .disconnect(let address, let adapter):
          client.disconnect(DeviceAddress(address), on: AdapterPath(adapter.number))
        case .follow(let address, let adapter):
          client.follow(DeviceAddress(address), on: AdapterPath(adapter.number))
        case .unfollow(let address, let adapter):
          client.unfollow(DeviceAddress(address), on: AdapterPath(adapter.number))
        case .resubscribe(let address, let adapter):
          client.resubscribe(DeviceAddress(address), on: AdapterPath(adapter.number))
        case .refuse, .unresolved: break
        }
      }
    }
    for command in commands { note(command) }
  }

  /// What a command means for the status and the log.
  private func note(_ command: ConnectionPlan.Command) {
    switch command {
    case .connect(let address, _): channels[address]?.isConnecting = true
    case .follow(let address, let adapter):
      // The plan may turn to a link over another adapter that has been up for long: nothing else tells of it.
      linkCameUp(address, over: adapter, at: present)
    case .unresolved(let address, _):
      tell(
        "no values: bluetoothd does not tell its services; forget it with: bluetoothctl remove \(address)", of: address)
    case .refuse(let address, let adapter, let recorded):
      log(
        .warning,
        "\(address): a second link over \(adapter) is not recorded, it is recorded over \(recorded); "
          + "two devices with one address are a copy or a mistake")
    default: break
    }
  }
}
