internal import BlueZ
internal import StoreCommands

/// An address as a person writes it.
enum DeviceAddressArgument {
  /// - Throws: 64 where `text` is none.
  static func address(_ text: String) throws(CommandFailure) -> DeviceAddress {
    guard let address = DeviceAddress(text) else {
      throw CommandFailure(.usage, "\(text) is no Bluetooth address", remedy: "write six bytes: C0:FF:EE:00:00:01")
    }
    return address
  }
}
