internal import DBus

extension Central {
  /// Compares a followed device with the mirror, and does what is due.
  func observe(_ peer: Peer) {
    guard var follow = follows[peer] else { return }
    let device = tree.device(peer.address, on: peer.adapter)
    let isResolved = device?.servicesResolved ?? false
    let characteristic = isResolved ? device.flatMap { tree.characteristic(configuration.notifying, of: $0.path) } : nil
    let actions = follow.link.observe(isResolved: isResolved, characteristic: characteristic)
    follows[peer] = follow
    perform(actions, for: peer)
  }

  func perform(_ actions: [FollowedLink.Action], for peer: Peer) {
    for action in actions {
      switch action {
      case .subscription(let action): perform([action], for: peer)
      case .readOnce: readOnce(peer)
      case .scheduleMissing(let ticket, let milliseconds):
        schedule(milliseconds, for: peer) { central in
          central.perform(central.follows[peer]?.link.handleMissing(ticket: ticket) ?? [], for: peer)
        }
      }
    }
  }

  func perform(_ actions: [Subscription.Action], for peer: Peer) {
    for action in actions {
      switch action {
      case .acquireNotify(let path, let ticket): acquire(path, ticket, for: peer)
      case .startNotify(let path, let ticket):
        whenAnswered("StartNotify", path, for: peer) { central, result in
          let outcome = result.map { _ in () }.mapError { BlueZRefusal($0) }
          return central.follows[peer]?.link.subscription.handleStarted(outcome, ticket: ticket) ?? []
        }
      case .stopNotify(let path): call(path.object, ObjectTree.characteristicInterface, "StopNotify") { _, _ in }
      case .closeDescriptor:
        drain(peer)
        close(peer)
      case .discardDescriptor: break
      case .fence: fence(peer)
      case .schedule(let ticket, let milliseconds):
        schedule(milliseconds, for: peer) { central in
          central.perform(central.follows[peer]?.link.subscription.handleTimer(ticket: ticket) ?? [], for: peer)
        }
      case .notification(let value):
        publish(.notification(peer.address, bytes: value.bytes, microseconds: value.microseconds))
      case .subscribed(let mode): publish(.subscribed(peer.address, mode))
      case .unsubscribed: publish(.unsubscribed(peer.address))
      case .failed(let failure): publish(.subscriptionFailed(peer.address, failure))
      }
    }
  }

  /// A value was emitted as a signal.
  func receive(_ bytes: [UInt8], of path: CharacteristicPath, serial: UInt32) {
    guard let device = tree.devices[path.device] else { return }
    let peer = Peer(address: device.address, adapter: path.device.adapter)
    guard follows[peer]?.link.subscription.characteristic == path else { return }
    // If the descriptor has just ended because another program took over, its packets are the earlier values.
    if follows[peer]?.socket != nil { drain(peer) }
    let emission = Emission(bytes: bytes, serial: serial, gaps: trace.gaps, microseconds: connection.loop.arrivalTime)
    perform(follows[peer]?.link.subscription.handle(emission) ?? [], for: peer)
  }

  private func acquire(_ path: CharacteristicPath, _ ticket: Int, for peer: Peer) {
    whenAnswered("AcquireNotify", path, [.properties([:])], for: peer) { central, result in
      let outcome: Result<Void, BlueZRefusal>
      switch result {
      case .success(let reply):
        // Not opened where it is of no use any more: it is closed with the message.
        guard let descriptor = reply.body.first?.descriptor?.take() else {
          outcome = .failure(.notSupported)
          break
        }
        let actions = central.follows[peer]?.link.subscription.handleAcquired(.success(()), ticket: ticket) ?? []
        if !actions.contains(.discardDescriptor) { central.open(NotificationSocket(descriptor), for: peer) }
        return actions
      case .failure(let error): outcome = .failure(BlueZRefusal(error))
      }
      return central.follows[peer]?.link.subscription.handleAcquired(outcome, ticket: ticket) ?? []
    }
  }

  private func open(_ socket: NotificationSocket, for peer: Peer) {
    let generation = follows[peer]?.generation
    follows[peer]?.socket = socket
    follows[peer]?.watch = try? connection.loop.watch(socket.number, for: .readable) { [weak self] _ in
      self?.assumeIsolated { central in
        guard central.follows[peer]?.generation == generation else { return }
        central.readPacket(peer)
      }
    }
  }

