import BlueZ
import GATTHeartRate
import Timeline

// Events of BlueZ about devices, links and values, in the order in which they happen.

extension Sensors {
  /// An event that is about an adapter, a device, a link or a value other than a notification.
  mutating func handle(_ event: Event, at now: BootInstant) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .discovery(let path, let state): discoveryChanged(path, state, at: now, &effects)
    case .deviceSeen(let device):
      admit(device, at: now, &effects)
      deviceChanged(device, at: now, &effects)
      lookForNamesake(device, at: now, &effects)
      guard let (address, adapter, index) = place(device), let rssi = device.rssi else { break }
      recordings[index].signal = rssi
      add(plan.deviceSeen(address, on: adapter, rssi: rssi, at: now), &effects)
    case .deviceChanged(let device): deviceChanged(device, at: now, &effects)
    case .deviceRemoved(let device):
      if let address = SensorAddress(bits: device.address.bits) { namesakes.forget(address) }
      guard let (address, adapter, _) = place(device) else { break }
      add(plan.deviceForgotten(address, on: adapter, at: now), &effects)
      effects.append(.forgetUnlisted)
    case .connectFailed(let device, let path, let failure):
      guard let (address, adapter, index) = place(device, path) else { break }
      recordings[index].connecting(false)
      effects.append(.line(LogLine(.debug, "\(address): connecting failed (\(failure))")))
      if failure == .authentication {
        valuesMissing(because: SubscriptionFailure.keysRefused(address), of: address, &effects)
      }
      add(plan.connectFailed(address, on: adapter, ConnectFailure(failure), at: now), &effects)
      effects.append(.forgetUnlisted)
    case .linkUp(let device, let path, let isOurs):
      guard let (address, adapter, index) = place(device, path) else {
        // Nobody's any more: the sensor was removed meanwhile, or BlueZ knows it by another address now.
        if isOurs { effects.append(.close(device, on: path)) }
        break
      }
      recordings[index].connecting(false)
      linkUp(index, over: adapter, &effects)
      add(
        isOurs ? plan.connectSucceeded(address, on: adapter, at: now) : plan.linkUp(address, on: adapter, at: now),
        &effects)
    case .servicesResolved(let device, let path):
      guard let (address, adapter, _) = place(device, path) else { break }
      add(plan.servicesResolved(address, on: adapter, at: now), &effects)
    case .linkDown(let device, let path, let reason):
      // The session learns of it, then the plan decides how to get the link back.
      guard let (address, adapter, index) = place(device, path) else { break }
      add(recordings[index].linkDown(over: adapter, reason: reason?.text), of: index, &effects)
      add(plan.linkLost(address, on: adapter, at: now), &effects)
      effects.append(.forgetUnlisted)
    case .disconnectReason(let device, let path, let reason):
      guard let (_, adapter, index) = place(device, path), let text = reason.text else { break }
      add(recordings[index].linkDownReason(text, over: adapter), of: index, &effects)
    default: handleValue(event, at: now, &effects)
    }
    return effects
  }

  /// Handles an event about a sensor's values, wherever its link is.
  private mutating func handleValue(_ event: Event, at now: BootInstant, _ effects: inout [Effect]) {
    switch event {
    case .subscribed(let device, let mode):
      guard let address = SensorAddress(bits: device.bits) else { return }
      effects.append(.line(LogLine(.debug, "\(address): values come (\(mode))")))
      plan.valuesUsedElsewhere(mode == .shared, from: address)
      guard let index = recordings.index(of: address) else { return }
      add(recordings[index].subscribed(at: now), of: index, &effects)
    case .unsubscribed(let device):
      guard let (_, index) = sensor(device) else { return }
      recordings[index].unsubscribed(at: now)
    case .subscriptionFailed(let device, let failure):
      guard let (address, index) = sensor(device) else { return }
      valuesMissing(
        because: failure.text(address, isOtherRecorderThere: plan.givesPrecedence), of: address, &effects)
      if failure == .acquiredElsewhere { plan.valuesUsedElsewhere(true, from: address) }
      if failure == .unanswered, let adapter = recordings[index].adapter {
        add(plan.subscriptionUnanswered(address, on: adapter, at: now), &effects)
      }
    case .value(let device, let characteristic, let bytes):
      guard let (address, _) = sensor(device) else { return }
      if let kind = SensorEvent.Kind(characteristic, bytes) { effects.append(.event(kind, of: address)) }
    case .battery(let device, let percent):
      guard let (address, index) = sensor(device) else { return }
      effects.append(.event(.battery(percent: percent), of: address))
      if let line = recordings[index].battery(percent) { effects.append(.line(line)) }
    default: break
    }
  }

  private mutating func discoveryChanged(
    _ path: AdapterPath, _ state: DiscoveryState, at now: BootInstant, _ effects: inout [Effect]
  ) {
    guard let index = index(of: path), state != .running else { return }
    if case .refused(let name) = state {
      effects.append(
        .line(LogLine(.warning, "\(path.name): BlueZ does not look for sensors (\(name)); trying again")))
    }
    add(plan.discoveryEnded(on: index, at: now), &effects)
  }

  /// An adapter that may be used is new, or has changed.
  mutating func adapterChanged(
    _ index: AdapterIndex, isPowered: Bool, filtersServices: Bool?, at now: BootInstant
  ) -> [Effect] {
    effects(of: plan.adapterChanged(index, isPowered: isPowered, filtersServices: filtersServices, at: now))
  }

  mutating func adapterRemoved(_ index: AdapterIndex, at now: BootInstant) -> [Effect] {
    effects(of: plan.adapterRemoved(index, at: now)) + [.forgetUnlisted]
  }

  /// A sensor that is not in the list is recorded if the configuration allows it and it is near enough.
  private mutating func admit(_ device: Device, at now: BootInstant, _ effects: inout [Effect]) {
    guard case .any = plan.allowed.unlisted, index(of: device.path.adapter) != nil, let rssi = device.rssi,
      let address = SensorAddress(bits: device.address.bits), recordings.index(of: address) == nil,
      plan.allowed.allows(address, rssi: rssi), recordings.count < AllowList.capacity,
      device.services.contains(BluetoothUUID(AssignedUUID.heartRateService))
    else { return }
    recordings[insertRecording(address, name: device.name, at: now)].isUnlisted = true
    effects.append(
      .line(
        LogLine(.notice, "\(address): not in the list of sensors; recorded since the configuration says \"any\"")))
  }

  /// A sensor that is heard and not listed: whether it has the name of a listed one that is away.
  private mutating func lookForNamesake(_ device: Device, at now: BootInstant, _ effects: inout [Effect]) {
    guard let address = SensorAddress(bits: device.address.bits) else { return }
    guard !plan.allowed.contains(address), index(of: device.path.adapter) != nil,
      device.services.contains(BluetoothUUID(AssignedUUID.heartRateService))
    else { return namesakes.forget(address) }
    namesakes.heard(address, name: device.name, at: now)
    for index in recordings.indices where namesake(of: index, at: now) == address {
      guard let line = namesakes.line(recordings[index].address, namesake: address, at: now) else { continue }
      effects.append(.line(line))
    }
  }

  /// A device that a game controller's driver, say, has a link to is used, never connected or disconnected by us.
  mutating func deviceChanged(_ device: Device, at now: BootInstant, _ effects: inout [Effect]) {
    guard let (address, adapter, index) = place(device) else { return }
    if recordings[index].name == nil { recordings[index].name = device.name }
    if let name = device.name { recordings[index].ownName = name }
    let isShared = device.isPaired && device.services.contains(BluetoothUUID(AssignedUUID.humanInterfaceDevice))
    add(plan.deviceKnown(address, on: adapter, isShared: isShared, at: now), &effects)
    guard device.isPaired else { return }
    let commands = plan.paired(address, at: now)
    add(commands, &effects)
    if !commands.isEmpty, device.servicesResolved {
      add(plan.servicesResolved(address, on: adapter, at: now), &effects)
    }
  }

  func place(_ device: Device) -> (SensorAddress, AdapterIndex, index: Int)? {
    place(device.address, device.path.adapter)
  }

  /// The sensor and the adapter that a device object stands for, and the sensor's index; nil where one of them is not to be
  /// used.
  private func place(_ device: DeviceAddress, _ path: AdapterPath) -> (SensorAddress, AdapterIndex, index: Int)? {
    guard let (address, index) = sensor(device), let adapter = self.index(of: path) else { return nil }
    return (address, adapter, index)
  }

  private func sensor(_ device: DeviceAddress) -> (SensorAddress, index: Int)? {
    guard let address = SensorAddress(bits: device.bits), let index = recordings.index(of: address) else { return nil }
    return (address, index)
  }
}

