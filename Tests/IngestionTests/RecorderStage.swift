import BlueZ
import BluetoothScript
import DBus
import Foundation
import HealthModel
import SeriesStore
import Synchronization
import TestSupport
import Timeline

@testable import Ingestion

/// A recorder with a store in a folder of its own, and a scripted bluetoothd with two adapters, on one loop and a private bus.
///
/// The adapters are switched off unless a test wants them on: what is linked is linked by other programs then, and the
/// recorder connects nobody.
final class RecorderStage: Sendable {
  static let strap = DeviceAddress("C0:FF:EE:00:00:01")!
  /// Another strap, linked over hci0 by ``fence()``.
  static let marker = DeviceAddress("C0:FF:EE:00:00:99")!

  let bluez: ScriptedBlueZ
  /// The lines of the log so far, the newest status, and whoever waits for one.
  let witness = RecorderWitness()
  private let bus: PrivateBus
  private let folder: URL
  private let loop: EventLoop
  private let recorder: Recorder
  private let run: Task<Void, Never>

  /// `allowed` are the sensors in the list, besides the marker; a silent bluetoothd does not tell its objects; `prepare` says what else the recorder is told, for which it is
  /// given the bus name of the bluetoothd.
  init(
    allowed: [DeviceAddress] = [strap], powered: Bool = false,
    objects: [ObjectPath: [String: MadeUp.Properties]] = [:], isSilent: Bool = false,
    prepare: (inout RecorderSettings, _ service: String) -> Void = { _, _ in }
  ) async throws {
    bus = try PrivateBus()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("sensord-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    loop = try EventLoop.startThread(named: "test")
    var all = [Self.path(Self.marker, 0): MadeUp.object(of: "\(Self.marker)")].merging(objects) { $1 }
    for adapter in 0...1 as ClosedRange<UInt16> {
      all[AdapterPath(adapter).object] = [
        "Adapter1": ["Address": .string("00:1B:DC:00:00:0\(adapter + 1)"), "Powered": .boolean(powered)]
      ]
    }
    bluez = try await ScriptedBlueZ.start(on: bus.address, loop: loop, objects: all)
    if isSilent { await bluez.answer("GetManagedObjects", .later) }
    let store = folder.appendingPathComponent("sensord.sqlite").path
    var settings = RecorderSettings(store: store, journal: store + ".journal", version: "test")
    settings.bus = .address(bus.address)
    let witness = witness
    settings.log = { witness.note(line: $1) }
    prepare(&settings, await bluez.name)
    let file = try HealthStore.open(store, for: .writing)
    for address in allowed + [Self.marker] {
      _ = try await file.allow(AllowedSensor(address: "\(address)", name: nil, added: Timestamp(microseconds: 0)))
    }
    await file.close()
    let recorder = Recorder(settings, on: loop)
    self.recorder = recorder
    let events = recorder.events(.status)
    Task {
      for await event in events {
        if case .status(let status) = event.kind { witness.note(status) }
      }
    }
    run = Task(executorPreference: loop) {
      do { try await recorder.run {} } catch { witness.note(line: "\(error)") }
      witness.note(line: "the recorder has ended")
    }
  }

  /// Takes a sensor off the list, as `sensord devices remove` does beside a running recorder.
  func remove(_ sensor: DeviceAddress) async throws {
    let store = try HealthStore.open(folder.appendingPathComponent("sensord.sqlite").path, for: .writing)
    try await store.removeSensor("\(sensor)")
    await store.close()
  }

  /// The sensors in the list.
  func listed() async throws -> [String] {
    let store = try HealthStore.open(folder.appendingPathComponent("sensord.sqlite").path, for: .reading)
    let sensors = try await store.allowedSensors()
    await store.close()
    return sensors.map(\.address)
  }

  /// Returns when the recorder has done what follows from everything that bluetoothd has sent, and bluetoothd has seen it.
  func fence() async throws {
    let device = Self.path(Self.marker, 0)
    let before = witness.count("\(Self.marker): link lost")
    try await bluez.link(device, nil)
    try await bluez.unlink(device)
    await witness.line("\(Self.marker): link lost", after: before)
    let probe = try await Connection.open(.address(bus.address), on: loop)
    var ping = Message.call(await bluez.name, path: .root, interface: "org.freedesktop.DBus.Peer", member: "Ping")
    ping.noAutoStart = true
    _ = try await probe.call(ping, timeout: nil)
    await probe.close()
  }

  /// Another program links a device, whose values can then be asked for.
  func link(_ device: DeviceAddress = strap, over adapter: UInt16) async throws {
    try await bluez.link(Self.path(device, adapter), Self.measurement(device, adapter))
  }

  func end() async {
    recorder.requestStop()
    await run.value
    await bluez.kill()
    loop.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  static func path(_ device: DeviceAddress, _ adapter: UInt16) -> ObjectPath {
    ObjectPath("/org/bluez/hci\(adapter)/dev_\("\(device)".replacing(":", with: "_"))")!
  }

  static func measurement(_ device: DeviceAddress, _ adapter: UInt16) -> ObjectPath {
    ObjectPath("\(path(device, adapter))/service000e/char000f")!
  }
}
