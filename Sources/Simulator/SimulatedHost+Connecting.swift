internal import Support

extension SimulatedHost {
  mutating func connect(_ call: Call, _ key: DeviceKey) {
    guard let device = self[key] else { return }
    let adapter = adapters[key.adapter]
    if device.connecting != nil { return answer(call.token, .failure(.failed("Operation already in progress"))) }
    if device.link != nil { return answer(call.token) }
    guard adapter.isPowered || adapter.isStarting else {
      return answer(call.token, .failure(.failed("Input/output error")))
    }
    if scenario.isBusyWhileScanning, !adapter.sessions.isEmpty {
      return answer(call.token, .failure(.failed("le-connection-busy")))
    }
    self[key]?.connecting = call.token
    self[key]?.isTemporary = false
    agenda.strike(device.expiry)
    self[key]?.expiry = nil
    let timeout = enter(.connectTimeout(key), in: Delay.connectTimeout)
    self[key]?.connectTimeout = timeout
    // An adapter without power never starts the attempt: it stays pending.
    guard adapter.isPowered else { return }
    adapters[key.adapter].attempts.insert(key.strap)
    tryLink(key.adapter)
  }

  mutating func connectTimedOut(_ key: DeviceKey) {
    self[key]?.connectTimeout = nil
    cancelConnect(key, .aborted)
  }

  /// Ends the pending Connect with an error and cancels the attempt.
  mutating func cancelConnect(_ key: DeviceKey, _ error: BusError) {
    cancelAttempt(key)
    agenda.strike(self[key]?.connectTimeout)
    self[key]?.connectTimeout = nil
    if let token = self[key]?.connecting {
      self[key]?.connecting = nil
      answer(token, .failure(error))
    }
    if self[key]?.link == nil, self[key]?.isPaired == false { self[key]?.isTemporary = true }
    armExpiry(key)
  }

  /// Drops the pending Connect together with its object; BlueZ 5.66 never answers it.
  mutating func forgetConnect(_ key: DeviceKey) {
    cancelAttempt(key)
    agenda.strike(self[key]?.connectTimeout)
    self[key]?.connectTimeout = nil
    self[key]?.connecting = nil
  }

  mutating func linkFailed(_ key: DeviceKey, _ failure: LinkFailure) {
    guard let device = self[key], device.connecting != nil else { return }
    cancelConnect(key, .aborted)
    if failure == .refused { change(key, ["Connected": .bool(false)]) }
    // A device that was never connected is removed with the error.
    if failure == .noRoom, !device.wasEverConnected { removeObjects(key) }
  }

  mutating func answerConnect(_ key: DeviceKey) {
    guard let token = self[key]?.connecting else { return }
    self[key]?.connecting = nil
    answer(token)
  }

  /// A link is up: signals it in one of the observed orders, restores subscriptions, resolves the services.
  mutating func linkUp(_ key: DeviceKey, link: Int) {
    guard let device = self[key] else { return endUnwantedLink(key) }
    agenda.strike(device.connectTimeout)
    agenda.strike(device.expiry)
    let order = nextResolveOrder()
    self[key]?.connectTimeout = nil
    self[key]?.expiry = nil
    self[key]?.link = link
    self[key]?.wasEverConnected = true
    self[key]?.isTemporary = false
    self[key]?.resolveOrder = order
    if order != .late, order != .untold { showConnected(key) }
    if order == .early { answerConnect(key) }
    for (handle, subscription) in device.subscriptions.sorted(by: { $0.key < $1.key })
    where !subscription.clients.isEmpty {
      for client in subscription.clients.indices {
        self[key]?.subscriptions[handle]?.clients[client].isRegistered = true
      }
      writeConfiguration(key, link: link, handle: handle, uuid: subscription.uuid, on: true)
    }
    let known = device.layout == straps[key.strap].layout
    if straps[key.strap].staleLinks > 0 {
      straps[key.strap].staleLinks -= 1
      self[key]?.isStale = true
    }
    enter(DaemonEvent.resolve(key, link: link), in: known ? Delay.verification : Delay.discovery)
  }

