import GATTHeartRate
import BlueZ
import HeartRateRecording
import Sensors
import SeriesStore

extension Recorder {
  var limits: SessionLimits {
    SessionLimits(
      awayMicroseconds: settings.awayLimit.microseconds, offSkinMicroseconds: settings.offSkinLimit.microseconds,
      lengthMicroseconds: settings.maximumLength.microseconds)
  }

  /// Called by the store's watch: another process may have changed the list, or the file is another one now.
  func storeWasTouched() {
    Task(executorPreference: loop) { await self.reloadIfChanged() }
  }

  private func reloadIfChanged() async {
    guard !isStopping, let store else { return }
    // One that could not be opened the last time is closed.
    if storeTimer == nil, (try? await store.hasVanished()) ?? true { lookAtStore(after: .milliseconds(300)) }
    do {
      guard try await store.noticeChanges() else { return }
      await loadAllowedSensors()
      await eraseDeleted()
    } catch {
      log(.error, "the store cannot be read: \(error)")
    }
  }

  /// Reads the list of allowed sensors and follows it: new ones are looked for, sessions of removed ones end.
  func loadAllowedSensors() async {
    guard let store else { return }
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
    guard list != plan.allowed || channels.isEmpty else { return }
    follow(list)
  }

  private func follow(_ list: AllowList) {
    let now = clock.now()
    for address in channels.keys where !list.contains(address) && channels[address]?.isUnlisted != true {
      guard var channel = channels.removeValue(forKey: address) else { continue }
      if let session = channel.session, let end = channel.machine.end(.request, at: now).end {
        close(&channel, end)
        commitSoon(session)
      }
      log(.notice, "\(label(channel)): not allowed any more")
    }
    for address in list.addresses {
      var channel = channels[address] ?? newChannel(address, name: nil, at: now)
      channel.name = list.name(of: address) ?? channel.name
      channel.isUnlisted = false
      channels[address] = channel
    }
    perform(plan.allow(list, at: now))
    tellKnownDevices(at: now)
    tellStatus()
  }

  /// A sensor that is not in the list is recorded where the configuration says so and it is near enough.
  func admit(_ device: Device, at now: BootInstant) {
    guard case .any = plan.allowed.unlisted, index(of: device.path.adapter) != nil, let rssi = device.rssi,
      let address = SensorAddress(bits: device.address.bits), channels[address] == nil,
      plan.allowed.allows(address, rssi: rssi), channels.count < AllowList.capacity,
      device.services.contains(BluetoothUUID(AssignedUUID.heartRateService))
    else { return }
    var channel = newChannel(address, name: device.name, at: now)
    channel.isUnlisted = true
    channels[address] = channel
    log(.notice, "\(address): not in the list of sensors; recorded since the configuration says \"any\"")
  }

  /// Forgets sensors that are not in the list once they are gone and their sessions have ended.
  func dropUnlisted() {
    for (address, channel) in channels where channel.isUnlisted {
      if channel.session == nil, channel.link == nil, plan.standing(of: address) == nil { channels[address] = nil }
    }
  }

  private func newChannel(_ address: SensorAddress, name: String?, at now: BootInstant) -> SensorChannel {
    var channel = SensorChannel(
      address: address, name: name, limits: limits, since: now.microseconds + wallOffset)
    _ = channel.machine.handle(SensorEvent(.boot(clock.boot), at: now))
    _ = channel.machine.handle(SensorEvent(.clock(wallMinusBootMicroseconds: wallOffset), at: now))
    return channel
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
