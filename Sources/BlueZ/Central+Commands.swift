public import DBus

extension Central {
  /// Keeps the values of `device` coming while it is linked over `adapter`, whoever made the link; also over later links
  /// and after restarts of bluetoothd, until ``unfollow(_:on:)``.
  public func follow(_ device: DeviceAddress, on adapter: AdapterPath) {
    let peer = Peer(address: device, adapter: adapter)
    guard follows[peer] == nil, !isStopped else { return }
    command {
      lastGeneration += 1
      follows[peer] = Follow(generation: lastGeneration)
      observe(peer)
    }
  }

  /// Ends what ``follow(_:on:)`` began; the link stays.
  public func unfollow(_ device: DeviceAddress, on adapter: AdapterPath) {
    let peer = Peer(address: device, adapter: adapter)
    command {
      perform(follows[peer]?.link.subscription.cancel() ?? [], for: peer)
      close(peer)
      follows[peer] = nil
    }
  }

  /// Subscribes anew to a followed device whose values have stopped coming.
  public func resubscribe(_ device: DeviceAddress, on adapter: AdapterPath) {
    let peer = Peer(address: device, adapter: adapter)
    command {
      perform(follows[peer]?.link.subscription.cancel() ?? [], for: peer)
      observe(peer)
    }
  }

  /// Asks for a link. The answer is either ``Event/linkUp(_:_:isOurs:)`` or ``Event/connectFailed(_:_:_:)``, the latter
  /// after 40 s where the device is silent. One at a time for each device and adapter.
  public func connect(_ device: DeviceAddress, on adapter: AdapterPath) {
    let peer = Peer(address: device, adapter: adapter)
    guard attempts[peer] == nil, !isStopped else { return }
    command {
      lastGeneration += 1
      attempts[peer] = Attempt(generation: lastGeneration)
      // Some adapters refuse to connect while they scan.
      if discoveries[adapter]?.machine.isStopping == true {
        attempts[peer]?.isDeferred = true
      } else {
        callConnect(peer)
      }
    }
  }

  /// Closes the link, or gives up the attempt, where it is ours. The attempt has its answer by the time at which BlueZ has
  /// answered this, or not within 30 s.
  ///
  /// - Returns: Whether it is ours.
  @discardableResult
  public func disconnect(_ device: DeviceAddress, on adapter: AdapterPath) -> Bool {
    let peer = Peer(address: device, adapter: adapter)
    guard ours.contains(peer) || attempts[peer] != nil else { return false }
    return command {
      if attempts[peer]?.isDeferred == true {
        attempts[peer] = nil
        publish(.connectFailed(device, adapter, .cancelled))
      } else if let path = tree.device(device, on: adapter)?.path.object {
        let generation = attempts[peer]?.generation
        call(path, ObjectTree.deviceInterface, "Disconnect") { central, _ in central.giveUp(generation) }
      }
      return true
    }
  }

  /// Looks for devices; ``Event/discovery(_:_:)`` reports its state. A search that an earlier call began is replaced;
  /// nothing happens on an adapter that is not there.
  public func startDiscovery(_ mode: DiscoveryMode, on adapter: AdapterPath) {
    guard !isStopped, tree.adapters[adapter] != nil else { return }
    command { want(mode, on: adapter) }
  }

  /// Ends what ``startDiscovery(_:on:)`` began.
  public func stopDiscovery(on adapter: AdapterPath) {
    guard discoveries[adapter] != nil else { return }
    command { want(nil, on: adapter) }
  }

  /// Writes to a characteristic of a linked device and waits for the device's answer.
  ///
  /// - Throws: ``DBusError/Code/invalid`` where no adapter has a link to a device with this characteristic, and what BlueZ
  ///   answers.
  public func write(
    _ bytes: [UInt8], to characteristic: BluetoothUUID, of device: DeviceAddress
  ) async throws(DBusError) {
    let paths = tree.devices.values.filter { $0.address == device && $0.servicesResolved }.map(\.path)
    guard let target = paths.lazy.compactMap({ self.tree.characteristic(characteristic, of: $0) }).first,
      let message = message(
        target.path.object, ObjectTree.characteristicInterface, "WriteValue",
        [.bytes(bytes), .properties(["type": .string("request")])])
    else { throw DBusError(.invalid, "the device is not linked or has no such characteristic") }
    _ = try await connection.call(message, timeout: .seconds(35))
  }
}
