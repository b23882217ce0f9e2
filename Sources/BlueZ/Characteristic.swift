/// What BlueZ shows of one GATT characteristic; its value is never kept.
///
/// Source: BlueZ `doc/gatt-api.txt`, `org.bluez.GattCharacteristic1`.
struct Characteristic: Hashable, Sendable {
  let path: CharacteristicPath
  var uuid: BluetoothUUID
  /// A program has called StartNotify: values are emitted as PropertiesChanged, once for each such program.
  var isNotifying = false
  /// A program, this one perhaps, has called AcquireNotify: values go into its descriptor and nowhere else.
  var isNotifyAcquired = false
}
