import NIOCore

/// A client that receives every change: sends while the connection accepts, holds a few changes back, and closes a connection that accepts
/// nothing for long. Confined to the hub's loop.
final class Reader: Output {
  private let hub: Hub
  private let channel: any Channel
  private let limits: Limits
  /// The key that let the client in.
  let key: Key
  /// Whether it sees all sensors.
  private let ofRoom: Bool
  private let send: (Shown) -> Void
  private var backlog: Backlog<Shown>
  private var stall: Scheduled<Void>?

  init(
    _ hub: Hub, _ channel: any Channel, _ limits: Limits, _ key: Key, ofRoom: Bool = false,
    send: @escaping (Shown) -> Void
  ) {
    self.ofRoom = ofRoom
    self.hub = hub
    self.channel = channel
    self.limits = limits
    self.key = key
    self.send = send
    backlog = Backlog(capacity: limits.waitingMessages)
  }

  func begin() {
    if ofRoom { hub.attachToRoom(self) } else { hub.attach(self) }
  }

  func stop() {
    hub.detach(self)
    stall?.cancel()
    stall = nil
  }

  /// Ends a client whose key is no longer valid.
  func end() { channel.close(promise: nil) }

  func show(_ shown: Shown) {
    guard channel.isWritable else { return backlog.append(shown) }
    send(shown)
  }

  /// Handles a connection that accepts bytes again, or no longer.
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

/// The messages that wait for a slow reader: up to a capacity, with more the oldest go.
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
