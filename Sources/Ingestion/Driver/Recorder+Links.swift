import BlueZ
import HeartRateRecording
import Sensors

extension Recorder {
  /// Handles BlueZ's events about links and values of followed sensors.
  func handleLink(_ event: Event, at now: BootInstant) {
    switch event {
    case .connectFailed(let device, let path, let failure):
      guard let (address, adapter, index) = place(device, path) else { return }
      recordings[index].connecting(false)
      log(.debug, "\(address): connecting failed (\(failure))")
      if failure == .authentication { valuesMissing(because: SubscriptionFailure.keysRefused(address), of: address) }
      perform(plan.connectFailed(address, on: adapter, Sensors.ConnectFailure(failure), at: now))
      removeUnlisted()
    case .linkUp(let device, let path, let isOurs):
      guard let (address, adapter, index) = place(device, path) else {
        // Nobody's any more: the sensor was removed meanwhile, or BlueZ knows it by another address now.
        if isOurs { bus?.central.assumeIsolated { _ = $0.disconnect(device, on: path) } }
        return
      }
      recordings[index].connecting(false)
      linkCameUp(address, over: adapter, at: now)
      perform(
        isOurs ? plan.connectSucceeded(address, on: adapter, at: now) : plan.linkUp(address, on: adapter, at: now))
    case .servicesResolved(let device, let path):
      guard let (address, adapter, _) = place(device, path) else { return }
      perform(plan.servicesResolved(address, on: adapter, at: now))
    case .linkDown(let device, let path, let reason):
      guard let (address, adapter, _) = place(device, path) else { return }
      linkLost(address, over: adapter, reason: reason?.text, at: now)
    case .disconnectReason(let device, let path, let reason):
      guard let (address, adapter, index) = place(device, path), let text = reason.text else { return }
      perform(recordings[index].linkDownReason(text, over: adapter), of: address, at: now)
    default: handleValue(event, at: now)
    }
  }

  /// Handles BlueZ's events about a sensor's values, except the values themselves.
  private func handleValue(_ event: Event, at now: BootInstant) {
    switch event {
    case .subscribed(let device, let mode):
      guard let address = SensorAddress(bits: device.bits) else { return }
      log(.debug, "\(address): values come (\(mode))")
      plan.valuesUsedElsewhere(mode == .shared, from: address)
      guard let index = recordings.index(of: address) else { return }
      perform(recordings[index].subscribed(at: now), of: address, at: now)
    case .unsubscribed(let device):
      guard let (_, index) = sensor(device) else { return }
      recordings[index].unsubscribed(at: now)
    case .subscriptionFailed(let device, let failure):
      guard let (address, index) = sensor(device) else { return }
      log(recordings[index].valuesMissing(because: failure.text(address, isOtherRecorderThere: plan.givesPrecedence)))
      if failure == .acquiredElsewhere { plan.valuesUsedElsewhere(true, from: address) }
      if failure == .unanswered, let adapter = recordings[index].adapter {
        perform(plan.subscriptionUnanswered(address, on: adapter, at: now))
      }
    case .value(let device, let characteristic, let bytes):
      guard let (address, _) = sensor(device) else { return }
      if let kind = SensorEvent.Kind(characteristic, bytes) { record(kind, of: address, at: now) }
    case .battery(let device, let percent):
      guard let (address, index) = sensor(device) else { return }
      record(.battery(percent: percent), of: address, at: now)
      log(recordings[index].battery(percent))
    default: break
    }
  }

  private func sensor(_ device: DeviceAddress) -> (SensorAddress, index: Int)? {
    guard let address = SensorAddress(bits: device.bits), let index = recordings.index(of: address) else { return nil }
    return (address, index)
  }

  /// A link that is recorded from now on, unless another one of the same sensor is.
  func linkCameUp(_ address: SensorAddress, over adapter: AdapterIndex, at now: BootInstant) {
    guard let index = recordings.index(of: address) else { return }
    perform(recordings[index].linkUp(over: adapter), of: address, at: now)
  }

  /// Why no values come, in the status until they do, and once in the log.
  func valuesMissing(because problem: String, of address: SensorAddress) {
    if let index = recordings.index(of: address) { log(recordings[index].valuesMissing(because: problem)) }
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
