import Testing

@testable import BlueZ

@Suite("BluetoothUUID")
struct BluetoothUUIDTests {
  @Test("the short, the 32-bit and the long form of an assigned number are equal, in either case")
  func forms() {
    let uuid = BluetoothUUID(0x2A37)
    for text in [
      "2a37", "2A37", "00002a37", "00002a37-0000-1000-8000-00805f9b34fb", "00002A37-0000-1000-8000-00805F9B34FB",
    ] {
      #expect(BluetoothUUID(text) == uuid, "\(text)")
    }
    #expect(uuid.short == 0x2A37)
    #expect(uuid.description == "00002a37-0000-1000-8000-00805f9b34fb")
  }

  @Test("a vendor's UUID has no short form and is written as it was read")
  func vendor() throws {
    let text = "6b1c0000-0000-4000-8000-00000000000f"
    let uuid = try #require(BluetoothUUID(text))
    #expect(uuid.short == nil)
    #expect(uuid.description == text)
    #expect(BluetoothUUID("12345678")?.short == nil)
  }

  @Test(
    "anything else is none",
    arguments: [
      "", "2a3", "2a377", "2g37", "00002a37_0000_1000_8000_00805f9b34fb", "00002a37-0000-1000-8000-00805f9b34f",
      "00002a370-000-1000-8000-00805f9b34fb", "junk",
    ])
  func junk(text: String) {
    #expect(BluetoothUUID(text) == nil)
  }
}
