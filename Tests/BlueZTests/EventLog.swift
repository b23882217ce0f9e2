import Synchronization

@testable import BlueZ

/// The events of a central, to be awaited in their order.
final class EventLog: Sendable {
  private let continuation: AsyncStream<Event>.Continuation
  private let stream: AsyncStream<Event>

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func append(_ event: Event) {
    continuation.yield(event)
  }

  /// The events up to and with the first that `isLast` accepts; those of devices and adapters that only changed are left
  /// out. Each event is returned once.
  func events(until isLast: (Event) -> Bool) async -> [Event] {
    var events: [Event] = []
    for await event in stream {
      switch event {
      case .deviceChanged, .deviceSeen, .adapter: if isLast(event) { return events }
      default:
        events.append(event)
        if isLast(event) { return events }
      }
    }
    return events
  }

  /// The advertisements that are reported up to the first that `isLast` accepts.
  func devicesSeen(until isLast: (Device) -> Bool) async -> [Device] {
    var devices: [Device] = []
    _ = await events {
      guard case .deviceSeen(let device) = $0 else { return false }
      devices.append(device)
      return isLast(device)
    }
    return devices
  }

  /// The events up to the next level of the battery, which a test has sent last.
  func eventsUntilBattery() async -> [Event] {
    await events { if case .battery = $0 { true } else { false } }.dropLast()
  }
}
