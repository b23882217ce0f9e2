internal import DBus

extension Central {
  /// A signal came.
  func receive(_ message: Message) {
    guard !isStopped else { return }
    if message.sender == tree.owner { trace.note(message.serial) }
    let changes = tree.apply(message)
    for change in changes {
      if case .value(let path, let bytes) = change {
        receive(bytes, of: path, serial: message.serial)
      } else {
        apply(change)
      }
    }
  }

  func apply(_ changes: [ObjectTree.Change]) {
    for change in changes { apply(change) }
  }

  private func apply(_ change: ObjectTree.Change) {
    switch change {
    case .ownerAppeared: mirror()
    case .ownerVanished: loseService(.serviceGone)
    case .adapterChanged(let path):
      guard let adapter = tree.adapters[path] else { return }
      if !adapter.isPowered { endDiscovery(on: path) }
      askForFilters(of: path)
      publish(.adapter(adapter))
    case .adapterRemoved(let adapter):
      endDiscovery(on: adapter.path)
      asked.remove(adapter.path)
      publish(.adapterRemoved(adapter.path))
    case .discoveryEnded(let path): checkDiscovery(on: path)
    case .deviceChanged(let path):
      guard let device = tree.devices[path] else { return }
      // Its link first: an owner that hears of a device that is not linked might connect it.
      if device.hasLink { updateLink(of: device) }
      publish(.deviceChanged(device))
    case .deviceSeen(let path):
      if let device = tree.devices[path], isWanted(device) { publish(.deviceSeen(device)) }
    case .deviceRemoved(let device): remove(device)
    case .connected(let path), .disconnected(let path), .servicesResolved(let path), .servicesLost(let path):
      if let device = tree.devices[path] { updateLink(of: device) }
    case .disconnectReason(let path, let reason):
      guard let peer = peer(path) else { return }
      if linked.contains(peer) {
        reasons[peer] = reason
      } else {
        publish(.disconnectReason(peer.address, peer.adapter, reason))
      }
    case .battery(let path, let percent):
      if let peer = peer(path) { publishBattery(percent, of: peer) }
    case .characteristicAdded(let path), .characteristicRemoved(let path), .subscriberChanged(let path):
      if let peer = peer(path.device) { observe(peer) }
    case .value: return
    }
  }

  /// Replaces all objects. Signals of bluetoothd after its answer are applied on top.
  private func mirror() {
    guard let owner = tree.owner else { return }
    trace.restart()
    _ = connection.loop.schedule(after: configuration.answerLimit) { [weak self] in
      self?.assumeIsolated { $0.noteSilence(of: owner) }
    }
    call(.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects") { central, result in
      guard central.tree.owner == owner, !central.isStopped else { return }
      switch result {
      case .success(let reply):
        let changes = central.tree.load(reply)
        central.publish(.serviceAppeared)
        central.apply(changes)
        central.inherited = nil
      case .failure(let error) where error.code == .disconnected: return
      case .failure(let error):
        // Too busy to answer, as when it starts with many devices; its end would be signalled. A policy that forbids it
        // changes when somebody edits it.
        central.isDenied = error.isAccessDenied
        if error.isAccessDenied { central.publish(.serviceDenied) }
        _ = central.connection.loop.schedule(after: .seconds(error.isAccessDenied ? 10 : 1)) { [weak central] in
          central?.assumeIsolated { $0.mirror(again: owner) }
        }
      }
    }
  }

  /// Reports that bluetoothd has not answered. An answer may still come: when bluetoothd is stopped in a debugger, or
  /// the machine is short of everything.
  private func noteSilence(of owner: String) {
    if tree.owner == owner, !tree.isLoaded, !isStopped, !isDenied { publish(.serviceSilent) }
  }

  private func mirror(again owner: String) {
    if tree.owner == owner, !tree.isLoaded { mirror() }
  }

