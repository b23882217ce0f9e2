import Testing

@testable import Simulator

@Suite("Connecting and resolving, as bluetoothd signals it")
struct ConnectingTests {
  @Test("the usual order is Connected, the objects, UUIDs with ServicesResolved, the battery, the reply")
  func usualOrder() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    bench.call("StopDiscovery", on: Bench.hci0)
    _ = bench.take()
    bench.call("Connect")
    #expect(bench.take() == [])
    bench.wait(1)
    let lines = bench.take()
    #expect(lines.first == "dev Connected=true")
    #expect(lines.contains("+ dev/service000e GattService1"))
    #expect(lines.contains("+ hrm GattCharacteristic1"))
    #expect(lines.contains("+ hrm/desc0011 GattDescriptor1"))
    #expect(!lines.contains { $0.contains("service0001") }, "generic access is kept back")
    #expect(
      lines.suffix(3) == [
        "dev ServicesResolved=true UUIDs=1800,1801,180a,180d,180f", "+ dev Battery1", "Connect: ok",
      ])
  }

  @Test("the reply and the battery may come before the services")
  func earlyReply() {
    var bench = Bench(order: .early)
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    bench.call("Connect")
    _ = bench.take()
    bench.wait(1)
    #expect(
      bench.takeWithoutGATT().filter { !$0.contains("RSSI") } == [
        "dev Connected=true", "Connect: ok", "+ dev Battery1",
        "dev ServicesResolved=true UUIDs=1800,1801,180a,180d,180f",
      ])
  }

  @Test("Connected may come after ServicesResolved and the reply")
  func lateConnected() {
    var bench = Bench(order: .late)
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.call("Connect")
    _ = bench.take()
    bench.wait(1)
    #expect(
      bench.takeWithoutGATT() == [
        "dev ServicesResolved=true UUIDs=1800,1801,180a,180d,180f", "+ dev Battery1", "Connect: ok",
        "dev Connected=true",
      ])
  }

  @Test("Connected may never be signalled, though it is true")
  func untoldConnected() {
    var bench = Bench(order: .untold)
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.call("Connect")
    _ = bench.take()
    bench.wait(1)
    #expect(
      bench.takeWithoutGATT() == [
        "dev ServicesResolved=true UUIDs=1800,1801,180a,180d,180f", "+ dev Battery1", "Connect: ok",
      ])
    bench.call("Get", [.string("org.bluez.Device1"), .string("Connected")])
    #expect(bench.take() == ["Get: true"])
  }

  @Test("ServicesResolved may be signalled before the objects are there")
  func hollowResolution() {
    var bench = Bench(order: .hollow)
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    bench.call("Connect")
    _ = bench.take()
    bench.wait(1)
    let lines = bench.take()
    let resolved = lines.firstIndex { $0.hasPrefix("dev ServicesResolved") } ?? .max
    #expect(resolved < lines.firstIndex(of: "+ hrm GattCharacteristic1") ?? 0)
  }

  @Test("a stale cache lacks the heart rate on the first links only")
  func staleCache() {
    var bench = Bench { $0.staleLinks = 1 }
    bench.connected()
    #expect(bench.machine.object(at: Bench.hrm) == nil)
    #expect(bench.machine.object(at: Bench.battery) != nil)
    bench.befall(.drop)
    bench.call("Connect")
    bench.wait(1)
    #expect(bench.take().contains("dev ServicesResolved=true UUIDs=1800,1801,180a,180d,180f"))
    #expect(bench.machine.object(at: Bench.hrm) != nil)
  }

  @Test("an adapter may refuse to connect while it scans")
  func busyWhileScanning() {
    var bench = Bench(Scenario(straps: [StrapProfile()], resolveOrder: .usual, isBusyWhileScanning: true))
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    _ = bench.take()
    bench.call("Connect")
    #expect(bench.take() == ["Connect: Failed le-connection-busy"])
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.call("Connect")
    bench.wait(1)
    #expect(bench.take().last == "Connect: ok")
  }

  @Test("a bonded controller is known from the beginning, stays when it is away, and offers its input service")
  func bondedController() {
    var bench = Bench {
      $0.isBonded = true
      $0.hasInputService = true
    }
    bench.befall(.client(.connect, adapter: "hci0", uuid: nil))
    bench.wait(1)
    #expect(bench.takeWithoutGATT().first == "dev Connected=true")
    #expect(bench.machine[DeviceKey(adapter: 0, strap: 0)]?.uuids.contains(GATTLayout.humanInterfaceDevice) == true)
    #expect(bench.takeTruth().contains("done kind=client Connect result=ok"))
    bench.befall(.vanish)
    bench.wait(60)
    #expect(!bench.take().contains("- dev Device1"))
  }

  @Test("since 5.83 the reason of a disconnect is signalled after it")
  func reasons() {
    var bench = Bench(Scenario(straps: [StrapProfile()], resolveOrder: .usual, signalsReasons: true))
    bench.connected()
    bench.befall(.vanish)
    #expect(
      bench.take() == [
        "dev Connected=false ServicesResolved=false",
        "dev Disconnected org.bluez.Reason.Timeout Connection timeout", "- dev Battery1",
      ])
    bench.befall(.advertise)
    bench.call("Connect")
    bench.wait(1)
    _ = bench.take()
    bench.call("Disconnect")
    bench.wait(3)
    #expect(bench.take().last == "dev Disconnected org.bluez.Reason.Local Connection terminated by local host")
  }

  @Test("the order is drawn by the seed when it is not fixed: all four come")
  func mixedOrder() {
    var seen: Set<String> = []
    for seed in 0..<40 {
      var bench = Bench(Scenario(straps: [StrapProfile()]), seed: UInt64(seed))
      bench.call("StartDiscovery", on: Bench.hci0)
      bench.wait(0.2)
      bench.call("StopDiscovery", on: Bench.hci0)
      _ = bench.take()
      bench.call("Connect")
      bench.wait(1)
      seen.insert(bench.takeWithoutGATT().joined(separator: ";"))
    }
    #expect(seen.count == 4)
  }

  @Test("a second Connect while one pends fails, on a connected device it succeeds")
  func secondConnect() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    bench.call("StopDiscovery", on: Bench.hci0)
    _ = bench.take()
    bench.call("Connect")
    bench.call("Connect", as: ":1.2")
    #expect(bench.take() == ["Connect of :1.2: Failed Operation already in progress"])
    bench.wait(1)
    _ = bench.take()
    bench.call("Connect")
    #expect(bench.take() == ["Connect: ok"])
  }

  @Test("a silent strap is given up after 40.2 s, and the device stays until 30 s later")
  func silentStrap() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.befall(.cease)
    _ = bench.take()
    bench.call("Connect")
    bench.wait(40.1)
    #expect(bench.take() == [])
    bench.wait(0.2)
    #expect(bench.take() == ["Connect: Failed le-connection-abort-by-local"])
    bench.wait(29)
    #expect(bench.take() == [])
    bench.wait(1.1)
    #expect(bench.take() == ["- dev Device1"])
  }

  @Test("a strap that comes back while Connect pends is connected")
  func strapComesBack() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.befall(.cease)
    bench.call("Connect")
    bench.wait(14.8)
    _ = bench.take()
    bench.befall(.advertise)
    bench.wait(1)
    #expect(bench.take().last == "Connect: ok")
  }

  @Test("Disconnect ends a pending Connect")
  func disconnectCancels() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.befall(.cease)
    bench.call("Connect")
    _ = bench.take()
    bench.call("Disconnect")
    #expect(bench.take() == ["Connect: Failed br-connection-canceled", "Disconnect: ok"])
  }

  @Test("an unknown object is refused by libdbus, an unknown method too")
  func unknownObject() {
    var bench = Bench()
    bench.call("Connect")
    #expect(
      bench.take() == [
        "Connect: UnknownObject Method \"Connect\" with signature \"\" on interface \"org.bluez.Device1\" doesn't exist\n"
      ])
    bench.call("Pair", on: Bench.hci0)
    #expect(bench.take().first?.hasPrefix("Pair: UnknownMethod ") == true)
  }

  @Test("refused links fail with Connected false and no true before it, until the strap stops refusing")
  func refusedLinks() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    bench.call("StopDiscovery", on: Bench.hci0)
    bench.befall(.refuse(1))
    _ = bench.take()
    bench.call("Connect")
    bench.wait(0.4)
    #expect(bench.take() == ["Connect: Failed le-connection-abort-by-local", "dev Connected=false"])
    #expect(
      bench.takeTruth().suffix(3) == ["connected peer=00:1B:DC:00:00:01/P", "disconnected reason=62", "advertising"])
    bench.call("Connect")
    bench.wait(1)
    #expect(bench.take().last == "Connect: ok")
  }

  @Test("a full adapter fails after 4.1 s and removes a device that was never connected")
  func fullAdapter() {
    var second = StrapProfile()
    second.address = "C0:FF:EE:00:00:02"
    var bench = Bench(Scenario(straps: [StrapProfile(), second], connections: 1, resolveOrder: .usual))
    bench.connected()
    bench.call("Connect", on: Bench.hci0 + "/dev_C0_FF_EE_00_00_02")
    bench.wait(4)
    #expect(bench.take() == [])
    bench.wait(0.2)
    #expect(bench.take() == ["Connect: Failed le-connection-abort-by-local", "- dev2 Device1"])
  }

  @Test("a Connect that pends when a slot gets free succeeds")
  func slotGetsFree() {
    var second = StrapProfile()
    second.address = "C0:FF:EE:00:00:02"
    var bench = Bench(Scenario(straps: [StrapProfile(), second], connections: 1, resolveOrder: .usual))
    bench.connected()
    bench.call("Connect", on: Bench.hci0 + "/dev_C0_FF_EE_00_00_02")
    bench.wait(2)
    bench.befall(.vanish)
    bench.wait(1)
    #expect(bench.take().last == "Connect: ok")
  }

  @Test("links are made one at a time, three advertisements each, the lowest strap first")
  func oneLinkAtATime() {
    let straps = (1...4).map { number in
      var strap = StrapProfile()
      strap.address = "C0:FF:EE:00:00:0\(number)"
      return strap
    }
    var bench = Bench(Scenario(straps: straps, resolveOrder: .late))
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    bench.call("StopDiscovery", on: Bench.hci0)
    for number in [4, 3, 2, 1] {
      bench.call("Connect", on: Bench.hci0 + "/dev_C0_FF_EE_00_00_0\(number)", as: ":\(number)")
    }
    _ = bench.take()
    bench.wait(0.32)
    // The kernel had begun with the first call when the others came.
    #expect(bench.takeTruth().filter { $0.hasPrefix("connected") }.count == 1)
    bench.wait(0.64)
    #expect(bench.takeTruth().filter { $0.hasPrefix("connected") }.count == 2)
    bench.wait(1)
    #expect(
      bench.take().filter { $0.hasSuffix(": ok") } == [
        "Connect of :4: ok", "Connect of :1: ok", "Connect of :2: ok", "Connect of :3: ok",
      ])
  }

  @Test("after an explicit Disconnect the battery goes at once and the rest in two signals around the reply")
  func explicitDisconnect() {
    var bench = Bench()
    bench.connected()
    bench.call("Disconnect")
    #expect(bench.take() == ["- dev Battery1"])
    bench.wait(1.9)
    #expect(bench.take() == [])
    bench.wait(0.2)
    #expect(bench.take() == ["dev ServicesResolved=false", "Disconnect: ok", "dev Connected=false"])
  }

  @Test("Disconnect of a device without a link succeeds")
  func idleDisconnect() {
    var bench = Bench()
    bench.call("StartDiscovery", on: Bench.hci0)
    bench.wait(0.2)
    _ = bench.take()
    bench.call("Disconnect")
    #expect(bench.take() == ["Disconnect: ok"])
  }

  @Test("a lost link is one signal, then the battery goes; the objects stay for 30 s")
  func lostLink() {
    var bench = Bench()
    bench.connected()
    bench.befall(.vanish)
    #expect(bench.take() == ["dev Connected=false ServicesResolved=false", "- dev Battery1"])
    bench.wait(29.9)
    #expect(bench.take() == [])
    bench.wait(0.2)
    let lines = bench.take()
    #expect(lines.first == "- dev/service0006/char0007/desc0009 GattDescriptor1")
    #expect(lines.last == "- dev Device1")
    bench.call("Connect")
    #expect(bench.take().first?.hasPrefix("Connect: UnknownObject") == true)
  }

  @Test("a pending Connect keeps the device from going")
  func pendingConnectKeepsDevice() {
    var bench = Bench()
    bench.connected()
    bench.befall(.vanish)
    bench.wait(10)
    _ = bench.take()
    bench.call("Connect")
    bench.wait(30)
    #expect(bench.take() == [])
  }
}
