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
      perform(plan.connectFailed(address, on: index, Sensors.ConnectFailure(failure), at: now))
    case .linkUp(let device, let path, let isOurs):
      guard let (address, index) = place(device, path) else { return }
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
        channels[address]?.unsubscribedSince = nil
        let text = reason.flatMap { $0 == .unknown ? nil : $0.description }
        log(.info, "\(address): link lost\(text.map { " (\($0))" } ?? "")")
        take(.disconnected(reason: text), of: address, at: now)
      }
      perform(plan.linkLost(address, on: index, at: now))
    case .subscribed(let device, let mode): subscribed(device, mode, at: now)
    case .unsubscribed(let device):
      guard let address = SensorAddress(bits: device.bits) else { return }
      channels[address]?.unsubscribedSince = now
    case .subscriptionFailed(let device, let failure):
      log(.warning, "\(device): no values although it is linked: \(failure.text); trying again")
    case .value(let device, let characteristic, let bytes): read(characteristic, bytes, of: device, at: now)
    case .battery(let device, let percent):
      guard let address = SensorAddress(bits: device.bits) else { return }
      take(.battery(percent: percent), of: address, at: now)
    default: break
    }
  }

  /// A link that is recorded from now on, unless another one of the same sensor is.
  func linkCameUp(_ address: SensorAddress, over adapter: AdapterIndex, at now: BootInstant) {
    guard let channel = channels[address], channel.link == nil else { return }
    channels[address]?.link = adapter
    log(.info, "\(address): linked over \(adapter)")
    take(.connected, of: address, at: now)
  }

  /// A notification: the one event that comes often, so nothing is done here but what it needs.
  func receive(_ bytes: [UInt8], from device: DeviceAddress, at instant: BootInstant) {
    guard let address = SensorAddress(bits: device.bits) else { return }
    plan.valueReceived(from: address, at: instant)
    take(.measurement(bytes), of: address, at: instant)
    if let channel = channels[address], channel.state != channel.currentState {
      tellStatus()
    } else {
      tellValuesSoon()
    }
  }

  private func subscribed(_ device: DeviceAddress, _ mode: SubscriptionMode, at now: BootInstant) {
    guard let address = SensorAddress(bits: device.bits) else { return }
    log(.debug, "\(address): values come (\(mode))")
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

  private func place(_ device: DeviceAddress, _ path: AdapterPath) -> (SensorAddress, AdapterIndex)? {
    guard let address = SensorAddress(bits: device.bits), channels[address] != nil,
      let index = AdapterIndex(name: path.name)
    else { return nil }
    return (address, index)
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

extension SubscriptionFailure {
  fileprivate var text: String {
    switch self {
    case .characteristicMissing: "BlueZ shows no heart-rate characteristic"
    case .acquiredElsewhere: "another program has taken its values"
    case .unanswered: "no answer; it may have to be paired"
    case .accessDenied: "the bus refuses; add this user to the group bluetooth"
    case .refused(let name): "BlueZ refuses (\(name))"
    }
  }
}
