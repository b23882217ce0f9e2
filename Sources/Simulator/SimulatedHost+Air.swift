import GATTHeartRate

extension SimulatedHost {
  /// Handles an event in the air.
  mutating func happen(_ event: AirEvent) {
    switch event {
    case .machineItem: playMachineItem()
    case .strapItem(let strap): playStrapItem(strap)
    case .heart(let strap): playHeart(strap)
    case .flood(let strap): playFlood(strap)
    case .advertisement(let strap): sendAdvertisement(strap)
    case .linkMade(let key): makeLink(key)
    case .noRoom(let key): giveUpForRoom(key)
    case .configure(let key, let link, let handle, let uuid, let on):
      configure(key, link: link, handle: handle, uuid: uuid, on: on)
    case .endLink(let strap, let link, let reason):
      if straps[strap].link != nil, straps[strap].linkNumber == link { endLink(strap, reason: reason) }
    case .adapterPowered(let adapter):
      guard adapters[adapter].isPlugged else { return }
      adapters[adapter].isPowered = true
      adapters[adapter].isStarting = false
      report(.adapterPowered(adapter))
    case .daemonStart: signal(.start)
    }
  }

  /// Starts the strap's advertising.
  mutating func advertise(_ strap: Int) {
    guard !straps[strap].isAdvertising, straps[strap].link == nil else { return }
    straps[strap].isAdvertising = true
    log("advertising", strap)
    enterAdvertisement(strap)
    for adapter in adapters.indices { tryLink(adapter, listensAlready: true) }
  }

  /// Schedules the strap's next advertisement, if anybody listens.
  mutating func enterAdvertisement(_ strap: Int) {
    guard straps[strap].isAdvertising, !straps[strap].isAdvertisementEntered else { return }
    guard adapters.contains(where: { !$0.sessions.isEmpty && $0.isPowered }) else { return }
    straps[strap].isAdvertisementEntered = true
    enter(.advertisement(strap), in: straps[strap].profile.advertisingInterval)
  }

  private mutating func sendAdvertisement(_ strap: Int) {
    straps[strap].isAdvertisementEntered = false
    guard straps[strap].isAdvertising else { return }
    for adapter in adapters.indices where adapters[adapter].isPowered && !adapters[adapter].sessions.isEmpty {
      report(.advertisement(DeviceKey(adapter: adapter, strap: strap)))
    }
    enterAdvertisement(strap)
  }

  /// Lets the kernel make the next link: to the strap with the lowest number, whatever the order of the calls.
  ///
  /// If a strap begins to advertise while the kernel already listens for it, the link takes half the time.
  mutating func tryLink(_ adapter: Int, listensAlready: Bool = false) {
    guard adapters[adapter].isPowered, adapters[adapter].linking == nil else { return }
    let audible = adapters[adapter].attempts.filter { straps[$0].isAdvertising }.sorted()
    guard let next = audible.first else { return }
    guard straps.count(where: { $0.link == adapter }) < scenario.connections else {
      for strap in audible where adapters[adapter].withoutRoom[strap] == nil {
        adapters[adapter].withoutRoom[strap] = enter(
          .noRoom(DeviceKey(adapter: adapter, strap: strap)), in: Delay.noRoom)
      }
      return
    }
    adapters[adapter].linking = next
    enter(
      .linkMade(DeviceKey(adapter: adapter, strap: next)),
      in: straps[next].profile.advertisingInterval * (Delay.advertisementsPerLink / (listensAlready ? 2 : 1)))
  }

  private mutating func giveUpForRoom(_ key: DeviceKey) {
    cancelAttempt(key)
    report(.linkFailed(key, .noRoom))
  }

  /// Cancels the kernel's attempt to connect.
  mutating func cancelAttempt(_ key: DeviceKey) {
    adapters[key.adapter].attempts.remove(key.strap)
    agenda.strike(adapters[key.adapter].withoutRoom.removeValue(forKey: key.strap))
  }

  private mutating func makeLink(_ key: DeviceKey) {
    guard adapters[key.adapter].linking == key.strap else { return }
    adapters[key.adapter].linking = nil
    guard adapters[key.adapter].attempts.contains(key.strap), straps[key.strap].isAdvertising else {
      return tryLink(key.adapter)
    }
    cancelAttempt(key)
    straps[key.strap].isAdvertising = false
    log("connected", key.strap, ["peer": .string(adapters[key.adapter].address + "/P")])
    if straps[key.strap].refusals > 0 {
      straps[key.strap].refusals -= 1
      log("disconnected", key.strap, ["reason": .int(0x3E)])
      if straps[key.strap].isAvailable { advertise(key.strap) }
      report(.linkFailed(key, .refused))
    } else {
      straps[key.strap].link = key.adapter
      straps[key.strap].linkNumber += 1
      straps[key.strap].isEncrypted = straps[key.strap].isBonded
      report(.linkUp(key, link: straps[key.strap].linkNumber))
    }
    tryLink(key.adapter)
  }

