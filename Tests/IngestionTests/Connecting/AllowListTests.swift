import Ingestion
import Testing
import Timeline

@Suite("Allow list")
struct AllowListTests {
  private let first = SensorAddress("C0:FF:EE:00:00:01")!
  private let second = SensorAddress("C0:FF:EE:00:00:02")!

  @Test("nobody is allowed until they are listed, and nobody after they were removed")
  func refusesByDefault() {
    var list = AllowList()
    #expect(!list.allows(first, rssi: -20))
    #expect(!list.allows(first, rssi: nil))
    let isListed = list.insert(first)
    #expect(isListed)
    #expect(list.allows(first, rssi: -100))
    #expect(list.allows(first, rssi: nil))
    #expect(!list.allows(second, rssi: -20))
    let wasListed = (list.remove(first), list.remove(first))
    #expect(wasListed == (true, false))
    #expect(!list.allows(first, rssi: -20))
  }

  @Test("two sensors of one name are two, and the name alone allows nobody")
  func keepsNamesakesApart() {
    var list = AllowList()
    list.insert(first, name: "Polar H10")
    #expect(!list.allows(second, rssi: -20))
    list.insert(second, name: "Polar H10")
    #expect(list.addresses == [first, second])
    #expect(list.name(of: first) == "Polar H10")
    list.remove(first)
    #expect(list.addresses == [second])
  }

  @Test("a sensor that is listed again is renamed; a name can be taken away")
  func renames() {
    var list = AllowList()
    list.insert(first, name: "old")
    list.insert(first, name: "new")
    #expect(list.name(of: first) == "new")
    list.insert(first)
    #expect(list.name(of: first) == nil)
    #expect(list.contains(first))
    #expect(list.count == 1)
  }

  @Test("any sensor is allowed from the threshold on, where that is the setting; a listed one always")
  func allowsAny() {
    var list = AllowList(unlisted: .any(atLeast: -60))
    list.insert(first)
    #expect(list.allows(second, rssi: -60))
    #expect(!list.allows(second, rssi: -61))
    #expect(!list.allows(second, rssi: nil))
    #expect(list.allows(first, rssi: -100))
  }

  @Test("48 sensors fit, the next is refused, renaming goes on")
  func isBounded() {
    var list = AllowList()
    for bits in 0..<UInt64(AllowList.capacity) { list.insert(SensorAddress(bits: bits)!) }
    #expect(list.count == 48)
    let isListed = list.insert(first)
    #expect(!isListed)
    #expect(!list.contains(first))
    let isRenamed = list.insert(SensorAddress(bits: 7)!, name: "seven")
    #expect(isRenamed)
    #expect(list.count == 48)
  }
}
