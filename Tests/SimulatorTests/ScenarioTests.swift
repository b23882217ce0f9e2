import Testing

@testable import Simulator

@Suite("Scenario files")
struct ScenarioTests {
  private func scenario(_ text: String) throws -> Scenario { try Scenario(json: Array(text.utf8)) }

  private func refusal(_ text: String) -> String? {
    do {
      _ = try Scenario(json: Array(text.utf8))
      return nil
    } catch {
      return error.description
    }
  }

  @Test("a strap without settings is the lab's default")
  func defaults() throws {
    #expect(try scenario("{}") == Scenario(straps: [StrapProfile()]))
  }

  @Test("every field of a strap's header is read")
  func header() throws {
    let strap = try scenario(
      """
      {"name": "A", "address": "c0:ff:ee:00:00:0a", "address_type": "public", "battery": 5, "location": 2, "rssi": -70,
       "adv_ms": 500, "manufacturer": "0100ff", "uuids": [], "clock": "start", "advertise": false, "pairing": true,
       "service_changed": false, "shift": 3, "eager": 9,
       "stale": 2, "bonded": true, "hid": true}
      """
    ).straps[0]
    var expected = StrapProfile()
    expected.name = "A"
    expected.address = "C0:FF:EE:00:00:0A"
    expected.addressType = .public
    expected.battery = 5
    expected.location = 2
    expected.rssi = -70
    expected.advertisingInterval = .milliseconds(500)
    expected.manufacturer = [1, 0, 0xFF]
    expected.advertisedServices = []
    expected.clock = .start
    expected.advertises = false
    expected.pairing = .justWorks
    expected.hasServiceChanged = false
    expected.shift = 3
    expected.eagerValues = 9
    expected.staleLinks = 2
    expected.isBonded = true
    expected.hasInputService = true
    #expect(strap == expected)
  }

  @Test("a flood is read, and refused where it is none")
  func flood() throws {
    let strap = try scenario(#"{"flood": {"per_second": 21, "values": 9}}"#).straps[0]
    #expect(strap.source == .flood(Flood(perSecond: 21, count: 9)))
    #expect(refusal(#"{"flood": {"per_second": 0, "values": 9}}"#) == "flood: per_second must be 1 to 1000")
    #expect(refusal(#"{"flood": {"per_second": 1}}"#) != nil)
  }

  @Test("a value is encoded as the lab's strap encodes it")
  func values() throws {
    let items = try Scenario.items(
      json: Array(
        """
        [{"t": 0, "bpm": 60, "rr_ms": [985.4], "contact": true, "energy": 0}, {"bpm": 60, "wide": true},
         {"bpm": 300, "contact": false}, {"raw": "E010"}, {"bpm": 61, "rr_ms": [1000, 500], "energy": null}, {"raw": ""}]
        """.utf8))
    #expect(
      items.map(\.action) == [
        .value([0x1E, 0x3C, 0, 0, 0xF1, 0x03]), .value([0x01, 60, 0]), .value([0x05, 0x2C, 0x01]),
        .value([0xE0, 0x10]), .value([0x10, 61, 0, 4, 0, 2]), .value([]),
      ])
  }

