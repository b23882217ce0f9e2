/// How long to wait before the bus is tried again. Pure.
struct BusRetries {
  /// Waiting times for a bus that does not answer; the last one is repeated. Short, since each beat meanwhile is lost, and
  /// a machine without a bus for long is none that records.
  private static let waits: [Duration] = [.milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2)]

  private var failures = 0

  /// bluetoothd may be listened to.
  mutating func succeeded() {
    failures = 0
  }

  /// The connection failed, or ended: how long to wait.
  mutating func next() -> Duration {
    defer { failures += 1 }
    return Self.waits[min(failures, Self.waits.count - 1)]
  }
}
