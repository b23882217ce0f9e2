/// Tells whether bluetoothd sent anything that did not come here, by the numbers that its messages bear.
///
/// A connection numbers its messages 1, 2, 3 … (D-Bus Specification, "Header Fields", SERIAL), whoever they are for.
struct SerialTrace: Hashable, Sendable {
  private var last: UInt32?
  /// How often messages were missing so far.
  private(set) var gaps = 0

  /// Takes note of a message from bluetoothd, in the order of arrival.
  mutating func note(_ serial: UInt32) {
    if let last, last &+ 1 != serial { gaps += 1 }
    last = serial
  }

  /// Another bluetoothd counts anew.
  mutating func restart() {
    last = nil
    gaps += 1
  }
}
