/// Why an attempt to connect came to nothing, as far as the next step depends on it.
///
/// The names and times are those of BlueZ 5.66 (`org.bluez.Device1.Connect`).
public enum ConnectFailure: Hashable, Sendable {
  /// `Failed "Operation already in progress"`: somebody else's attempt is pending.
  case inProgress
  /// `NotReady`, or `Failed "Input/output error"`: the adapter is not powered.
  case notReady
  /// `Failed "le-connection-abort-by-local"`. What it means depends on how long it took: at once, the link was lost
  /// in the making; after 4 s, the sensor advertises but the adapter holds no more links; after 40 s, it was silent.
  case abortedByLocal
  /// `Failed "br-connection-canceled"`: somebody called Disconnect.
  case canceled
  /// `org.freedesktop.DBus.Error.UnknownObject`: BlueZ has forgotten the device, it must be discovered again.
  case unknownObject
  /// The sensor wants to be paired first, or pairing was refused.
  case authentication
  /// Anything else, no answer included. Some adapters refuse to connect while they scan.
  case other
}
