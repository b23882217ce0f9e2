import Testing

@testable import BlueZ

@Suite("DeviceAddress")
struct DeviceAddressTests {
  @Test("an address is written as it was read, in upper case")
  func text() {
    #expect(DeviceAddress("C0:FF:EE:00:00:01")?.bits == 0xC0FF_EE00_0001)
    #expect(DeviceAddress("c0:ff:ee:00:00:01")?.description == "C0:FF:EE:00:00:01")
  }

  @Test("only 48 bits are an address")
  func bits() {
    #expect(DeviceAddress(bits: 1 << 48) == nil)
    #expect(DeviceAddress(bits: (1 << 48) - 1)?.description == "FF:FF:FF:FF:FF:FF")
    #expect(DeviceAddress(truncatingBits: 1 << 48 | 5).bits == 5)
  }

  @Test(
    "anything else is none",
    arguments: ["", "C0:FF:EE:00:00", "C0_FF_EE_00_00_01", "C0:FF:EE:00:00:0G", "C0:FF:EE:00:00:011"])
  func junk(text: String) {
    #expect(DeviceAddress(text) == nil)
  }
}
