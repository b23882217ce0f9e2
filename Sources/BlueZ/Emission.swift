/// A value of a characteristic as BlueZ emitted it: a signal that stands for a notification, or for one copy of it.
struct Emission: Hashable, Sendable {
  var bytes: [UInt8]
  /// The signal's number among the messages of bluetoothd.
  var serial: UInt32
  /// ``SerialTrace/gaps``, this signal included.
  var gaps: Int
  /// When it was read, on the boot clock.
  var microseconds: Int64
}