  private func updateLink(of device: Device) {
    let peer = Peer(address: device.address, adapter: device.path.adapter)
    guard device.hasLink else { return endLink(peer, reason: reasons[peer]) }
    publishLinkUp(peer)
    if !device.servicesResolved {
      resolved.remove(peer)
    } else if resolved.insert(peer).inserted {
      publish(.servicesResolved(peer.address, peer.adapter))
    }
    observe(peer)
  }

  func publishLinkUp(_ peer: Peer) {
    guard linked.insert(peer).inserted else { return }
    reasons[peer] = nil
    let isOurs = attempts[peer].map { !$0.isDeferred } ?? (ours.contains(peer) || isInherited(peer))
    if isOurs {
      attempts[peer]?.isAnswered = true
      ours.insert(peer)
    }
    publish(.linkUp(peer.address, peer.adapter, isOurs: isOurs))
  }

  private func isInherited(_ peer: Peer) -> Bool {
    guard let inherited, inherited.service == tree.owner else { return false }
    return inherited.links.contains(OwnLinks.Link(peer.address, over: peer.adapter))
  }

  /// The link is gone: publishes what came over it, then its end.
  private func endLink(_ peer: Peer, reason: DisconnectReason?) {
    if var follow = follows[peer] {
      let actions = follow.link.observe(isResolved: false, characteristic: nil)
      follows[peer] = follow
      perform(actions, for: peer)
    }
    follows[peer]?.battery = nil
    reasons[peer] = nil
    ours.remove(peer)
    resolved.remove(peer)
    // The link that it has made is gone before BlueZ has answered it: what comes now is of no use, and may never come.
    if attempts[peer]?.isAnswered == true { attempts[peer] = nil }
    guard linked.remove(peer) != nil else { return }
    endPairing(peer)
    publish(.linkDown(peer.address, peer.adapter, reason: reason))
  }

  /// A device is gone, or what was known by this address has another one now: BlueZ learns it with the keys.
  private func remove(_ device: Device) {
    let peer = Peer(address: device.address, adapter: device.path.adapter)
    if let successor = tree.devices[device.path] {
      publish(.identityLearnt(peer.address, identity: successor.address))
      bequeath(peer, to: successor.address)
    }
    let isPowered = tree.adapters[peer.adapter]?.isPowered ?? false
    endLink(peer, reason: reasons[peer] ?? (isPowered ? .removed : .adapterGone))
    // BlueZ 5.66 never answers a Connect whose object it removes.
    if let attempt = attempts.removeValue(forKey: peer), !attempt.isAnswered {
      publish(.connectFailed(peer.address, peer.adapter, .unknownDevice))
    }
    publish(.deviceRemoved(device))
  }

  /// The link is the same one, and ours if it was; so is the one that a Connect is about to make.
  private func bequeath(_ peer: Peer, to identity: DeviceAddress) {
    let successor = Peer(address: identity, adapter: peer.adapter)
    if ours.contains(peer) { ours.insert(successor) }
    guard let attempt = attempts.removeValue(forKey: peer) else { return }
    if attempts[successor] == nil { attempts[successor] = attempt }
    if !attempt.isAnswered { publish(.connectFailed(peer.address, peer.adapter, .unknownDevice)) }
  }

  /// bluetoothd is gone: so is every link. Connects that wait are answered by the bus.
  private func loseService(_ reason: DisconnectReason) {
    trace.restart()
    for peer in linked.sorted(by: { ($0.adapter, $0.address) < ($1.adapter, $1.address) }) {
      endLink(peer, reason: reason)
    }
    for (peer, attempt) in attempts where attempt.isDeferred {
      attempts[peer] = nil
      publish(.connectFailed(peer.address, peer.adapter, .serviceGone))
    }
    discoveries = [:]
    asked = []
    if reason == .serviceGone { publish(.serviceDisappeared) }
  }

  func loseBus() {
    guard !isStopped else { return }
    _ = tree.setOwner(nil)
    loseService(.busLost)
    publish(.busLost)
  }

  private func peer(_ path: DevicePath) -> Peer? {
    tree.devices[path].map { Peer(address: $0.address, adapter: path.adapter) }
  }
}
