import BlueZ
import GATTHeartRate
import HeartRateRecording
import Sensors
import SeriesStore

extension Recorder {
  /// Reads the list of allowed sensors and follows it: new ones are looked for, sessions of removed ones end.
  func loadAllowedSensors() async {
    guard let store = files?.store else { return }
    let sensors: [AllowedSensor]
    do {
      sensors = try await store.allowedSensors()
    } catch {
      log(.error, "the list of allowed sensors cannot be read: \(error)")
      return
    }
    var list = AllowList(unlisted: settings.unlisted)
    for sensor in sensors {
      guard let address = SensorAddress(sensor.address) else { continue }
      guard list.insert(address, name: sensor.name) else {
        log(.warning, "more than \(AllowList.capacity) sensors are allowed; the last ones are left out")
        break
      }
    }
    guard list != plan.allowed || recordings.isEmpty else { return }
    follow(list)
  }

  private func follow(_ list: AllowList, replacing former: SensorAddress? = nil) {
    let now = clock.now()
    followClock(at: now)
    for address in recordings.addresses where !list.contains(address) {
      guard let index = recordings.index(of: address), !recordings[index].isUnlisted else { continue }
      if let ending = recordings[index].end(.request, at: now) {
        end(ending, of: index)
        commitSoon(ending.session)
      }
      recordings.remove(at: index)
      if address != former { log(.notice, "\(address): not allowed any more") }
    }
    for address in list.addresses {
      let index = recordings.index(of: address) ?? insertRecording(address, name: nil, at: now)
      recordings[index].name = list.name(of: address) ?? recordings[index].name
      recordings[index].isUnlisted = false
    }
    perform(plan.allow(list, at: now))
    planKnownDevices(at: now)
    publishStatus()
  }

  /// A listed sensor goes on under its lasting address, at once: its link would be ended as nobody's otherwise. The keys prove that it is
  /// the same one, and a person has paired it.
  func learnIdentity(_ identity: DeviceAddress, of address: DeviceAddress) {
    guard let former = SensorAddress(bits: address.bits), let identity = SensorAddress(bits: identity.bits) else {
      return
    }
    var list = plan.allowed
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

  /// A sensor that is not in the list is recorded if the configuration allows it and it is near enough.
  func admit(_ device: Device, at now: BootInstant) {
    guard case .any = plan.allowed.unlisted, index(of: device.path.adapter) != nil, let rssi = device.rssi,
      let address = SensorAddress(bits: device.address.bits), recordings.index(of: address) == nil,
      plan.allowed.allows(address, rssi: rssi), recordings.count < AllowList.capacity,
      device.services.contains(BluetoothUUID(AssignedUUID.heartRateService))
    else { return }
    recordings[insertRecording(address, name: device.name, at: now)].isUnlisted = true
    log(.notice, "\(address): not in the list of sensors; recorded since the configuration says \"any\"")
  }

  /// Forgets sensors that are not in the list once they are gone and their sessions have ended.
  func removeUnlisted() {
    recordings.removeUnlisted { plan.standing(of: $0) != nil }
  }

  private func insertRecording(_ address: SensorAddress, name: String?, at now: BootInstant) -> Int {
    let limits = SessionLimits(
      awayMicroseconds: settings.awayLimit.microseconds, offSkinMicroseconds: settings.offSkinLimit.microseconds,
      lengthMicroseconds: settings.maximumLength.microseconds)
    var recording = SensorRecording(
      address: address, name: name, limits: limits, boot: clock.boot, wallMinusBoot: wallOffset, at: now)
    recording.eventRules = settings.eventRules
    return recordings.insert(recording)
  }
}

extension Duration {
  /// Whole microseconds, saturating.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? .max : whole + attoseconds / 1_000_000_000_000
  }
}