  private mutating func endUnwantedLink(_ key: DeviceKey) {
    enter(AirEvent.endLink(key.strap, link: straps[key.strap].linkNumber, reason: 0x13), in: .zero)
  }

  private mutating func nextResolveOrder() -> ResolveOrder {
    guard scenario.resolveOrder == .mixed else { return scenario.resolveOrder }
    switch random.next() % 10 {
    case 0: return .late
    case 1: return .untold
    case 2...4: return .early
    default: return .usual
    }
  }

  private mutating func showConnected(_ key: DeviceKey) {
    self[key]?.isConnected = true
    change(key, ["Connected": .bool(true)])
  }

  /// The services are resolved: moved objects are removed, new ones are added, then ServicesResolved is set.
  mutating func resolve(_ key: DeviceKey, link: Int) {
    guard let device = self[key], device.link == link, !device.isResolved else { return }
    let order = device.resolveOrder
    subscribeToBattery(key)
    if order == .early { addBattery(key) }
    if order == .hollow {
      enter(DaemonEvent.exportServices(key, link: link), in: Delay.verification)
    } else {
      showServices(key)
    }
    var changed: Properties = ["ServicesResolved": .bool(true)]
    let uuids = layoutSeen(key).uuids
    if self[key]?.uuids != uuids {
      self[key]?.uuids = uuids
      changed["UUIDs"] = .strings(uuids)
    }
    self[key]?.isResolved = true
    change(key, changed)
    if order != .early { addBattery(key) }
    for handle in (self[key]?.subscriptions.keys).map({ $0.sorted() }) ?? [] { finishAcquire(key, handle: handle) }
    switch order {
    case .late:
      answerConnect(key)
      showConnected(key)
    case .untold:
      answerConnect(key)
      self[key]?.isConnected = true
    case .usual, .early, .hollow, .mixed: enter(DaemonEvent.connectReply(key, link: link), in: .milliseconds(5))
    }
  }

  mutating func exportServices(_ key: DeviceKey, link: Int) {
    if self[key]?.link == link { showServices(key) }
  }

  /// The strap's services from bluetoothd's view.
  private func layoutSeen(_ key: DeviceKey) -> GATTLayout {
    let layout = straps[key.strap].layout
    return self[key]?.isStale == true ? layout.without(GATTLayout.heartRate) : layout
  }

  /// Updates the exported objects to those of the strap. Services that moved are removed first, with their subscriptions.
  mutating func showServices(_ key: DeviceKey) {
    let new = layoutSeen(key)
    let old = self[key]?.layout
    for service in old?.exported ?? [] where !new.services.contains(service) {
      for characteristic in service.characteristics { dropSubscription(key, handle: characteristic.handle) }
      withdraw(key, service)
    }
    if let old, old != new, self[key]?.isResolved == false {
      let kept = old.services.filter(new.services.contains).map(\.uuid).sorted()
      self[key]?.uuids = kept
      change(key, ["UUIDs": .strings(kept)])
    }
    self[key]?.layout = new
    for service in new.exported where !(old?.services.contains(service) ?? false) {
      for (path, object) in children(of: key, service: service) { announce(path, object) }
    }
  }

  /// BlueZ subscribes to the battery level by itself.
  private mutating func subscribeToBattery(_ key: DeviceKey) {
    guard straps[key.strap].link == key.adapter else { return }
    straps[key.strap].subscriptions.insert(GATTLayout.batteryLevel)
    logSubscription(key.strap, uuid: GATTLayout.batteryLevel, on: true)
  }

  mutating func addBattery(_ key: DeviceKey) {
    guard self[key]?.hasBattery == false else { return }
    self[key]?.hasBattery = true
    let percent = straps[key.strap].battery
    self[key]?.batteryLevel = percent
    effects.append(
      .interfacesAdded(
        path: path(key), ["org.bluez.Battery1": ["Percentage": .byte(percent)]]))
  }

  mutating func removeBattery(_ key: DeviceKey) {
    guard self[key]?.hasBattery == true else { return }
    self[key]?.hasBattery = false
    effects.append(.interfacesRemoved(path: path(key), ["org.bluez.Battery1"]))
  }

