import Testing

@testable import Simulator

@Suite("Discovery and its signals")
struct DiscoveryTests {
  let heartRate: [Property] = [
    .dictionary(["UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb"]), "Transport": .string("le")])
  ]

  @Test("with a filter every advertisement signals its strength, even the same; the end of discovery invalidates it")
  func everyAdvertisement() {
    var bench = Bench()
    bench.call("SetDiscoveryFilter", on: Bench.hci0, heartRate)
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.35)
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.wait(1)
    #expect(
      bench.take() == [
        "SetDiscoveryFilter: ok", "StartDiscovery: ok", "hci0 Discovering=true", "+ dev Device1", "dev RSSI=-55",
        "dev RSSI=-55", "dev !RSSI", "hci0 Discovering=false", "StopDiscovery: ok",
      ])
  }

  @Test("without a filter only a clear change of the signal strength is signalled")
  func unfiltered() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.5)
    bench.befall(.rssi(-60))
    bench.wait(0.5)
    bench.befall(.rssi(-80))
    bench.wait(0.5)
    #expect(bench.take() == ["StartDiscovery: ok", "hci0 Discovering=true", "+ dev Device1", "dev RSSI=-80"])
  }

  @Test("DuplicateData signals the manufacturer's data each time")
  func duplicateData() {
    var bench = Bench()
    bench.call("SetDiscoveryFilter", on: Bench.hci0, [.dictionary(["DuplicateData": .bool(true)])])
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.25)
    #expect(bench.take().last == "dev ManufacturerData=107:01020304 RSSI=-55")
  }

  @Test(
    "a strap that advertises its name only is never found with the filter, and without it has no UUIDs until connected")
  func nameOnly() {
    var bench = Bench { $0.advertisedServices = [] }
    bench.call("SetDiscoveryFilter", on: Bench.hci0, heartRate)
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(10)
    #expect(!bench.take().contains { $0.hasPrefix("+") })
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.call("SetDiscoveryFilter", on: Bench.hci0, [.dictionary([:])])
    bench.connected()
    #expect(bench.machine[DeviceKey(adapter: 0, strap: 0)]?.uuids.contains(GATTLayout.heartRate) == true)
  }

  @Test("a second start by the same client is busy, a stop without a start fails")
  func wrongOrder() {
    var bench = Bench()
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.call("StartDiscovery", on: Bench.hci0)
    #expect(
      bench.take() == [
        "StopDiscovery: Failed No discovery started", "StartDiscovery: ok", "hci0 Discovering=true",
        "StartDiscovery: InProgress Operation already in progress",
      ])
  }

  @Test(
    "a filter with junk in it is refused",
    arguments: [
      ["UUIDs": Property.strings(["junk"])], ["Bogus": .string("x")], ["RSSI": .int16(-90), "Pathloss": .uint16(10)],
      ["Transport": .string("air")], ["UUIDs": .string("180d")], ["UUIDs": .strings(["180g"])],
    ])
  func junkFilter(filter: Properties) {
    var bench = Bench()
    bench.call("SetDiscoveryFilter", on: Bench.hci0, [.dictionary(filter)])
    #expect(bench.take() == ["SetDiscoveryFilter: InvalidArguments Invalid arguments in method call"])
  }

  @Test("the short form of a UUID is accepted, and a signal too weak is not reported")
  func shortUUID() {
    var bench = Bench()
    bench.call(
      "SetDiscoveryFilter", on: Bench.hci0, [.dictionary(["UUIDs": .strings(["180D"]), "RSSI": .int16(-60)])])
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.15)
    #expect(bench.take().last == "+ dev Device1")
    bench.befall(.rssi(-70))
    bench.wait(1)
    #expect(bench.take() == [])
  }

  @Test("a device that falls silent goes 30 s after it was last heard")
  func expiry() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(5)
    bench.befall(.cease)
    _ = bench.take()
    bench.wait(29.5)
    #expect(bench.take() == [])
    bench.wait(0.6)
    #expect(bench.take() == ["- dev Device1"])
  }

  @Test("discovery goes on for the other client when one has left the bus")
  func twoClients() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.call("StartDiscovery", on: Bench.hci0, as: ":1.2")
    bench.put(.clientLeft(":1.1"))
    #expect(bench.take() == ["StartDiscovery: ok", "hci0 Discovering=true", "StartDiscovery of :1.2: ok"])
    bench.put(.clientLeft(":1.2"))
    #expect(bench.take() == ["hci0 Discovering=false"])
  }

  @Test("an adapter without power is not ready")
  func powerless() {
    var bench = Bench()
    bench.befall(.power(on: false, adapter: "hci0"))
    _ = bench.take()
    for member in ["StartDiscovery", "StopDiscovery"] { bench.call(member, on: Bench.hci0) }
    bench.call("SetDiscoveryFilter", on: Bench.hci0, [.dictionary([:])])
    #expect(
      bench.take() == [
        "StartDiscovery: NotReady Resource Not Ready", "StopDiscovery: NotReady Resource Not Ready",
        "SetDiscoveryFilter: NotReady Resource Not Ready",
      ])
  }

  @Test("discovery that is stuck finds nothing and cannot be started again until bluetoothd is")
  func stuck() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.befall(.stickDiscovery)
    bench.wait(5)
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.call("StartDiscovery", on: Bench.hci0)
    #expect(
      bench.take() == [
        "StartDiscovery: ok", "hci0 Discovering=true", "hci0 Discovering=false", "StopDiscovery: ok",
        "StartDiscovery: InProgress Operation already in progress",
      ])
    bench.befall(.bluetoothd(.kill))
    bench.befall(.bluetoothd(.start))
    bench.wait(1)
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    #expect(bench.take().last == "+ dev Device1")
  }

  @Test("discovery that ends by itself is signalled, hears nothing, and has to be stopped before it can start again")
  func halted() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.befall(.haltDiscovery)
    bench.wait(5)
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.call("StopDiscovery", on: Bench.hci0)
    #expect(
      bench.take() == [
        "StartDiscovery: ok", "hci0 Discovering=true", "hci0 Discovering=false",
        "StartDiscovery: InProgress Operation already in progress", "StopDiscovery: ok",
      ])
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    #expect(bench.take() == ["StartDiscovery: ok", "hci0 Discovering=true", "+ dev Device1"])
  }

  @Test(
    "each release says what it can filter by, and refuses what it does not know",
    arguments: [(BlueZRelease.debian12, false), (.debian13, false), (.unstable, true)])
  func releases(release: BlueZRelease, knowsAutoConnect: Bool) {
    var bench = Bench(Scenario(straps: [StrapProfile()], release: release))
    bench.call("GetDiscoveryFilters", on: Bench.hci0)
    bench.call("SetDiscoveryFilter", on: Bench.hci0, [.dictionary(["AutoConnect": .bool(true)])])
    bench.call("SetDiscoveryFilter", on: Bench.hci0, heartRate)
    let answer = bench.take()
    #expect(answer[0].hasSuffix(",Conn") == knowsAutoConnect, "\(answer[0])")
    #expect((answer[1] == "SetDiscoveryFilter: ok") == knowsAutoConnect)
    #expect(answer[2] == "SetDiscoveryFilter: ok")
    #expect(
      bench.calls == [
        "GetDiscoveryFilters", "SetDiscoveryFilter", "SetDiscoveryFilter 0000180d-0000-1000-8000-00805f9b34fb",
      ])
  }

  @Test("the one that dies of UUIDs leaves the bus when a strap advertises, comes back, and lives with other filters")
  func diesOfServiceFilters() {
    var profile = StrapProfile()
    profile.advertises = false
    var bench = Bench(Scenario(straps: [profile], release: .unstable, diesOfServiceFilters: true))
    bench.call("SetDiscoveryFilter", on: Bench.hci0, heartRate)
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(60)
    #expect(bench.take() == ["SetDiscoveryFilter: ok", "StartDiscovery: ok", "hci0 Discovering=true"])
    bench.befall(.advertise)
    bench.wait(0.5)
    #expect(bench.take() == ["bus left"])
    #expect(bench.takeTruth().contains("event kind=died"))
    bench.wait(1)
    #expect(bench.take().first == "bus joined")
    bench.call("SetDiscoveryFilter", on: Bench.hci0, [.dictionary(["Transport": .string("le")])])
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(5)
    let lines = bench.take()
    #expect(lines.contains("+ dev Device1") && !lines.contains("bus left"))
  }

  @Test("a controller that filters duplicates reports each strap once in a discovery")
  func filteredDuplicates() {
    var bench = Bench(Scenario(straps: [StrapProfile()], filtersDuplicates: true))
    bench.call("SetDiscoveryFilter", on: Bench.hci0, heartRate)
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(5)
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.call("StartDiscovery", on: Bench.hci0)
    _ = bench.take()
    bench.wait(5)
    #expect(bench.take() == ["dev RSSI=-55"])
  }

  @Test("GetManagedObjects shows every object, properties can be read one by one, and what is not there is refused")
  func objects() {
    var bench = Bench()
    bench.call("GetManagedObjects", on: "/")
    #expect(bench.take() == ["GetManagedObjects: 2 objects"])
    bench.connected()
    bench.call("GetManagedObjects", on: "/")
    // The daemon, the adapter, the device; four services, eleven characteristics, three configurations.
    #expect(bench.take() == ["GetManagedObjects: 21 objects"])
    bench.call("Get", on: Bench.dev, [.string("org.bluez.Device1"), .string("Connected")])
    bench.call("Get", on: Bench.dev, [.string("org.bluez.Battery1"), .string("Percentage")])
    bench.call("Get", on: Bench.dev, [.string("org.bluez.Device1"), .string("RSSI")])
    bench.call("GetAll", on: Bench.dev, [.string("org.bluez.Bogus")])
    #expect(
      bench.take() == [
        "Get: true", "Get: 87", "Get: InvalidArgs No such property 'RSSI'",
        "GetAll: InvalidArgs No such interface 'org.bluez.Bogus'",
      ])
    bench.call("Set", on: Bench.dev, [.string("org.bluez.Device1"), .string("Trusted"), .bool(true)])
    bench.call("Set", on: Bench.dev, [.string("org.bluez.Device1"), .string("Connected"), .bool(true)])
    #expect(
      bench.take() == [
        "Set: ok", "dev Trusted=true", "Set: PropertyReadOnly Property 'Connected' is not writable",
      ])
  }
}
