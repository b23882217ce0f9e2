import DBus

extension Central {
  private static let manager: ObjectPath = "/org/bluez"

  /// Pairs a device that BlueZ knows, over the link that is there or one that BlueZ makes.
  ///
  /// An agent of our own is registered for as long as it takes, with the capabilities of a keyboard and a display.
  ///
  /// - Parameters:
  ///   - device: Whom to pair.
  ///   - adapter: The adapter that stores the keys.
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

/// Why a device was not paired. Nothing has changed then.
public enum PairingFailure: Error, Hashable, Sendable {
  /// Keys for it are stored already.
  case alreadyPaired
  /// BlueZ does not know the device, or forgot it in this moment.
  case unknownDevice
  /// The device, or whoever answered its question here, refused.
  case rejected
  /// The two did not come to an agreement: a wrong passkey, or a device that pairs only in a mode of its own.
  case authenticationFailed
  /// Somebody ended the pairing before it was complete.
  case cancelled
  /// Nobody answered in time, neither the device nor a person.
  case timedOut
  /// No link to the device could be made.
  case unreachable
  /// Another program is pairing it.
  case inProgress
  /// The bus's policy forbids it.
  case accessDenied
  /// bluetoothd or the bus ended.
  case serviceGone
  /// Another error of BlueZ: its D-Bus name and text.
  case other(name: String, text: String)

  /// Source: BlueZ `src/device.c` and `src/error.c`.
  init(_ error: DBusError) {
    guard let name = error.name else {
      self = error.code == .timedOut ? .timedOut : .serviceGone
      return
    }
    self =
      switch name {
      case "org.bluez.Error.AlreadyExists": .alreadyPaired
      case "org.freedesktop.DBus.Error.UnknownObject", "org.bluez.Error.DoesNotExist": .unknownDevice
      case "org.bluez.Error.AuthenticationRejected", "org.bluez.Error.Rejected": .rejected
      case "org.bluez.Error.AuthenticationFailed": .authenticationFailed
      case "org.bluez.Error.AuthenticationCanceled", "org.bluez.Error.Canceled": .cancelled
      case "org.bluez.Error.AuthenticationTimeout": .timedOut
      case "org.bluez.Error.ConnectionAttemptFailed", "org.bluez.Error.NotConnected": .unreachable
      case "org.bluez.Error.InProgress": .inProgress
      case "org.freedesktop.DBus.Error.AccessDenied": .accessDenied
      case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.NameHasNoOwner":
        .serviceGone
      default: .other(name: name, text: error.message)
      }
  }
}