  mutating func batteryChanged(_ key: DeviceKey, link: Int, _ percent: UInt8) {
    guard let device = self[key], device.link == link, device.hasBattery, device.batteryLevel != percent else { return }
    self[key]?.batteryLevel = percent
    effects.append(
      .propertiesChanged(
        path: path(key), interface: "org.bluez.Battery1", ["Percentage": .byte(percent)], invalidated: []))
  }

  /// The strap indicates that its services have moved. Everything happens at once; clients see from the new objects only
  /// that their subscriptions are gone.
  mutating func serviceChanged(_ key: DeviceKey, link: Int) {
    guard let device = self[key], device.link == link, device.isResolved,
      device.layout != straps[key.strap].layout
    else { return }
    removeBattery(key)
    let uuids = straps[key.strap].layout.uuids
    let without = uuids.filter { $0 != GATTLayout.heartRate }
    self[key]?.uuids = without
    change(key, ["UUIDs": .strings(without)])
    showServices(key)
    self[key]?.uuids = uuids
    change(key, ["UUIDs": .strings(uuids)])
    subscribeToBattery(key)
    addBattery(key)
  }

  mutating func disconnect(_ call: Call, _ key: DeviceKey) {
    guard let device = self[key] else { return }
    if device.connecting != nil, device.link == nil {
      cancelConnect(key, .canceled)
      return answer(call.token)
    }
    guard let link = device.link else { return answer(call.token) }
    let isFirst = !device.isDisconnecting
    self[key]?.disconnecting.append(call.token)
    guard isFirst else { return }
    removeBattery(key)
    enter(AirEvent.endLink(key.strap, link: link, reason: 0x13), in: Delay.disconnect)
  }

  /// The link ended: closes descriptors first, then changes the properties, then removes the battery.
  mutating func linkDown(_ key: DeviceKey, link: Int, reason: UInt8) {
    guard let device = self[key], device.link == link else { return }
    showDisconnected(key)
    if scenario.signalsReasons { signalReason(key, isOurs: device.isDisconnecting, reason: reason) }
    removeBattery(key)
    if device.isBeingRemoved { return removeObjects(key) }
    if !device.isPaired { self[key]?.isTemporary = true }
    armExpiry(key)
  }

  /// Signals why the link ended, as BlueZ does since 5.83.
  private mutating func signalReason(_ key: DeviceKey, isOurs: Bool, reason: UInt8) {
    let (name, message) =
      switch (isOurs, reason) {
      case (true, _): ("Local", "Connection terminated by local host")
      case (_, 0x08): ("Timeout", "Connection timeout")
      case (_, 0x13), (_, 0x14), (_, 0x15): ("Remote", "Connection terminated by remote user")
      default: ("Unknown", "Unspecified")
      }
    effects.append(
      .signal(
        path: path(key), interface: "org.bluez.Device1", member: "Disconnected",
        [.string("org.bluez.Reason." + name), .string(message)]))
  }

  /// Signals that a device is disconnected, if it was connected. Answers calls that waited for the link's end.
  mutating func showDisconnected(_ key: DeviceKey) {
    guard let device = self[key], device.link != nil else { return }
    self[key]?.link = nil
    self[key]?.isResolved = false
    self[key]?.isConnected = false
    self[key]?.isStale = false
    let acquired = closeLinkOfSubscriptions(key)
    if device.connecting != nil { cancelConnect(key, .aborted) }
    if device.isDisconnecting {
      if device.isResolved { change(key, ["ServicesResolved": .bool(false)]) }
      for token in device.disconnecting { answer(token) }
      self[key]?.disconnecting = []
      change(key, ["Connected": .bool(false)])
    } else {
      change(
        key,
        device.isResolved
          ? ["ServicesResolved": .bool(false), "Connected": .bool(false)] : ["Connected": .bool(false)])
    }
    for handle in acquired { change(key, handle: handle, ["NotifyAcquired": .bool(false)]) }
  }
}