  /// One packet for each wakeup: with no more of them, it takes one more wait to know whether another is there.
  private func readPacket(_ peer: Peer) {
    guard let socket = follows[peer]?.socket else { return }
    switch socket.read() {
    case .value(let bytes, let arrival):
      publish(.notification(peer.address, bytes: bytes, microseconds: arrival ?? connection.loop.arrivalTime))
      // This value waited for long, and others perhaps did too: the judgement of what is due must come after them.
      if let arrival { connection.loop.noteWaiting(since: arrival) }
    case .none: break
    case .end: perform(follows[peer]?.link.subscription.handleDescriptorEnd() ?? [], for: peer)
    }
  }

  /// Reads the values that have arrived and wait in a descriptor, and publishes them.
  ///
  /// For a recorder that is about to stop, or was stopped: what the sensor sent before belongs to its session, or is to be heard
  /// before anything is judged.
  public func readWaitingValues() {
    for peer in follows.keys where follows[peer]?.socket != nil { drain(peer) }
  }

  /// Reads what is there, to the end where it has come.
  private func drain(_ peer: Peer) {
    guard let socket = follows[peer]?.socket else { return }
    while true {
      switch socket.read() {
      case .value(let bytes, let arrival):
        publish(.notification(peer.address, bytes: bytes, microseconds: arrival ?? connection.loop.arrivalTime))
      case .none: return
      case .end:
        close(peer)
        return perform(follows[peer]?.link.subscription.handleDescriptorEnd() ?? [], for: peer)
      }
    }
  }

  /// Closes the descriptor, read or not.
  func close(_ peer: Peer) {
    if let watch = follows[peer]?.watch { connection.loop.cancel(watch) }
    follows[peer]?.watch = nil
    follows[peer]?.socket = nil
  }

  private func fence(_ peer: Peer) {
    let generation = follows[peer]?.generation
    call(.root, "org.freedesktop.DBus.Peer", "Ping", timeout: nil) { central, _ in
      guard central.follows[peer]?.generation == generation else { return }
      central.perform(central.follows[peer]?.link.subscription.handleFence() ?? [], for: peer)
    }
  }

  private func readOnce(_ peer: Peer) {
    guard let device = tree.device(peer.address, on: peer.adapter) else { return }
    if let percent = device.battery { publishBattery(percent, of: peer) }
    for uuid in configuration.readOnce {
      guard let path = tree.characteristic(uuid, of: device.path)?.path else { continue }
      let generation = follows[peer]?.generation
      call(path.object, ObjectTree.characteristicInterface, "ReadValue", [.properties([:])]) { central, result in
        guard central.follows[peer]?.generation == generation, !central.isStopped, case .success(let reply) = result,
          let bytes = reply.body.first?.bytes
        else { return }
        central.publish(.value(peer.address, uuid, bytes: bytes))
      }
    }
  }

  func publishBattery(_ percent: UInt8, of peer: Peer) {
    guard let follow = follows[peer], follow.battery != percent else { return }
    follows[peer]?.battery = percent
    publish(.battery(peer.address, percent: percent))
  }

  /// Calls a method of the characteristic; what its answer leads to is done unless the device is not followed any more.
  private func whenAnswered(
    _ member: String, _ path: CharacteristicPath, _ body: [Value] = [], for peer: Peer,
    _ handle: @escaping @Sendable (isolated Central, Result<Message, DBusError>) -> [Subscription.Action]
  ) {
    let generation = follows[peer]?.generation
    // No limit: BlueZ waits for the sensor, and a second call while the first is pending would be refused.
    call(path.object, ObjectTree.characteristicInterface, member, body, timeout: nil) { central, result in
      guard central.follows[peer]?.generation == generation else { return }
      central.perform(handle(central, result), for: peer)
    }
  }

  private func schedule(
    _ milliseconds: Int, for peer: Peer, _ handler: @escaping @Sendable (isolated Central) -> Void
  ) {
    let generation = follows[peer]?.generation
    _ = connection.loop.schedule(after: .milliseconds(milliseconds)) { [weak self] in
      self?.assumeIsolated { central in
        guard central.follows[peer]?.generation == generation else { return }
        handler(central)
      }
    }
  }
}
