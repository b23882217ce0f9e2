import HeartRateRecording
import BlueZ
import Sensors

extension Recorder {
  /// Values that stopped on a link that is up, for longer than this, are a gap as a lost link is.
  private static let unsubscribedLimit: Int64 = 1_500_000

  /// What BlueZ tells of the links and values of followed sensors.
  func handleLink(_ event: Event, at now: BootInstant) {
    switch event {
    case .connectFailed(let device, let path, let failure):
      guard let (address, index) = place(device, path) else { return }
      channels[address]?.isConnecting = false
      log(.debug, "\(address): connecting failed (\(failure))")
      if failure == .authentication { tell(SubscriptionFailure.keysRefused(address), of: address) }
      perform(plan.connectFailed(address, on: index, Sensors.ConnectFailure(failure), at: now))
      dropUnlisted()
    case .linkUp(let device, let path, let isOurs):
      guard let (address, index) = place(device, path) else {
        // Nobody's any more: the sensor was removed meanwhile, or BlueZ knows it by another address now.
        if isOurs { client?.assumeIsolated { _ = $0.disconnect(device, on: path) } }
        return
      }
      channels[address]?.isConnecting = false
      linkCameUp(address, over: index, at: now)
      perform(
        isOurs ? plan.connectSucceeded(address, on: index, at: now) : plan.linkUp(address, on: index, at: now))
    case .servicesResolved(let device, let path):
      guard let (address, index) = place(device, path) else { return }
      perform(plan.servicesResolved(address, on: index, at: now))
    case .linkDown(let device, let path, let reason):
      guard let (address, index) = place(device, path) else { return }
      if channels[address]?.link == index {
        channels[address]?.link = nil
        channels[address]?.lostLink = index
        channels[address]?.unsubscribedSince = nil
        log(.info, "\(address): link lost\(reason?.text.map { " (\($0))" } ?? "")")
        take(.disconnected(reason: reason?.text), of: address, at: now)
      }
      perform(plan.linkLost(address, on: index, at: now))
      dropUnlisted()
    case .disconnectReason(let device, let path, let reason):
      guard let (address, index) = place(device, path), channels[address]?.link == nil,
        channels[address]?.lostLink == index, let text = reason.text
      else { return }
      channels[address]?.lostLink = nil
      log(.info, "\(address): the link was lost for this reason: \(text)")
      take(.disconnected(reason: text), of: address, at: now)
    case .subscribed(let device, let mode): subscribed(device, mode, at: now)
    case .unsubscribed(let device):
      guard let address = SensorAddress(bits: device.bits) else { return }
      channels[address]?.unsubscribedSince = now
    case .subscriptionFailed(let device, let failure):
      guard let address = SensorAddress(bits: device.bits) else { return }
      tell(failure.text(address), of: address)
      if failure == .unanswered, let adapter = channels[address]?.link {
        perform(plan.subscriptionUnanswered(address, on: adapter, at: now))
      }
    case .value(let device, let characteristic, let bytes): read(characteristic, bytes, of: device, at: now)
    case .battery(let device, let percent):
      guard let address = SensorAddress(bits: device.bits) else { return }
      take(.battery(percent: percent), of: address, at: now)
      watchBattery(percent, of: address)
    default: break
    }
  }

  /// A link that is recorded from now on, unless another one of the same sensor is.
  func linkCameUp(_ address: SensorAddress, over adapter: AdapterIndex, at now: BootInstant) {
    guard let channel = channels[address], channel.link == nil else { return }
    channels[address]?.link = adapter
    channels[address]?.lostLink = nil
    log(.info, "\(address): linked over \(adapter)")
    take(.connected, of: address, at: now)
    if let signal = channel.signal { take(.signal(dBm: signal), of: address, at: now) }
    channels[address]?.signal = nil
  }

  /// Why no values come, in the status until they do, and once in the log.
  func tell(_ problem: String, of address: SensorAddress) {
    guard let channel = channels[address], channel.problem != problem else { return }
    channels[address]?.problem = problem
    log(.warning, "\(address): \(problem)")
  }

  /// Says once that a battery is low, and again only after it was changed.
  private func watchBattery(_ percent: UInt8, of address: SensorAddress) {
    guard let channel = channels[address] else { return }
    let isLow = percent <= SensorEvent.lowBatteryPercent
    if isLow, !channel.toldLowBattery { log(.warning, "\(address): its battery is low (\(percent) %)") }
    if isLow || percent > 2 * SensorEvent.lowBatteryPercent { channels[address]?.toldLowBattery = isLow }
  }

  /// A notification: the one event that comes often, so nothing is done here but what it needs.
  func receive(_ bytes: [UInt8], from device: DeviceAddress, at instant: BootInstant) {
    guard let address = SensorAddress(bits: device.bits) else { return }
    hear(bytes, of: address, at: instant)
    if let channel = channels[address], channel.state != channel.currentState {
      tellStatus()
    } else {
      tellValuesSoon()
    }
  }

  func hear(_ bytes: [UInt8], of address: SensorAddress, at instant: BootInstant) {
    if stall != nil { hearDuringStall(of: address, at: instant) }
    plan.valueReceived(from: address, at: instant)
    take(.measurement(bytes), of: address, at: instant)
  }

  private func subscribed(_ device: DeviceAddress, _ mode: SubscriptionMode, at now: BootInstant) {
    guard let address = SensorAddress(bits: device.bits) else { return }
    log(.debug, "\(address): values come (\(mode))")
    if channels[address]?.problem != nil {
      channels[address]?.problem = nil
      log(.notice, "\(address): values come now")
    }
    guard let since = channels[address]?.unsubscribedSince else { return }
    channels[address]?.unsubscribedSince = nil
    guard now.microseconds(since: since) > Self.unsubscribedLimit else { return }
    take(.disconnected(reason: "not subscribed"), of: address, at: now)
    take(.connected, of: address, at: now)
  }

  private func read(_ characteristic: BluetoothUUID, _ bytes: [UInt8], of device: DeviceAddress, at now: BootInstant) {
    guard let address = SensorAddress(bits: device.bits), let number = characteristic.short else { return }
    if let field = DeviceInformationField(rawValue: number) {
      // Some sensors end their text with a zero byte.
      let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      take(.information(field, text), of: address, at: now)
    } else if let location = bytes.first {
      take(.location(location), of: address, at: now)
    }
  }
}

extension Sensors.ConnectFailure {
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
  /// What is kept with the session; nothing where it says nothing.
  fileprivate var text: String? { self == .unknown ? nil : description }
}

extension SubscriptionFailure {
  /// One line: why no values come from a sensor that is connected, and what to do. Trying goes on.
  fileprivate func text(_ address: SensorAddress) -> String {
    switch self {
    case .characteristicMissing:
      "no values: bluetoothd shows no heart-rate service; forget it with: bluetoothctl remove \(address)"
    case .acquiredElsewhere: "no values: another program has taken them; end that program"
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
