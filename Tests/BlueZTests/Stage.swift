import BluetoothScript
import DBus
import Testing
import TestSupport

@testable import BlueZ

/// A central and a scripted bluetoothd on a private bus, both on one loop of their own.
struct Stage {
  static let address = DeviceAddress("C0:FF:EE:00:00:01")!
  static let adapter = AdapterPath(0)

  let bus: PrivateBus
  let loop: EventLoop
  let bluez: ScriptedBlueZ
  let central: Central
  let log = EventLog()

  init(
    device: [String: MadeUp.Properties] = MadeUp.deviceObject, readOnce: [BluetoothUUID] = [], isStarted: Bool = true,
    answerLimit: Duration = .seconds(60)
  ) async throws {
    bus = try PrivateBus()
    loop = try EventLoop.startThread(named: "test")
    bluez = try await ScriptedBlueZ.start(
      on: bus.address, loop: loop, objects: [MadeUp.adapter: MadeUp.adapterObject, MadeUp.device: device])
    let connection = try await Connection.open(.address(bus.address), on: loop)
    let log = log
    var configuration = CentralConfiguration(notifying: BluetoothUUID(0x2A37), readOnce: readOnce)
    configuration.answerLimit = answerLimit
    central = Central(on: connection, configuration: configuration) { log.append($0) }
    if isStarted {
      try await central.start()
      _ = await log.events { $0 == .serviceAppeared }
    }
  }

  func follow() async {
    await central.follow(Self.address, on: Self.adapter)
  }

  /// A followed link with a descriptor.
  func subscribe() async throws {
    await follow()
    try await bluez.link()
    _ = await log.events { $0 == .subscribed(Self.address, .acquired) }
  }

  /// Whether the adapter filters services, once it has answered.
  func filtersServices() async -> Bool? {
    var answer: Bool?
    _ = await log.events {
      if case .adapter(let adapter) = $0 { answer = adapter.filtersServices }
      return answer != nil
    }
    return answer
  }

  func connect() async {
    await central.connect(Self.address, on: Self.adapter)
  }

  /// Ends the signals of a test: what was sent before has been told when this has.
  func mark() async throws {
    try await bluez.add(MadeUp.device, ["Battery1": ["Percentage": .byte(1)]])
  }

  func values(_ events: [Event]) -> [[UInt8]] {
    events.compactMap { if case .notification(Self.address, let bytes, _) = $0 { bytes } else { nil } }
  }

  func end() async {
    await central.stop()
    await bluez.kill()
    loop.stop()
  }

  /// Returns when everything that bluetoothd has sent so far has been handled, with the answers to what the central asked on
  /// that account.
  func reconcile() async {
    for _ in 0..<2 {
      await withCheckedContinuation { continuation in
        loop.execute {
          central.assumeIsolated { central in
            central.call(.root, "org.freedesktop.DBus.Peer", "Ping") { _, _ in continuation.resume() }
          }
        }
      }
    }
  }

  /// Emits a value, so often, and waits until it has been handled.
  func emit(_ value: UInt8, times: Int = 1) async throws {
    try await bluez.change(MadeUp.measurement, "GattCharacteristic1", ["Value": .bytes([0, value])], times: times)
    await reconcile()
  }

  /// Writes packets and hands the central a signal before it can have read them; optionally the descriptor ends between.
  func packets(_ packets: [UInt8]..., closes: Bool = false, then signal: Message) async {
    await self.packets(packets, closes: closes) { central in
      var signal = signal
      signal.sender = central.tree.owner
      central.receive(signal)
    }
  }

  /// Writes packets and lets the central do something before it can have read them.
  func packets(
    _ packets: [[UInt8]], closes: Bool = false, then act: @escaping @Sendable (isolated Central) -> Void
  ) async {
    await withCheckedContinuation { continuation in
      loop.execute {
        bluez.assumeIsolated { bluez in
          for packet in packets { bluez.packets(packet) }
          if closes { bluez.closeDescriptor() }
        }
        central.assumeIsolated { act($0) }
        continuation.resume()
      }
    }
  }

  func notifying(_ flag: Bool) async throws {
    try await bluez.change(MadeUp.measurement, "GattCharacteristic1", ["Notifying": .boolean(flag)])
  }

  /// bluetoothd answers somebody else.
  func answerOther() async throws {
    try await bluez.send(.signal(path: "/unseen", interface: "org.example.Unseen", member: "Unseen"))
  }

  static let up = Event.linkUp(address, adapter, isOurs: false)
  static let ourUp = Event.linkUp(address, adapter, isOurs: true)
  static let resolved = Event.servicesResolved(address, adapter)
  static let down = Event.linkDown(address, adapter, reason: nil)
}
