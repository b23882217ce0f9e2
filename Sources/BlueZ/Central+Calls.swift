import DBus
import Synchronization

extension Central {
  /// A call of the bluetoothd that is mirrored, by its unique name: so it never reaches another one, and never starts one.
  func message(
    _ path: ObjectPath, _ interface: String, _ member: String, _ body: [Value] = []
  ) -> Message? {
    guard let owner = tree.owner else { return nil }
    var message = Message.call(owner, path: path, interface: interface, member: member, body: body)
    message.noAutoStart = true
    return message
  }

  /// Calls a method; `reply` runs in order with the signals, never from within this function.
  func call(
    _ path: ObjectPath, _ interface: String, _ member: String, _ body: [Value] = [], timeout: Duration? = .seconds(30),
    reply: @escaping @Sendable (isolated Central, Result<Message, DBusError>) -> Void
  ) {
    guard let message = message(path, interface, member, body) else {
      return connection.loop.execute {
        self.assumeIsolated { reply($0, .failure(DBusError(.disconnected, "bluetoothd is not running"))) }
      }
    }
    connection.assumeIsolated { connection in
      _ = connection.call(message, timeout: timeout) { result in
        self.assumeIsolated { central in
          if case .success(let message) = result, message.sender == central.tree.owner {
            central.trace.note(message.serial)
          }
          reply(central, result)
        }
      }
    }
  }

  func callConnect(_ peer: Peer) {
    func fail(_ failure: ConnectFailure) {
      attempts[peer] = nil
      publish(.connectFailed(peer.address, peer.adapter, failure))
    }
    guard tree.isLoaded else { return fail(.serviceGone) }
    guard tree.adapters[peer.adapter]?.isPowered == true else { return fail(.adapterOff) }
    guard let device = tree.device(peer.address, on: peer.adapter) else { return fail(.unknownDevice) }
    // bluetoothd always answers, after 40 s at the latest; an answer of our own would leave its attempt going on unseen.
    let generation = attempts[peer]?.generation
    call(device.path.object, ObjectTree.deviceInterface, "Connect", timeout: nil) { central, result in
      central.handleConnected(generation, result)
    }
  }

  /// A Disconnect was answered: BlueZ has answered the Connect that it was to end before that, or has lost it.
  func giveUp(_ generation: Int?) {
    guard let (peer, attempt) = attempt(generation), !isStopped else { return }
    attempts[peer] = nil
    if !attempt.isAnswered { publish(.connectFailed(peer.address, peer.adapter, .cancelled)) }
  }

  private func attempt(_ generation: Int?) -> (peer: Peer, attempt: Attempt)? {
    attempts.first { $0.value.generation == generation }.map { ($0.key, $0.value) }
  }

  private func handleConnected(_ generation: Int?, _ result: Result<Message, DBusError>) {
    guard let (peer, attempt) = attempt(generation), !isStopped else { return }
    switch result {
    case .success:
      // A link that was there before is not ours; and the signal of a new one may come later, or never.
      if !attempt.isAnswered, linked.contains(peer) {
        attempts[peer] = nil
        publish(.linkUp(peer.address, peer.adapter, isOurs: ours.contains(peer)))
      } else {
        publishLinkUp(peer)
        attempts[peer] = nil
      }
    case .failure(let error):
      attempts[peer] = nil
      if !attempt.isAnswered { publish(.connectFailed(peer.address, peer.adapter, ConnectFailure(error))) }
    }
  }
}

/// Calls a closure when a number of things have happened.
final class Barrier: Sendable {
  private let missing: Mutex<Int>
  private let completion: @Sendable () -> Void

  init(_ count: Int, _ completion: @escaping @Sendable () -> Void) {
    missing = Mutex(count)
    self.completion = completion
  }

  func arrive() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { completion() }
  }
}

/// Why BlueZ did not do what was asked of a characteristic or of discovery.
enum BlueZRefusal: Error, Hashable, Sendable {
  /// Somebody, perhaps ourselves, is at it already.
  case inProgress
  case notPermitted
  /// The characteristic, or this BlueZ, does not know how.
  case notSupported
  case accessDenied
  /// The object, bluetoothd or the bus is gone.
  case gone
  case other(name: String)

  /// Source: BlueZ `src/error.c`.
  init(_ error: DBusError) {
    guard let name = error.name else {
      self = .gone
      return
    }
    self =
      switch name {
      case "org.bluez.Error.InProgress": .inProgress
      case "org.bluez.Error.NotPermitted": .notPermitted
      case "org.bluez.Error.NotSupported", "org.freedesktop.DBus.Error.UnknownMethod": .notSupported
      case "org.freedesktop.DBus.Error.AccessDenied": .accessDenied
      case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.NoReply",
        "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
        .gone
      default: .other(name: name)
      }
  }

  /// The D-Bus name of the error, for a person.
  var name: String {
    switch self {
    case .inProgress: "org.bluez.Error.InProgress"
    case .notPermitted: "org.bluez.Error.NotPermitted"
    case .notSupported: "org.bluez.Error.NotSupported"
    case .accessDenied: "org.freedesktop.DBus.Error.AccessDenied"
    case .gone: "org.freedesktop.DBus.Error.UnknownObject"
    case .other(let name): name
    }
  }
}
