import Testing
import Timeline

@Suite("Addresses, adapters, instants")
struct IdentifierTests {
  @Test("an address reads in either case and writes in capitals")
  func readsAddress() {
    let address = SensorAddress("c0:ff:EE:00:00:0a")
    #expect(address?.bits == 0xC0FF_EE00_000A)
    #expect(address?.description == "C0:FF:EE:00:00:0A")
    #expect(SensorAddress("00:00:00:00:00:00")?.bits == 0)
    #expect(SensorAddress("FF:FF:FF:FF:FF:FF")?.bits == 0xFFFF_FFFF_FFFF)
  }

  @Test(
    "anything else is no address",
    arguments: [
      "", "C0:FF:EE:00:00", "C0:FF:EE:00:00:01:", "C0FFEE000001", "C0-FF-EE-00-00-01", "G0:FF:EE:00:00:01",
      "C0:FF:EE:00:00:0é", " C0:FF:EE:00:00:01", "C0:FF:EE:00:00:1 ",
    ])
  func refusesAddress(_ text: String) {
    #expect(SensorAddress(text) == nil)
  }

  @Test("an address has 48 bits")
  func boundsAddress() {
    #expect(SensorAddress(bits: 1 << 48) == nil)
    #expect(SensorAddress(bits: 1 << 47)?.description == "80:00:00:00:00:00")
    #expect(SensorAddress(bits: 1)! < SensorAddress(bits: 2)!)
  }

  @Test("an adapter is hci and its number, in one way only")
  func readsAdapter() {
    #expect(AdapterIndex(name: "hci0") == AdapterIndex(0))
    #expect(AdapterIndex(name: "hci12")?.description == "hci12")
    for text in ["", "hci", "hci01", "hci+1", "hci-1", "hci65536", "eth0", "HCI0"] {
      #expect(AdapterIndex(name: text) == nil, "\(text)")
    }
    #expect(AdapterIndex(9) < AdapterIndex(10))
  }

  @Test("instants saturate instead of overflowing, whole microseconds of a duration count")
  func saturates() {
    let early = BootInstant(microseconds: .min)
    let late = BootInstant(microseconds: .max)
    #expect(late.advanced(byMicroseconds: 1) == late)
    #expect(early.advanced(byMicroseconds: -1) == early)
    #expect(late.microseconds(since: early) == .max)
    #expect(early.microseconds(since: late) == .min)
    #expect(late.advanced(by: .seconds(1)) == late)
    #expect(BootInstant(microseconds: 5).advanced(by: .seconds(Int64.max)) == late)
    #expect(BootInstant(microseconds: 5).advanced(by: .nanoseconds(1999)).microseconds == 6)
    #expect(BootInstant(microseconds: 5).advanced(by: .milliseconds(-1)).microseconds == -995)
    #expect(BootInstant(microseconds: 1500).duration(since: BootInstant(microseconds: 0)) == .microseconds(1500))
  }
}