  /// Ends a link; `reason` is the HCI error that the strap sees. Reports it to bluetoothd, unless the caller reports more
  /// itself.
  mutating func endLink(_ strap: Int, reason: UInt8, reports: Bool = true) {
    guard let adapter = straps[strap].link else { return }
    let link = straps[strap].linkNumber
    straps[strap].link = nil
    straps[strap].subscriptions = []
    straps[strap].isEncrypted = false
    log("disconnected", strap, ["reason": .int(Int(reason))])
    if reports { report(.linkDown(DeviceKey(adapter: adapter, strap: strap), link: link, reason: reason)) }
    if straps[strap].isAvailable { advertise(strap) }
    for waiting in adapters[adapter].withoutRoom.values { agenda.strike(waiting) }
    adapters[adapter].withoutRoom = [:]
    tryLink(adapter)
  }

  /// The strap receives a write of a client characteristic configuration.
  private mutating func configure(_ key: DeviceKey, link: Int, handle: UInt16, uuid: String, on: Bool) {
    guard straps[key.strap].link == key.adapter, straps[key.strap].linkNumber == link else { return }
    guard straps[key.strap].layout.characteristic(at: handle)?.uuid == uuid else {
      // After a change of handles, the write hit something else.
      return report(.configured(key, link: link, handle: handle, accepted: false))
    }
    if on, straps[key.strap].profile.pairing != nil, uuid == GATTLayout.measurement, !straps[key.strap].isEncrypted {
      return report(.encryptionNeeded(key, link: link))
    }
    let begins = on && !straps[key.strap].subscriptions.contains(uuid)
    if on { straps[key.strap].subscriptions.insert(uuid) } else { straps[key.strap].subscriptions.remove(uuid) }
    logSubscription(key.strap, uuid: uuid, on: on)
    let measures = begins && uuid == GATTLayout.measurement
    if measures {
      for number in 0..<straps[key.strap].profile.eagerValues {
        let bytes = ScenarioItem.measurement(
          UInt16(40 + number), wide: false, contact: .notSupported, energy: UInt16(number), ticks: [])
        send(key.strap, bytes, number: nil, time: nil)
      }
      startHeart(key.strap)
      enterFlood(key.strap)
    }
    report(.configured(key, link: link, handle: handle, accepted: true))
    if measures, straps[key.strap].clockStart == nil { startClock(key.strap) }
  }

  /// Logs that the strap was subscribed or unsubscribed, with the short UUID.
  mutating func logSubscription(_ strap: Int, uuid: String, on: Bool) {
    log("subscription", strap, ["what": .string(String(uuid.dropFirst(4).prefix(4))), "on": .bool(on)])
  }

  /// The strap sends a heart rate measurement, if anybody has subscribed.
  mutating func send(_ strap: Int, _ bytes: [UInt8], number: Int?, time: Double?) {
    let item: LogEntry.Field = number.map { .int($0) } ?? .null
    let at: LogEntry.Field = time.map { .double($0) } ?? .double(now.seconds)
    guard straps[strap].subscriptions.contains(GATTLayout.measurement) else {
      return log("unsent", strap, ["n": item, "t": at])
    }
    log("notify", strap, ["n": item, "t": at, "hex": .string(bytes.hex)])
    transmit(strap, GATTLayout.measurement, bytes, number: number)
  }

  /// Sends a packet, or holds it back while the strap stalls.
  mutating func transmit(_ strap: Int, _ uuid: String, _ bytes: [UInt8], number: Int?) {
    let packet = Strap.StalledPacket(uuid: uuid, bytes: bytes, link: straps[strap].linkNumber, number: number)
    if straps[strap].stalled != nil { straps[strap].stalled?.append(packet) } else { deliver(strap, packet) }
  }

  /// Delivers a packet, if the link on which it was sent is still up.
  mutating func deliver(_ strap: Int, _ packet: Strap.StalledPacket) {
    guard let adapter = straps[strap].link, straps[strap].linkNumber == packet.link, daemon != .absent else {
      if packet.uuid == GATTLayout.measurement {
        swallow(strap, packet.bytes, number: packet.number, why: daemon == .absent ? "nobody" : "stalled")
      }
      return
    }
    let key = DeviceKey(adapter: adapter, strap: strap)
    report(.value(key, link: packet.link, uuid: packet.uuid, bytes: packet.bytes, number: packet.number))
  }

  /// Logs that a value of the strap never reached a client, and why.
  mutating func swallow(_ strap: Int, _ bytes: [UInt8], number: Int?, why: String) {
    log(
      "swallowed", strap,
      ["n": number.map { .int($0) } ?? .null, "hex": .string(bytes.hex), "why": .string(why)])
  }
}
