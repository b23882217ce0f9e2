internal import DBus

extension Central {
  private static let manager: ObjectPath = "/org/bluez"

  /// Pairs a device that BlueZ knows, over the link that is there or one that BlueZ makes.
  ///
  /// An agent of our own is registered for as long as it takes, with the capabilities of a keyboard and a display.
  ///
  /// - Parameters:
  ///   - device: Whom to pair.
  ///   - adapter: The adapter that keeps the keys.
  ///   - limit: After this time it is given up. A person needs some of it to read and type.
  ///   - ask: Called on the loop for each ``PairingStep``; its task is cancelled when the answer is not wanted any more.
  /// - Throws: ``PairingFailure``; nothing has changed then. Also where the calling task is cancelled.
  public func pair(
    _ device: DeviceAddress, on adapter: AdapterPath, limit: Duration = .seconds(90),
    ask: @escaping @Sendable (PairingStep) async -> PairingAnswer
  ) async throws(PairingFailure) {
    guard let owner = tree.owner else { throw .serviceGone }
    guard let path = tree.device(device, on: adapter)?.path.object else { throw .unknownDevice }
    let agent = PairingAgent(for: path, of: owner, on: connection, ask: ask)
    await agent.begin()
    let outcome = await pair(Peer(address: device, adapter: adapter), path, limit: limit)
    // Not waited for: the calling task may have been cancelled, and BlueZ takes calls in their order.
    call(Self.manager, PairingAgent.interface, "UnregisterAgent", [.objectPath(PairingAgent.path)]) { _, _ in }
    await agent.end()
    try outcome.get()
  }

  private func pair(_ peer: Peer, _ device: ObjectPath, limit: Duration) async -> Result<Void, PairingFailure> {
    guard
      let register = message(
        Self.manager, PairingAgent.interface, "RegisterAgent",
        [.objectPath(PairingAgent.path), .string("KeyboardDisplay")]),
      let pair = message(device, ObjectTree.deviceInterface, "Pair")
    else { return .failure(.serviceGone) }
    do throws(DBusError) {
      _ = try await connection.call(register, timeout: .seconds(10))
    } catch {
      return .failure(error.code == .cancelled ? .cancelled : PairingFailure(error))
    }
    let connection = connection
    let answer = Task(executorPreference: connection.loop) { () async -> Result<Void, DBusError> in
      do throws(DBusError) {
        _ = try await connection.call(pair, timeout: limit)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    pairings[peer] = answer
    let result = await withTaskCancellationHandler {
      await answer.value
    } onCancel: {
      answer.cancel()
    }
    let isLinkLost = pairings.removeValue(forKey: peer) == nil
    switch result {
    case .success: return .success(())
    case .failure(let error):
      if error.code == .timedOut || error.code == .cancelled {
        // BlueZ goes on otherwise, and pairs a device that nobody waits for any more.
        call(device, ObjectTree.deviceInterface, "CancelPairing") { _, _ in }
      }
      guard error.code == .cancelled else { return .failure(PairingFailure(error)) }
      return .failure(isLinkLost && !Task.isCancelled ? .authenticationFailed : .cancelled)
    }
  }

  /// The link of a device that is being paired has ended: where it refused, BlueZ 5.66 was seen not to answer at all.
  func endPairing(_ peer: Peer) {
    guard let pairing = pairings[peer] else { return }
    _ = connection.loop.schedule(after: Self.lateAnswer) { [weak self] in
      self?.assumeIsolated { central in
        guard central.pairings[peer] == pairing else { return }
        central.pairings[peer] = nil
        pairing.cancel()
      }
    }
  }

  /// An answer that comes comes at once.
  private static let lateAnswer = Duration.seconds(2)
}
