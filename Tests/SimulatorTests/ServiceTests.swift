import DBus
import Synchronization
import TestSupport
import Testing

@testable import Simulator

/// In real time: in fast time, a device that is not connected yet would expire while a busy machine delays the test.
@Suite("The simulator on a real bus", .timeLimit(.minutes(5)))
struct ServiceTests {
  /// A simulator in this process, on a bus and a thread of its own.
  private final class Running: Sendable {
    let bus: PrivateBus
    let loop: EventLoop
    let service: Service
    let ends = Mutex<[String]>([])

    init(_ scenario: Scenario) async throws {
      bus = try PrivateBus()
      loop = try EventLoop.startThread(named: "simulator")
      let ended = AsyncStream<String>.makeStream()
      end = ended.stream
      service = Service(scenario, on: BusAddress(bus.address), loop: loop) { code, _ in
        ended.continuation.yield("\(code)")
      }
      await service.begin {}
    }

    /// The codes with which the program would have ended.
    let end: AsyncStream<String>

    deinit {
      loop.stop()
    }
  }

  private func strap(_ number: Int, _ values: ClosedRange<Int>) -> StrapProfile {
    var strap = StrapProfile()
    strap.address = "C0:FF:EE:00:00:0\(number)"
    strap.source = .timeline(
      values.map { ScenarioItem(time: Double($0) * 0.02, action: .value([0x10, UInt8(40 + $0), 0, 4])) }
    )
    return strap
  }

  private let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
  private let measurement: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000e/char000f"

  @Test("two straps at once: found, connected, resolved, and every value of both arrives in order, one way each")
  func twoStraps() async throws {
    let running = try await Running(Scenario(straps: [strap(1, 0...9), strap(2, 0...9)]))
    let client = try await BusClient(running.bus.address)
    let second: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_02"
    try await client.connect(device)
    try await client.connect(second)
    let notifying: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_02/service000e/char000f"
    #expect(try await client.acquire(measurement) == 517)
    try await client.call(notifying, "org.bluez.GattCharacteristic1", "StartNotify")
    let expected = (0...9).map { "10 \(String(40 + $0, radix: 16)) 0 4" }
    await client.saw("packet", times: 10)
    await client.saw("\(notifying) Value", times: 10)
    #expect(client.seen.filter { $0.hasPrefix("packet") } == expected.map { "packet \($0)" })
    #expect(
      client.seen.filter { $0.hasPrefix(notifying.text) && $0.contains("Value") }
        == expected.map { "\(notifying) Value=\($0)" })
  }

  @Test("GetManagedObjects, a property and a value are read over the bus, and errors have BlueZ's names and texts")
  func readsAndErrors() async throws {
    let running = try await Running(Scenario(straps: [StrapProfile()]))
    let client = try await BusClient(running.bus.address)
    try await client.connect(device)
    let objects = try await client.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    let entries = try #require(objects.first?.dictionary?.entries)
    #expect(entries.contains { $0.key.objectPath == measurement })
    let interfaces = try #require(entries.first { $0.key.objectPath == device }?.value.dictionary)
    #expect(interfaces["org.bluez.Device1"]?.properties?["Name"]?.string == "Lab HRM")
    #expect(interfaces["org.bluez.Device1"]?.properties?["ManufacturerData"]?.dictionary?.entries.count == 1)
    let name = try await client.call(
      device, "org.freedesktop.DBus.Properties", "Get", [.string("org.bluez.Device1"), .string("Address")])
    #expect(name == [.variant(.string("C0:FF:EE:00:00:01"))])
    let location = try await client.call(
      "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000e/char0012", "org.bluez.GattCharacteristic1", "ReadValue",
      [.properties([:])])
    #expect(location == [.bytes([1])])
    let failure = await #expect(throws: DBusError.self) {
      try await client.call("/org/bluez/hci0", "org.bluez.Adapter1", "StopDiscovery")
    }
    #expect(failure?.name == "org.bluez.Error.Failed")
    #expect(failure?.message == "No discovery started")
  }

  @Test("empty packets and the end of the descriptor can be told apart; the end comes before the disconnect")
  func emptyPackets() async throws {
    let running = try await Running(Scenario(straps: [StrapProfile()]))
    let client = try await BusClient(running.bus.address)
    try await client.connect(device)
    _ = try await client.acquire(measurement)
    await running.service.perform([ScenarioItem(action: .value([])), ScenarioItem(action: .value([0, 60]))])
    await client.saw("packet", times: 2)
    await running.service.perform([ScenarioItem(action: .strap(.vanish))])
    await client.saw("end of file")
    #expect(client.seen.filter { $0.hasPrefix("packet") } == ["packet ", "packet 0 3c"])
    await client.saw("\(device) Connected=false")
  }

  @Test("a killed bluetoothd answers no more and comes back under its name, without GATT objects")
  func killedDaemon() async throws {
    let running = try await Running(Scenario(straps: [StrapProfile()]))
    let client = try await BusClient(running.bus.address)
    try await client.connect(device)
    _ = try await client.acquire(measurement)
    await running.service.perform([ScenarioItem(action: .strap(.vanish))])
    await client.saw("\(device) Connected=false")
    // One of two pends, and that it does is known when the other is refused.
    let failures = await withTaskGroup(of: DBusError?.self) { group in
      for _ in 0..<2 {
        group.addTask {
          do {
            try await client.call(device, "org.bluez.Device1", "Connect")
            return nil
          } catch {
            return error as? DBusError
          }
        }
      }
      var failures: [String?] = []
      for await failure in group {
        failures.append(failure?.name)
        await running.service.perform([ScenarioItem(action: .machine(.bluetoothd(.kill)))])
      }
      return failures
    }
    #expect(failures == ["org.bluez.Error.Failed", "org.freedesktop.DBus.Error.NoReply"])
    await client.saw("owner nobody")
    #expect(!client.seen.contains { $0.hasPrefix("- \(device)/service") })
    await running.service.perform([ScenarioItem(action: .machine(.bluetoothd(.start)))])
    await client.saw("owner somebody")
    await client.saw("+ /org/bluez/hci0", times: 2)
  }

  @Test("when the bus goes, the program ends with 69")
  func lostBus() async throws {
    let running = try await Running(Scenario(straps: [StrapProfile()]))
    running.bus.kill()
    var codes = running.end.makeAsyncIterator()
    #expect(await codes.next() == "69")
  }

  @Test("a name that somebody else owns ends the program with 69")
  func takenName() async throws {
    let running = try await Running(Scenario(straps: []))
    let ended = AsyncStream<Int32>.makeStream()
    let second = Service(Scenario(straps: []), on: BusAddress(running.bus.address), loop: running.loop) { code, _ in
      ended.continuation.yield(code)
    }
    await second.begin { Issue.record("not ready") }
    var codes = ended.stream.makeAsyncIterator()
    #expect(await codes.next() == 69)
  }
}
