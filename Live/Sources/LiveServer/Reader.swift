internal import LivePulse
internal import NIOCore

/// A client that is sent every change: takes what the connection takes, keeps a little, and is closed where nothing is taken for long.
/// Confined to the hub's loop.
final class Reader: Output {
  private let hub: Hub
  private let channel: any Channel
  private let limits: Limits
  /// What let it in.
  let key: Key
  private let send: (Shown) -> Void
  private var backlog: Backlog<Shown>
  private var stall: Scheduled<Void>?

  init(_ hub: Hub, _ channel: any Channel, _ limits: Limits, _ key: Key, send: @escaping (Shown) -> Void) {
    self.hub = hub
    self.channel = channel
    self.limits = limits
    self.key = key
    self.send = send
    backlog = Backlog(capacity: limits.waitingMessages)
  }

  func begin() { hub.attach(self) }

  func stop() {
    hub.detach(self)
    stall?.cancel()
    stall = nil
  }

  /// What let it in no longer does.
  func end() { channel.close(promise: nil) }

  func show(_ shown: Shown) {
    guard channel.isWritable else { return backlog.append(shown) }
    send(shown)
  }

  /// The connection takes something again, or no longer.
  func writabilityChanged() {
    stall?.cancel()
    stall = nil
    if channel.isWritable {
      for shown in backlog.removeAll() { show(shown) }
    } else {
      let channel = channel
      stall = hub.loop.scheduleTask(in: limits.stallTime) { channel.close(promise: nil) }
    }
  }
}

/// What waits for a slow reader: so many messages, of which the oldest go.
struct Backlog<Element> {
  private var elements: [Element] = []
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  var isEmpty: Bool { elements.isEmpty }

  mutating func append(_ element: Element) {
    if elements.count == capacity { elements.removeFirst() }
    elements.append(element)
  }

  mutating func removeAll() -> [Element] {
    defer { elements.removeAll(keepingCapacity: true) }
    return elements
  }
}