extension SensorEvent.Kind {
  /// A value of a characteristic that is read once for each link; nil for one without information.
  fileprivate init?(_ characteristic: BluetoothUUID, _ bytes: [UInt8]) {
    guard let number = characteristic.short else { return nil }
    if let field = DeviceInformationField(rawValue: number) {
      // Some sensors end their text with a zero byte.
      self = .information(field, String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
    } else if let location = bytes.first {
      self = .location(location)
    } else {
      return nil
    }
  }
}

extension ConnectFailure {
  fileprivate init(_ failure: BlueZ.ConnectFailure) {
    self =
      switch failure {
      case .aborted: .abortedByLocal
      case .adapterOff: .notReady
      case .unknownDevice: .unknownObject
      case .cancelled: .canceled
      case .authentication: .authentication
      case .inProgress: .inProgress
      case .refused, .accessDenied, .serviceGone, .busLost, .other: .other
      }
  }
}

extension DeviceAddress {
  init(_ address: SensorAddress) {
    // Both types hold exactly 48 bits.
    self.init(truncatingBits: address.bits)
  }
}

extension DisconnectReason {
  /// The text that is stored with the session; nil for an unknown reason.
  fileprivate var text: String? { self == .unknown ? nil : description }
}

extension SubscriptionFailure {
  /// One line: why no values come from a sensor that is connected, and what to do. Trying goes on.
  fileprivate func text(_ address: SensorAddress, isOtherRecorderThere: Bool) -> String {
    switch self {
    case .characteristicMissing:
      "no values: bluetoothd shows no heart-rate service; forget it with: bluetoothctl remove \(address)"
    case .acquiredElsewhere where isOtherRecorderThere:
      "no values: another program has them; org.sensord on this bus is another recorder"
    case .acquiredElsewhere: "no values: another program has them; they come when it ends"
    case .unanswered: "no values: it seems to demand pairing; pair it with: sensord devices pair \(address)"
    case .accessDenied: "no values: the bus refuses; add this user to the group bluetooth"
    case .refused(let name): "no values: bluetoothd refuses (\(name))"
    }
  }

  /// The same for a link that does not come about.
  fileprivate static func keysRefused(_ address: SensorAddress) -> String {
    "no link: the keys are refused; bluetoothctl remove \(address), then sensord devices pair \(address)"
  }
}
