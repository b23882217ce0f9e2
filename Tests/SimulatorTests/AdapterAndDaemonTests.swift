import Testing

@testable import Simulator

@Suite("Adapters and bluetoothd come and go")
struct AdapterAndDaemonTests {
  let a: [UInt8] = [0x10, 60, 0, 4]

  @Test("power off: the disconnect, then Powered false; Connect fails with an input/output error until it is on again")
  func power() {
    var bench = Bench()
    bench.connected()
    bench.befall(.power(on: false, adapter: "hci0"))
    #expect(
      bench.take() == [
        "dev Connected=false ServicesResolved=false", "- dev Battery1", "hci0 Discovering=false Powered=false",
      ])
    bench.call("Connect")
    #expect(bench.take() == ["Connect: Failed Input/output error"])
    bench.befall(.power(on: true, adapter: "hci0"))
    bench.call("Connect")
    bench.wait(1)
    #expect(bench.takeWithoutGATT().filter { $0 == "hci0 Powered=true" || $0 == "Connect: ok" }.count == 2)
  }

  @Test("an adapter that is pulled takes its objects along; pushed in again it has no power at first")
  func unplug() {
    var bench = Bench()
    bench.connected()
    bench.befall(.unplug(adapter: "00:1B:DC:00:00:01"))
    let lines = bench.takeWithoutGATT()
    #expect(
      lines == [
        "dev Connected=false ServicesResolved=false", "- dev Battery1 Device1",
        "hci0 Discovering=false Powered=false", "- hci0 Adapter1 GattManager1 LEAdvertisingManager1",
      ])
    bench.call("Connect")
    #expect(bench.take().first?.hasPrefix("Connect: UnknownObject") == true)
    bench.befall(.plug(adapter: "00:1B:DC:00:00:01"))
    bench.wait(0.4)
    #expect(bench.take() == ["+ hci0 Adapter1 GattManager1", "+ dev Device1"])
    bench.call("Get", on: Bench.hci0, [.string("org.bluez.Adapter1"), .string("Powered")])
    #expect(bench.take() == ["Get: false"])
    bench.wait(0.5)
    #expect(bench.take() == ["+ hci0 LEAdvertisingManager1", "hci0 Powered=true", "hci0 Alias=BlueZ 5.66"])
  }

  @Test("a Connect in the moment an adapter is pushed in pends to the end though the strap advertises")
  func connectTooEarly() {
    var bench = Bench()
    bench.connected()
    bench.befall(.unplug(adapter: "00:1B:DC:00:00:01"))
    bench.befall(.plug(adapter: "00:1B:DC:00:00:01"))
    bench.wait(0.4)
    _ = bench.take()
    bench.call("Connect")
    bench.wait(40)
    #expect(bench.take() == ["+ hci0 LEAdvertisingManager1", "hci0 Powered=true", "hci0 Alias=BlueZ 5.66"])
    bench.wait(1)
    #expect(bench.take() == ["Connect: Failed le-connection-abort-by-local"])
  }

  @Test("a second adapter has device objects of its own")
  func secondAdapter() {
    var bench = Bench()
    bench.befall(.plug(adapter: "00:1B:DC:00:00:02"))
    bench.wait(1)
    bench.call("StartDiscovery", on: "/org/bluez/hci1")
    bench.wait(0.2)
    #expect(bench.take().last == "+ /org/bluez/hci1/dev_C0_FF_EE_00_00_01 Device1")
    bench.call("Connect", on: "/org/bluez/hci1/dev_C0_FF_EE_00_00_01")
    bench.wait(1)
    #expect(bench.take().last == "Connect: ok")
    bench.befall(.unplug(adapter: "00:1B:DC:00:00:01"))
    bench.wait(1)
    #expect(
      bench.take() == ["hci0 Discovering=false Powered=false", "- hci0 Adapter1 GattManager1 LEAdvertisingManager1"])
  }

  @Test("SIGTERM takes the power, removes every object, and then the name goes")
  func terminate() {
    var bench = Bench()
    bench.acquired()
    bench.befall(.bluetoothd(.terminate))
    #expect(
      bench.takeWithoutGATT() == [
        "end of file", "dev Connected=false ServicesResolved=false", "hrm NotifyAcquired=false",
        "hci0 Discovering=false Powered=false", "- /org/bluez AgentManager1 HealthManager1 ProfileManager1",
        "- dev Battery1 Device1", "- hci0 Adapter1 GattManager1 LEAdvertisingManager1", "bus left",
      ])
  }

  @Test("SIGKILL removes nothing: the name goes, and for 2 s the strap sends into a link that nobody reads")
  func kill() {
    var bench = Bench()
    bench.subscribed()
    bench.call("ReadValue", on: Bench.battery, [.dictionary([:])])
    bench.befall(.bluetoothd(.kill))
    #expect(bench.take() == ["bus left"])
    bench.wait(1)
    bench.send(a)
    bench.wait(0.9)
    #expect(!bench.truth.contains { $0.hasPrefix("disconnected") })
    bench.wait(0.2)
    #expect(bench.take() == [])
    #expect(
      bench.takeTruth() == [
        "event kind=bluetoothd KILL", "notify n=null t=2.3 hex=103c0004", "swallowed n=null hex=103c0004 why=nobody",
        "disconnected reason=19", "advertising",
      ])
  }

  @Test("after a restart the name comes before the adapter, and devices come back without GATT objects")
  func restart() {
    var bench = Bench()
    bench.subscribed()
    bench.befall(.bluetoothd(.kill))
    bench.wait(5)
    _ = bench.take()
    bench.befall(.bluetoothd(.start))
    #expect(bench.take() == ["bus joined", "+ /org/bluez AgentManager1 HealthManager1 ProfileManager1"])
    bench.call("Connect")
    #expect(bench.take().first?.hasPrefix("Connect: UnknownObject") == true)
    bench.wait(0.3)
    #expect(bench.take() == ["+ hci0 Adapter1 GattManager1 LEAdvertisingManager1", "+ dev Device1"])
    bench.call("Connect")
    bench.wait(1)
    #expect(bench.take().last == "Connect: ok")
    bench.send(a)
    #expect(bench.takeTruth().last?.hasPrefix("unsent") == true)
  }

  @Test("restarted at once: Connect succeeds on the old link, services never resolve, and the link goes after 2 s")
  func quickRestart() {
    var bench = Bench()
    bench.subscribed()
    bench.befall(.bluetoothd(.kill))
    bench.befall(.bluetoothd(.start))
    bench.wait(0.3)
    #expect(
      bench.take() == ["bus left", "bus joined"] + [
        "+ /org/bluez AgentManager1 HealthManager1 ProfileManager1",
        "+ hci0 Adapter1 GattManager1 LEAdvertisingManager1", "+ dev Device1",
      ])
    bench.call("Connect")
    #expect(bench.take() == ["Connect: ok"])
    bench.wait(1.6)
    #expect(bench.take() == [])
    bench.wait(0.2)
    #expect(bench.take() == ["dev Connected=false"])
  }

  @Test("a frozen bluetoothd answers and signals nothing, and loses nothing")
  func frozen() {
    var bench = Bench()
    bench.subscribed()
    bench.befall(.bluetoothd(.stop))
    for number in 0..<10 { bench.send([0, 60 + UInt8(number)]) }
    bench.call("ReadValue", on: Bench.battery, [.dictionary([:])])
    bench.wait(10)
    #expect(bench.take() == [])
    bench.befall(.bluetoothd(.proceed))
    bench.wait(0.1)
    let expected = (0..<10).map { "hrm Value=<00\([60 + UInt8($0)].hex)>" }
    #expect(bench.take() == expected + ["battery Value=<57>", "ReadValue: <57>"])
  }

  @Test("RemoveDevice of a connected strap: the battery at once, values for 2.3 s more, then everything")
  func removeDevice() {
    var bench = Bench()
    bench.subscribed()
    bench.befall(.remove(adapter: "hci0"))
    #expect(bench.take() == ["- dev Battery1"])
    bench.wait(2)
    bench.send(a)
    bench.wait(0.2)
    #expect(bench.take() == ["hrm Value=<103c0004>"])
    bench.wait(0.2)
    #expect(
      bench.takeWithoutGATT() == ["dev ServicesResolved=false", "dev Connected=false", "- dev Device1"])
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    #expect(bench.take().last == "+ dev Device1")
    bench.call("RemoveDevice", on: Bench.hci0, [.objectPath("/bogus")])
    #expect(bench.take() == ["RemoveDevice: DoesNotExist Does Not Exist"])
  }

  @Test("RemoveDevice of a strap that is being connected: its object goes, and Connect is never answered")
  func removeWhileConnecting() {
    var bench = Bench()
    bench.subscribed()
    bench.befall(.disconnect)
    bench.wait(3)
    _ = bench.take()
    bench.call("Connect", on: Bench.dev)
    bench.wait(1)
    bench.befall(.remove(adapter: "hci0"))
    bench.wait(60)
    let lines = bench.takeWithoutGATT()
    #expect(lines.contains("- dev Device1") && !lines.contains { $0.hasPrefix("Connect:") }, "\(lines)")
  }

  @Test("services that move while connected are replaced in one instant, and subscriptions are gone without a signal")
  func movedWhileConnected() {
    var bench = Bench()
    bench.acquired()
    bench.befall(.gatt(shift: 5, tell: true))
    bench.wait(0.1)
    let lines = bench.takeWithoutGATT()
    #expect(
      lines == [
        "- dev Battery1", "dev UUIDs=1800,1801,180a,180f,0000", "end of file",
        "dev UUIDs=1800,1801,180a,180d,180f,0000", "+ dev Battery1",
      ])
    bench.send(a)
    #expect(bench.takeTruth().last?.hasPrefix("unsent") == true)
    // The filler service takes its handle and two for each of its five characteristics.
    bench.call("StartNotify", on: Bench.dev + "/service0019/char001a")
    bench.wait(0.1)
    #expect(bench.take().last == "StartNotify: ok")
  }

  @Test("services that moved while away: the write goes to the old handle, removals come after Connected")
  func movedWhileAway() {
    var bench = Bench()
    bench.subscribed()
    bench.befall(.disconnect)
    bench.befall(.gatt(shift: 5, tell: true))
    bench.befall(.advertise)
    _ = bench.take()
    bench.call("Connect")
    bench.wait(1)
    let lines = bench.take()
    #expect(lines.first == "dev Connected=true")
    let removal = lines.firstIndex { $0 == "- hrm GattCharacteristic1" } ?? 0
    #expect(lines.contains("dev UUIDs=1800,1801"))
    let arrival = lines.firstIndex { $0 == "+ dev/service0019/char001a GattCharacteristic1" } ?? 0
    let resolved = lines.firstIndex { $0.hasPrefix("dev ServicesResolved=true") } ?? 0
    #expect(0 < removal && removal < arrival && arrival < resolved)
    bench.send(a)
    #expect(bench.takeTruth().last?.hasPrefix("unsent") == true)
  }

  @Test("services that move without Service Changed: values stop without an error")
  func movedInSilence() {
    var bench = Bench()
    bench.subscribed()
    bench.befall(.gatt(shift: 5, tell: false))
    bench.wait(5)
    bench.send(a)
    #expect(bench.take() == [])
  }

  @Test(
    "a strap that requires encryption and no agent: StartNotify is never answered, the device goes 30 s later without a signal"
  )
  func noAgent() {
    var bench = Bench { $0.pairing = .justWorks }
    bench.connected()
    bench.call("StartNotify", on: Bench.hrm)
    bench.wait(29.9)
    #expect(bench.take() == [])
    bench.wait(0.3)
    #expect(bench.takeWithoutGATT() == ["- dev Battery1 Device1"])
  }

  @Test("AcquireNotify that waits for an agent outlives its link, and refuses every later one until StopNotify")
  func stuckRequest() {
    var bench = Bench { $0.pairing = .justWorks }
    bench.connected()
    bench.call("AcquireNotify", on: Bench.hrm, [.dictionary([:])])
    bench.wait(1)
    bench.befall(.drop)
    bench.call("Connect")
    bench.wait(1)
    _ = bench.take()
    bench.call("AcquireNotify", on: Bench.hrm, [.dictionary([:])])
    #expect(bench.take() == ["AcquireNotify: NotPermitted Notify acquired"])
    bench.call("StopNotify", on: Bench.hrm)
    #expect(bench.take().contains("StopNotify: ok"))
    bench.call("AcquireNotify", on: Bench.hrm, [.dictionary([:])])
    bench.wait(1)
    #expect(bench.take() == [], "it waits again")
  }

  @Test("with an agent it pairs by itself, and later links are silent")
  func agent() {
    var bench = Bench { $0.pairing = .justWorks }
    bench.call("RegisterAgent", on: "/org/bluez", [.objectPath("/agent"), .string("NoInputNoOutput")])
    #expect(bench.take() == ["RegisterAgent: ok", "hci0 Pairable=true"])
    bench.connected()
    bench.call("StartNotify", on: Bench.hrm)
    bench.wait(0.1)
    #expect(bench.take() == ["ask :1.1 /agent RequestAuthorization dev 1"])
    bench.put(.agentAnswered(question: 1, []))
    bench.wait(1)
    #expect(bench.take() == ["dev Bonded=true Paired=true", "hrm Notifying=true", "StartNotify: ok"])
    bench.befall(.drop)
    bench.call("Connect")
    bench.wait(1)
    #expect(!bench.take().contains { $0.hasPrefix("ask") })
    bench.send(a)
    bench.wait(0.1)
    #expect(bench.take() == ["hrm Value=<103c0004>"])
    bench.befall(.vanish)
    bench.wait(60)
    #expect(!bench.take().contains("- dev Device1"), "a bonded device stays")
  }

  @Test("an agent that refuses fails the call")
  func refusingAgent() {
    var bench = Bench { $0.pairing = .justWorks }
    bench.call("RegisterAgent", on: "/org/bluez", [.objectPath("/agent"), .string("")])
    bench.connected()
    bench.call("Pair")
    bench.put(.agentAnswered(question: 1, nil))
    bench.wait(1)
    #expect(
      bench.take() == [
        "ask :1.1 /agent RequestAuthorization dev 1", "Pair: AuthenticationFailed Authentication Failed",
      ])
  }

  @Test(
    "the agent is asked what the strap's way to pair needs, and only the right answer pairs",
    arguments: [
      (StrapProfile.Pairing.passkey, "RequestPasskey dev 1", [Property.uint32(123_456)], "ok"),
      (.passkey, "RequestPasskey dev 1", [.uint32(1)], "AuthenticationFailed Authentication Failed"),
      (.display, "DisplayPasskey dev 123456 0 1", [], "ok"),
      (.confirm, "RequestConfirmation dev 123456 1", [], "ok"),
      (.refuse, "RequestAuthorization dev 1", [], "AuthenticationRejected Authentication Rejected"),
    ])
  func waysToPair(way: StrapProfile.Pairing, question: String, reply: [Property], outcome: String) {
    var bench = Bench { $0.pairing = way }
    bench.call("RegisterAgent", on: "/org/bluez", [.objectPath("/agent"), .string("KeyboardDisplay")])
    bench.connected()
    bench.call("Pair")
    #expect(bench.take() == ["ask :1.1 /agent \(question)"])
    bench.put(.agentAnswered(question: 1, reply))
    bench.wait(1)
    #expect(bench.take().contains("Pair: \(outcome)"))
  }

  @Test("a strap that never answers is given up by CancelPairing")
  func cancelPairing() {
    var bench = Bench { $0.pairing = .silent }
    bench.call("RegisterAgent", on: "/org/bluez", [.objectPath("/agent"), .string("")])
    bench.connected()
    bench.call("Pair")
    bench.put(.agentAnswered(question: 1, []))
    bench.wait(20)
    #expect(bench.take() == ["ask :1.1 /agent RequestAuthorization dev 1"])
    bench.call("CancelPairing")
    #expect(bench.take() == ["Pair: AuthenticationCanceled Authentication Canceled", "CancelPairing: ok"])
  }

  @Test("the battery's changes are signalled by Battery1")
  func battery() {
    var bench = Bench()
    bench.connected()
    bench.befall(.battery(42))
    #expect(bench.take() == ["dev Percentage=42"])
  }

  @Test("another program on the bus does what the scenario says, and its results are logged")
  func otherClient() {
    var bench = Bench()
    bench.subscribed()
    bench.befall(.client(.subscribe, adapter: "hci0", uuid: nil))
    bench.wait(0.1)
    bench.send(a)
    bench.wait(0.1)
    #expect(bench.take() == ["hrm Value=<103c0004>", "hrm Value=<103c0004>"])
    #expect(bench.takeTruth().contains("done kind=client StartNotify result=ok"))
    bench.befall(.client(.leave, adapter: "hci0", uuid: nil))
    bench.befall(.client(.acquire, adapter: "hci0", uuid: nil))
    #expect(
      bench.takeTruth().contains(
        "done kind=client AcquireNotify result=org.bluez.Error.InProgress In Progress"))
    bench.befall(.client(.disconnect, adapter: "hci0", uuid: nil))
    bench.wait(3)
    #expect(bench.takeTruth().contains("disconnected reason=19"))
  }
}
