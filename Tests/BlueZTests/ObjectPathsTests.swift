import BluetoothScript
import DBus
import Testing

@testable import BlueZ

@Suite("Paths of BlueZ's objects")
struct ObjectPathsTests {
  @Test("an adapter's path names the kernel's adapter")
  func adapter() {
    #expect(AdapterPath("/org/bluez/hci12")?.name == "hci12")
    #expect(AdapterPath(12).object == "/org/bluez/hci12")
    for other: ObjectPath in ["/", "/org/bluez", "/org/bluez/hci0/dev_C0_FF_EE_00_00_01", "/org/other/hci0"] {
      #expect(AdapterPath(other) == nil)
    }
  }

  @Test("a device's path holds its adapter and its address")
  func device() throws {
    let path = try #require(DevicePath(MadeUp.device))
    #expect(path.adapter == AdapterPath(0))
    #expect(path.address.description == "C0:FF:EE:00:00:01")
    #expect(DevicePath(path.address, on: path.adapter) == path)
    for other: ObjectPath in ["/org/bluez/hci0", "/org/bluez/hci0/dev_C0_FF", "/org/bluez/hci0/player0"] {
      #expect(DevicePath(other) == nil)
    }
  }

  @Test("a characteristic's path holds its device; its descriptors are none")
  func characteristic() throws {
    let path = try #require(CharacteristicPath(MadeUp.measurement))
    #expect(path.device == DevicePath(MadeUp.device))
    #expect(CharacteristicPath(MadeUp.service) == nil)
    #expect(CharacteristicPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000e/char000f/desc0011") == nil)
  }
}
