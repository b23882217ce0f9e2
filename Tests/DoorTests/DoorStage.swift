import DBus
import Dispatch
import Foundation
import HealthModel
import SeriesStore
import Synchronization
import TestSupport
import Timeline

@testable import Door
@testable import Ingestion

/// A recorder of two straps with a door on a private bus. The test says what the straps send; every program of the test runs
/// as an owner's user, and is a client as soon as it identifies itself.
final class DoorStage: Sendable {
  static let strap = SensorAddress("C0:FF:EE:00:00:01")!
  static let other = SensorAddress("C0:FF:EE:00:00:02")!
  static let game = "org.example.Game"
  static let gameClient = ClientIdentity(uid: getuid(), application: game)

  let bus: PrivateBus
  let recorder: Recorder
  let door: Door
  let store: String
  let log: LogLines
  private let clock: HostClock
  private let folder: URL
  private let loop: EventLoop
  private let run: Task<Void, Never>
  /// Each recorder and each bus has an inotify instance, and a user has 128: a stage beyond that would see no change by others. Two
  /// modules have this many at a time.
  private static let places = Places(16)
  private let place: Places.Place

  init(
    on bus: PrivateBus? = nil, inAdvance: [Grant] = [], isOpen: Bool = true,
    limits: ClientLimits = ClientLimits(), after earlier: DoorStage? = nil, clock: HostClock = .system
  ) async throws {
    place = await Self.places.take()
    let bus = try bus ?? PrivateBus()
    self.bus = bus
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("sensord-\(UUID().uuidString)")
    self.clock = clock
    if let earlier {
      // What a recorder that has ended left.
      try FileManager.default.copyItem(at: earlier.folder, to: folder)
    } else {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    store = folder.appendingPathComponent("sensord.sqlite").path
    let file = try HealthStore.open(store, for: .writing)
    for address in [Self.strap, Self.other] {
      _ = try await file.allow(AllowedSensor(address: "\(address)", name: "Strap", added: Timestamp(microseconds: 0)))
    }
    await file.close()
    var settings = RecorderSettings(store: store, journal: store + ".journal", version: "test")
    settings.bus = .address("unix:path=/nonexistent")
    loop = try EventLoop.startThread(named: "test")
    let recorder = Recorder(settings, on: loop, clock: clock)
    self.recorder = recorder
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    run = Task(executorPreference: loop) {
      try? await recorder.run { isReady.finish() }
      isReady.finish()
    }
    let lines = LogLines()
    var doorSettings = DoorSettings(
      bus: .address(bus.address), owners: Owners(uid: getuid()), inAdvance: inAdvance, version: "1.2.3",
      log: { _, line in lines.append(line) })
    doorSettings.limits = limits
    door = try Door(doorSettings, of: recorder)
    log = lines
    for await _ in ready {}
    guard await recorder.seesChangesByOthers else {
      await end()
      throw NoWatchLeft()
    }
    door.open()
    if isOpen { await lines.wait { $0.contains("open to other programs") } }
  }

  /// A program on the bus; on a thread of its own where a loop is named.
  func connect(on loop: EventLoop? = nil) async throws -> Connection {
    try await Connection.open(.address(bus.address), on: loop ?? self.loop)
  }

  /// A program that has said that it is the game.
  func connectGame() async throws -> Connection {
    let game = try await connect()
    _ = try await game.ask("Authorization1", "Identify", [.string(Self.game), .properties([:])])
    return game
  }

  /// A program of another user, as far as the door knows; somebody has to be connected to it already.
  func connectStranger(uid: UInt32) async throws -> Connection {
    let stranger = try await connect()
    try await door.admit(stranger.uniqueName, uid: uid)
    return stranger
  }

  /// Waits until something is so; between two looks the door does what it has to do.
  func until(_ condition: @escaping @Sendable (isolated Door) -> Bool) async {
    while await !door.isSo(condition) { await Task.yield() }
  }

  /// Something happens to the straps.
  func happen(_ body: @escaping @Sendable (isolated Recorder) -> Void) {
    loop.execute { self.recorder.assumeIsolated { body($0) } }
  }

  /// The strap sends a value.
  func send(_ bytes: [UInt8], from strap: SensorAddress = strap) {
    let now = clock.now()
    happen {
      $0.record(.measurement(bytes), of: strap, at: now)
      $0.publishStatus()
    }
  }

  /// The recorder ends; its door stays open, as for a moment whenever one ends.
  func endRecorder() async {
    recorder.requestStop()
    await run.value
  }

  func end() async {
    await endRecorder()
    await door.close()
    loop.stop()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}

/// A test would wait in vain for what others do to the store.
struct NoWatchLeft: Error, CustomStringConvertible {
  var description: String { "the system has no inotify instance left: end other programs and tests" }
}

extension Recorder {
  var seesChangesByOthers: Bool { store?.assumeIsolated { $0.isFollowing } ?? false }
}

extension Door {
  fileprivate func isSo(_ condition: (isolated Door) -> Bool) -> Bool { condition(self) }

  fileprivate func admit(_ name: String, uid: UInt32) throws {
    try registry.connected(name, uid: uid, groups: [])
  }
}

/// Holds up a thread at its next turn, as SIGSTOP holds up a process.
final class Halt: Sendable {
  private let isReached = DispatchSemaphore(value: 0)
  private let goesOn = DispatchSemaphore(value: 0)

  init(_ loop: EventLoop) {
    loop.execute { [isReached, goesOn] in
      isReached.signal()
      goesOn.wait()
    }
    isReached.wait()
  }

  func end() { goesOn.signal() }
}

/// Lines that were logged; tests wait for them.
final class LogLines: Sendable {
  private let state = Mutex<
    (lines: [String], waiting: [(@Sendable (String) -> Bool, CheckedContinuation<Void, Never>)])
  >(([], []))

  var all: [String] { state.withLock { $0.lines } }

  func append(_ line: String) {
    let met = state.withLock { state in
      state.lines.append(line)
      let met = state.waiting.filter { $0.0(line) }
      state.waiting.removeAll { $0.0(line) }
      return met
    }
    for waiter in met { waiter.1.resume() }
  }

  /// Waits for a line, which may be there already, beyond the first `count`.
  func wait(after count: Int = 0, for condition: @escaping @Sendable (String) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.lines.dropFirst(count).contains(where: condition) { return true }
        state.waiting.append((condition, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

extension Connection {
  /// Calls a method of the door.
  func ask(_ interface: String, _ member: String, _ body: [Value] = [], at path: ObjectPath = "/org/sensord")
    async throws -> [Value]
  {
    try await call(
      .call("org.sensord", path: path, interface: "org.sensord.\(interface)", member: member, body: body)
    ).body
  }

  /// The name of the error with which a call is refused.
  func refusal(
    _ interface: String, _ member: String, _ body: [Value] = [], at path: ObjectPath = "/org/sensord"
  ) async -> String? {
    await failure(interface, member, body, at: path)?.name
  }

  /// The error with which a call is refused.
  func failure(
    _ interface: String, _ member: String, _ body: [Value] = [], at path: ObjectPath = "/org/sensord"
  ) async -> Failure? {
    do {
      _ = try await ask(interface, member, body, at: path)
      return nil
    } catch {
      return (error as? DBusError).map { Failure(name: $0.name ?? "", message: $0.message) }
    }
  }

  struct Failure: Hashable, Sendable {
    var name: String
    var message: String
  }

  /// What introspection tells of an object; nil where there is none.
  func introspect(_ path: ObjectPath) async throws -> String? {
    try? await call(
      .call("org.sensord", path: path, interface: "org.freedesktop.DBus.Introspectable", member: "Introspect")
    ).body.first?.string
  }

  /// The properties of a session, or of an object with another interface.
  func properties(at path: ObjectPath, _ interface: String = "Session1") async throws -> [String: Value] {
    try await call(
      .call(
        "org.sensord", path: path, interface: "org.freedesktop.DBus.Properties", member: "GetAll",
        body: [.string("org.sensord.\(interface)")])
    ).body.first?.properties ?? [:]
  }

  func property(_ name: String) async throws -> Value? {
    try await call(
      .call(
        "org.sensord", path: "/org/sensord", interface: "org.freedesktop.DBus.Properties", member: "Get",
        body: [.string("org.sensord.Manager1"), .string(name)])
    ).body.first
  }

  /// The signals of an interface of the door from now on.
  func signals(_ interface: String) -> AsyncStream<Message> {
    let (signals, arrive) = AsyncStream.makeStream(of: Message.self)
    _ = observeSignals { message in
      if message.interface == "org.sensord.\(interface)" { arrive.yield(message) }
    }
    return signals
  }

  /// Decides as an owner.
  func decide(
    _ isAllowed: Bool = true, share: [String] = [], read: [String] = [], uid: UInt32 = getuid()
  ) async throws {
    _ = try await ask(
      "Grants1", "Decide",
      [
        .uint32(uid), .string(DoorStage.game), .strings(share), .strings(read), .boolean(isAllowed),
        .properties([:]),
      ])
  }
}

extension AsyncStream<Message>.Iterator {
  /// The next signal with this name.
  mutating func next(_ member: String) async -> Message? {
    while let message = await next(isolation: #isolation) {
      if message.member == member { return message }
    }
    return nil
  }
}
