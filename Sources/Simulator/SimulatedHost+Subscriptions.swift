extension SimulatedHost {
  mutating func startNotify(_ call: Call, _ key: DeviceKey, _ characteristic: GATTLayout.Characteristic) {
    let handle = characteristic.handle
    guard let device = self[key] else { return }
    if device.isDisconnecting { return answer(call.token, .failure(.notConnected)) }
    var subscription = device.subscriptions[handle] ?? NotifySubscription(uuid: characteristic.uuid)
    if subscription.acquirer != nil { return answer(call.token, .failure(.notPermitted("Notify acquired"))) }
    guard characteristic.notifies else { return answer(call.token, .failure(.notSupported)) }
    if let known = subscription.clients.first(where: { $0.sender == call.sender }) {
      return known.isRegistered ? answer(call.token) : answer(call.token, .failure(.inProgress))
    }
    subscription.clients.append(NotifySubscription.Client(sender: call.sender, isRegistered: device.link != nil))
    guard let link = device.link else {
      // Takes effect with the next link.
      self[key]?.subscriptions[handle] = subscription
      return answer(call.token)
    }
    subscription.starting.append(call.token)
    self[key]?.subscriptions[handle] = subscription
    switch subscription.configuration {
    case .off: writeConfiguration(key, link: link, handle: handle, uuid: characteristic.uuid, on: true)
    case .writing: break
    case .on: finishStart(key, handle: handle)
    }
  }

  mutating func acquireNotify(_ call: Call, _ key: DeviceKey, _ characteristic: GATTLayout.Characteristic) {
    let handle = characteristic.handle
    guard let device = self[key], let link = device.link else {
      return answer(call.token, .failure(.failed("Not connected")))
    }
    var subscription = device.subscriptions[handle] ?? NotifySubscription(uuid: characteristic.uuid)
    if subscription.acquirer != nil { return answer(call.token, .failure(.notPermitted("Notify acquired"))) }
    if !subscription.clients.isEmpty { return answer(call.token, .failure(.inProgress)) }
    guard characteristic.flags.contains("notify") else { return answer(call.token, .failure(.notSupported)) }
    subscription.acquirer = call.sender
    subscription.acquiring = call.token
    self[key]?.subscriptions[handle] = subscription
    writeConfiguration(key, link: link, handle: handle, uuid: characteristic.uuid, on: true)
  }

  mutating func stopNotify(_ call: Call, _ key: DeviceKey, _ characteristic: GATTLayout.Characteristic) {
    let handle = characteristic.handle
    if self[key]?.subscriptions[handle]?.acquirer != nil {
      // Any caller ends the acquisition.
      endAcquired(key, handle: handle)
      return answer(call.token)
    }
    guard self[key]?.subscriptions[handle]?.clients.contains(where: { $0.sender == call.sender }) == true else {
      return answer(call.token, .failure(.failed("No notify session started")))
    }
    removeClient(key, handle: handle, call.sender)
    answer(call.token)
  }

  /// Schedules the write of the strap's client characteristic configuration.
  mutating func writeConfiguration(_ key: DeviceKey, link: Int, handle: UInt16, uuid: String, on: Bool) {
    self[key]?.subscriptions[handle]?.configuration = on ? .writing : .off
    enter(AirEvent.configure(key, link: link, handle: handle, uuid: uuid, on: on), in: Delay.exchange)
  }

  /// The strap answered the write of the configuration.
  mutating func configured(_ key: DeviceKey, link: Int, handle: UInt16, accepted: Bool) {
    guard let device = self[key], device.link == link, let subscription = device.subscriptions[handle],
      subscription.configuration == .writing
    else { return }
    guard accepted else {
      self[key]?.subscriptions[handle]?.configuration = .off
      return failPending(key, handle: handle, .failed("Operation failed with ATT error: 0x03"))
    }
    self[key]?.subscriptions[handle]?.configuration = .on
    finishStart(key, handle: handle)
    finishAcquire(key, handle: handle)
  }

  private mutating func finishStart(_ key: DeviceKey, handle: UInt16) {
    guard let subscription = self[key]?.subscriptions[handle], !subscription.clients.isEmpty else { return }
    if !subscription.isNotifying {
      self[key]?.subscriptions[handle]?.isNotifying = true
      change(key, handle: handle, ["Notifying": .bool(true)])
    }
    self[key]?.subscriptions[handle]?.starting = []
    // A value may come before the reply.
    for token in subscription.starting {
      enter(DaemonEvent.startNotifyReply(token), in: .microseconds(Int64(random.uniform(0...6000))))
    }
  }

  /// Hands out the descriptor after the strap has answered and the services are resolved. Earlier values are lost.
  mutating func finishAcquire(_ key: DeviceKey, handle: UInt16) {
    guard let device = self[key], device.isResolved, let subscription = device.subscriptions[handle],
      let token = subscription.acquiring, subscription.configuration == .on
    else { return }
    let pipe = PipeToken(number: nextNumber())
    self[key]?.subscriptions[handle]?.acquiring = nil
    self[key]?.subscriptions[handle]?.pipe = pipe
    self[key]?.subscriptions[handle]?.isAcquired = true
    answer(token, .pipe(pipe))
    change(key, handle: handle, ["NotifyAcquired": .bool(true)])
  }

  private mutating func failPending(_ key: DeviceKey, handle: UInt16, _ error: BusError) {
    guard let subscription = self[key]?.subscriptions[handle] else { return }
    self[key]?.subscriptions[handle]?.starting = []
    self[key]?.subscriptions[handle]?.acquiring = nil
    for token in subscription.starting { answer(token, .failure(error)) }
    if let token = subscription.acquiring {
      self[key]?.subscriptions[handle]?.acquirer = nil
      answer(token, .failure(error))
    }
  }

  /// A packet from the strap reaches bluetoothd.
  mutating func receive(_ key: DeviceKey, link: Int, uuid: String, _ bytes: [UInt8], number: Int?) {
    guard let device = self[key], device.link == link else {
      if uuid == GATTLayout.measurement { swallow(key.strap, bytes, number: number, why: "nobody") }
      return
    }
    if uuid == GATTLayout.batteryLevel, let percent = bytes.first { batteryChanged(key, link: link, percent) }
    guard let handle = device.layout?.characteristic(uuid)?.handle, let subscription = device.subscriptions[handle]
    else {
      if uuid == GATTLayout.measurement { swallow(key.strap, bytes, number: number, why: "nobody") }
      return
    }
    if let pipe = subscription.pipe {
      effects.append(.packet(pipe, bytes))
    } else if subscription.registered > 0 {
      enter(DaemonEvent.emit(key, link: link, handle: handle, bytes: bytes, number: number), in: Delay.emission)
    } else if uuid == GATTLayout.measurement {
      swallow(key.strap, bytes, number: number, why: subscription.acquiring != nil ? "early" : "nobody")
    }
  }

  /// Emits the signal for a value: once for each subscribed client, to everybody.
  mutating func emit(_ key: DeviceKey, link: Int, handle: UInt16, _ bytes: [UInt8], number: Int?) {
    let isMeasurement = self[key]?.layout?.characteristic(at: handle)?.uuid == GATTLayout.measurement
    guard let device = self[key], device.link == link, let count = device.subscriptions[handle]?.registered, count > 0
    else {
      if isMeasurement { swallow(key.strap, bytes, number: number, why: "disconnect") }
      return
    }
    self[key]?.values[handle] = bytes
    for _ in 0..<count { change(key, handle: handle, ["Value": .bytes(bytes)]) }
  }

  /// The link ended: closes descriptors; clients of StartNotify wait for the next link.
  ///
  /// - Returns: the handles that were acquired.
  mutating func closeLinkOfSubscriptions(_ key: DeviceKey) -> [UInt16] {
    var acquired: [UInt16] = []
    for handle in (self[key]?.subscriptions.keys).map({ $0.sorted() }) ?? [] {
      if straps[key.strap].profile.pairing != nil, self[key]?.isPaired == false,
        self[key]?.subscriptions[handle]?.acquiring != nil
      {
        // A request that waits for encryption outlives its link: later ones are refused until StopNotify.
        self[key]?.subscriptions[handle]?.configuration = .off
        continue
      }
      failPending(key, handle: handle, .failed("Operation failed with ATT error: 0x0e"))
      guard let subscription = self[key]?.subscriptions[handle] else { continue }
      if let pipe = subscription.pipe { effects.append(.close(pipe)) }
      if subscription.isAcquired { acquired.append(handle) }
      self[key]?.subscriptions[handle]?.pipe = nil
      self[key]?.subscriptions[handle]?.acquirer = nil
      self[key]?.subscriptions[handle]?.isAcquired = false
      self[key]?.subscriptions[handle]?.configuration = .off
      for client in subscription.clients.indices {
        self[key]?.subscriptions[handle]?.clients[client].isRegistered = false
      }
    }
    return acquired
  }

  /// The characteristic moved: its subscriptions end without a signal.
  mutating func dropSubscription(_ key: DeviceKey, handle: UInt16) {
    guard let subscription = self[key]?.subscriptions[handle] else { return }
    failPending(key, handle: handle, .failed("Operation failed with ATT error: 0x0e"))
    if let pipe = subscription.pipe { effects.append(.close(pipe)) }
    self[key]?.subscriptions[handle] = nil
    self[key]?.values[handle] = nil
  }

  /// Ends the subscription of a client that left the bus.
  mutating func endSubscription(_ key: DeviceKey, handle: UInt16, of sender: String) {
    if self[key]?.subscriptions[handle]?.acquirer == sender { endAcquired(key, handle: handle) }
    if self[key]?.subscriptions[handle]?.clients.contains(where: { $0.sender == sender }) == true {
      removeClient(key, handle: handle, sender)
    }
  }

  /// A client has closed its descriptor.
  mutating func pipeClosed(_ pipe: PipeToken) {
    for adapter in adapters.indices {
      for (strap, device) in adapters[adapter].devices {
        guard let handle = device.subscriptions.first(where: { $0.value.pipe == pipe })?.key else { continue }
        return endAcquired(DeviceKey(adapter: adapter, strap: strap), handle: handle)
      }
    }
  }

  private mutating func endAcquired(_ key: DeviceKey, handle: UInt16) {
    failPending(key, handle: handle, .failed("Operation failed with ATT error: 0x0e"))
    guard let subscription = self[key]?.subscriptions[handle] else { return }
    if let pipe = subscription.pipe { effects.append(.close(pipe)) }
    self[key]?.subscriptions[handle]?.pipe = nil
    self[key]?.subscriptions[handle]?.acquirer = nil
    self[key]?.subscriptions[handle]?.isAcquired = false
    if subscription.isAcquired { change(key, handle: handle, ["NotifyAcquired": .bool(false)]) }
    if let link = self[key]?.link, subscription.isAcquired {
      writeConfiguration(key, link: link, handle: handle, uuid: subscription.uuid, on: false)
    }
  }

  private mutating func removeClient(_ key: DeviceKey, handle: UInt16, _ sender: String) {
    self[key]?.subscriptions[handle]?.clients.removeAll { $0.sender == sender }
    guard let subscription = self[key]?.subscriptions[handle], subscription.clients.isEmpty else { return }
    self[key]?.subscriptions[handle]?.isNotifying = false
    if subscription.isNotifying { change(key, handle: handle, ["Notifying": .bool(false)]) }
    if let link = self[key]?.link {
      writeConfiguration(key, link: link, handle: handle, uuid: subscription.uuid, on: false)
    }
  }
}