  @Test("every event is read")
  func events() throws {
    let items = try Scenario.items(
      json: Array(
        """
        [{"event": "disconnect"}, {"event": "vanish"}, {"event": "advertise"}, {"event": "drop"}, {"event": "cease"},
         {"event": "stop"}, {"event": "battery", "value": 7}, {"event": "rssi", "value": -90},
         {"event": "refuse", "value": 3}, {"event": "stall"}, {"event": "resume"}, {"event": "gatt", "tell": false},
         {"event": "bluetoothd", "do": "KILL"}, {"event": "power", "on": false}, {"event": "remove", "adapter": "hci1"},
         {"event": "stuck"},
         {"event": "plug", "adapter": "00:1b:dc:00:00:02"}, {"event": "unplug", "adapter": "00:1B:DC:00:00:02"},
         {"event": "client", "do": "read", "uuid": "2A38", "strap": "C0:FF:EE:00:00:02"}]
        """.utf8))
    #expect(
      items.map(\.action) == [
        .strap(.disconnect), .strap(.vanish), .strap(.advertise), .strap(.drop), .strap(.cease), .strap(.stop),
        .strap(.battery(7)), .strap(.rssi(-90)), .strap(.refuse(3)), .strap(.stall), .strap(.resume),
        .strap(.gatt(shift: 1, tell: false)), .machine(.bluetoothd(.kill)),
        .machine(.power(on: false, adapter: "hci0")),
        .machine(.remove(adapter: "hci1")), .machine(.stickDiscovery), .machine(.plug(adapter: "00:1B:DC:00:00:02")),
        .machine(.unplug(adapter: "00:1B:DC:00:00:02")), .machine(.client(.read, adapter: "hci0", uuid: "2a38")),
      ])
    #expect(items.last?.strap == "C0:FF:EE:00:00:02")
  }

  @Test("several straps have timelines of their own, and the host has one")
  func severalStraps() throws {
    let scenario = try scenario(
      """
      {"straps": [{"address": "C0:FF:EE:00:00:01", "timeline": [{"t": 1, "bpm": 60}]}, {"address": "C0:FF:EE:00:00:02"}],
       "timeline": [{"t": 2, "event": "vanish", "strap": "C0:FF:EE:00:00:02"}], "connections": 1, "resolve": "late",
       "filter_duplicates": true, "busy_while_scanning": true, "reasons": true, "bluez": "5.87", "dies_of_uuids": true}
      """)
    #expect(scenario.straps.count == 2)
    #expect(scenario.timeline == [ScenarioItem(time: 2, strap: "C0:FF:EE:00:00:02", action: .strap(.vanish))])
    #expect(scenario.connections == 1)
    #expect(scenario.filtersDuplicates && scenario.isBusyWhileScanning && scenario.signalsReasons)
    #expect(scenario.release == .unstable && scenario.diesOfServiceFilters)
    #expect(scenario.resolveOrder == .late)
  }

  @Test(
    "what makes no sense is refused with its place",
    arguments: [
      ("", "not JSON"), ("[]", "array"),
      (#"{"timeline": [{"t": 0, "bpm": 60}, {"t": 1}]}"#, "item 2: neither bpm, raw nor event"),
      (#"{"timeline": [{"event": "explode"}]}"#, "item 1: unknown event 'explode'"),
      (#"{"timeline": [{"raw": "0"}]}"#, "odd number"), (#"{"timeline": [{"raw": "0g"}]}"#, "not hexadecimal"),
      (#"{"timeline": [{"bpm": 300, "wide": false}]}"#, "does not fit"),
      (#"{"timeline": [{"bpm": 70000}]}"#, "bpm"), (#"{"timeline": [{"bpm": 60, "rr_ms": [70000]}]}"#, "rr_ms"),
      (#"{"timeline": [{"event": "battery"}]}"#, "value is missing"),
      (#"{"timeline": [{"t": 1e300, "bpm": 60}]}"#, "item 1: t must"),
      (#"{"timeline": [{"event": "battery", "value": 101}]}"#, "value must be 0 to 100"),
      (#"{"timeline": [{"event": "bluetoothd", "do": "HUP"}]}"#, "TERM, KILL, STOP, CONT, start"),
      (#"{"address": "C0:FF"}"#, "no Bluetooth address"), (#"{"adv_ms": 1}"#, "adv_ms"),
      (#"{"clock": "never"}"#, "clock"), (#"{"straps": [{}, {}]}"#, "same address"), (#"{"uuids": ["x"]}"#, "UUID"),
    ])
  func refusals(text: String, reason: String) throws {
    let refusal = try #require(self.refusal(text))
    #expect(refusal.contains(reason), "\(refusal)")
    #expect(!refusal.contains("\n"))
  }
}

@Suite("Timelines")
struct TimelineTests {
  @Test("the strap's clock starts with the first subscription, and goes on whatever happens")
  func clock() throws {
    let timeline = (0..<5).map { ScenarioItem(time: Double($0), action: .value([0, UInt8(60 + $0)])) }
    var bench = Bench(timeline)
    bench.wait(10)
    #expect(!bench.takeTruth().contains { $0.hasPrefix("notify") || $0.hasPrefix("unsent") })
    bench.connected()
    bench.call("StartNotify", on: Bench.hrm)
    bench.wait(2.5)
    bench.befall(.vanish)
    bench.wait(10)
    #expect(
      bench.takeTruth().filter { $0.contains(" t=") || $0 == "end" } == [
        "notify n=0 t=0.0 hex=003c", "notify n=1 t=1.0 hex=003d", "notify n=2 t=2.0 hex=003e", "unsent n=3 t=3.0",
        "unsent n=4 t=4.0", "end",
      ])
  }

  @Test("a clock that starts with the simulator waits for nobody")
  func startClock() {
    var bench = Bench([ScenarioItem(time: 1, action: .value([0, 60]))]) { $0.clock = .start }
    bench.wait(2)
    #expect(bench.takeTruth() == ["ready name=Lab HRM", "advertising", "unsent n=0 t=1.0", "end"])
  }

  @Test("the same seed does the same, to the microsecond")
  func determinism() {
    func run() -> [String] {
      var straps: [StrapProfile] = []
      for number in 1...2 {
        var strap = StrapProfile()
        strap.address = "C0:FF:EE:00:00:0\(number)"
        strap.source = .heart
        straps.append(strap)
      }
      var bench = Bench(Scenario(straps: straps), seed: 9)
      bench.subscribed()
      bench.wait(60)
      return bench.take() + bench.takeTruth()
    }
    let first = run()
    #expect(first == run())
    #expect(first.count { $0.hasPrefix("notify") } >= 58)
  }

  @Test("an item for a strap that does not exist is written down as an error")
  func unknownStrap() {
    var bench = Bench()
    bench.put(.item(ScenarioItem(strap: "00:00:00:00:00:00", action: .strap(.drop))))
    #expect(bench.takeTruth().last == "error n=null error=no such strap")
  }
}

@Suite("The ground truth's lines")
struct LogEntryTests {
  @Test("a line is JSON with the lab's words, quoted where it must be")
  func line() {
    let entry = LogEntry(
      "notify", strap: "C0:FF:EE:00:00:01",
      ["n": .int(3), "t": .double(1), "x": .double(0.5), "hex": .string("a\"\\\n"), "on": .bool(true), "z": .null])
    #expect(
      entry.json(unix: 1.5, boot: 2.25)
        == #"{"unix":1.5,"mono":2.25,"ev":"notify","strap":"C0:FF:EE:00:00:01","n":3,"t":1,"x":0.5,"hex":"a\"\\\u000a","on":true,"z":null}"#
    )
  }
}
