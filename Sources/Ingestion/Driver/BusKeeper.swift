import BlueZ
import DBus
import GATTHeartRate
import SeriesStore
import Timeline

/// The recorder's connection to the bus, with a central of BlueZ on it: opened, kept, and opened again until the recorder stops.
///
/// On the recorder's thread. The recorder learns of each change, and closes what depended on a connection that has ended.
actor BusKeeper {
  /// A change that the recorder learns of.
  enum News: Sendable {
    /// A connection is there; whether bluetoothd may be listened to is not known yet.
    case connected
    /// bluetoothd may be listened to.
    case works
    case failed(BusProblem)
    /// Everything that came over the bus is gone: links, adapters, the service.
    case closed
    /// Whether another recorder, which goes first, is on the bus.
    case otherRecorder(isThere: Bool)
  }

  nonisolated let loop: EventLoop
  private let settings: RecorderSettings
  private let report: @Sendable (News) -> Void
  private let handle: @Sendable (Event) -> Void
  private var connection: Connection?
  private var central: Central?
  /// The links of the recorder that were announced last.
  private var links: OwnLinks?
  /// The wait for the end of the connection.
  private var end: CheckedContinuation<Void, Never>?
  private var isStopping = false
  /// Between two attempts at a bus: nobody waits seconds for one that is not wanted any more.
  private(set) var isWaiting = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - settings: The recorder's.
  ///   - loop: The recorder's.
  ///   - report: Called on the loop's thread with each change.
  ///   - handle: Called there with each event of BlueZ.
  init(
    _ settings: RecorderSettings, on loop: EventLoop, report: @escaping @Sendable (News) -> Void,
    handle: @escaping @Sendable (Event) -> Void
  ) {
    self.settings = settings
    self.loop = loop
    self.report = report
    self.handle = handle
  }

  /// Keeps a connection until the recorder stops.
  func run() async {
    var retries = BusRetries()
    var inherited = settings.inheritedLinks
    while !isStopping {
      do {
        let connection = try await Connection.open(settings.bus, on: loop)
        if isStopping { return await connection.close() }
        let central = Central(on: connection, configuration: Self.configuration(inheriting: inherited), events: handle)
        // They are the first central's alone.
        inherited = nil
        (self.connection, self.central) = (connection, central)
        report(.connected)
        try await followOtherRecorder(on: connection)
        try await central.start()
        retries.succeeded()
        report(.works)
        if !isStopping { await withCheckedContinuation { end = $0 } }
        if isStopping { await central.stop() }
      } catch {
        report(.failed(BusProblem(error)))
      }
      await connection?.close()
      report(.otherRecorder(isThere: false))
      (connection, central) = (nil, nil)
      announceLinks()
      report(.closed)
      guard !isStopping else { return }
      isWaiting = true
      try? await loop.sleep(for: retries.next())
      isWaiting = false
    }
  }

  /// No other connection is opened; this one stays until ``leave()``.
  func stop() {
    isStopping = true
  }

  /// Lets ``run()`` close its connection.
  func leave() {
    end?.resume()
    end = nil
  }

  /// The devices that BlueZ knows now.
  var devices: [Device] { central?.assumeIsolated { $0.devices } ?? [] }

  /// Reads the values that have arrived and have a time of their own.
  func readWaitingValues() {
    central?.assumeIsolated { $0.readWaitingValues() }
  }

  /// Asks whether the clock is synchronised.
  func clockBelief() async -> ClockBelief {
    guard let connection else { return .notKnown }
    return await ClockService.belief(on: connection)
  }

  /// Announces which links are the recorder's own, where that has changed.
  func announceLinks() {
    let own = central?.assumeIsolated { $0.ownLinks }
    guard own != links else { return }
    links = own
    settings.onLinks(own)
  }

  /// Asks BlueZ for what the plan decided.
  func perform(_ command: ConnectionPlan.Command) {
    central?.assumeIsolated { $0.perform(command) }
  }

  /// Closes a link of the recorder.
  func close(_ device: DeviceAddress, on adapter: AdapterPath) {
    central?.assumeIsolated { _ = $0.disconnect(device, on: adapter) }
  }

  private static func configuration(inheriting links: OwnLinks?) -> CentralConfiguration {
    CentralConfiguration(
      notifying: BluetoothUUID(AssignedUUID.heartRateMeasurement),
      readOnce: [BluetoothUUID(AssignedUUID.bodySensorLocation)]
        + DeviceInformationField.allCases.map { BluetoothUUID($0.rawValue) },
      inherited: links)
  }

  /// Follows on the bus whether a recorder is there that goes first.
  private func followOtherRecorder(on connection: Connection) async throws(DBusError) {
    guard let name = settings.precedence else { return }
    _ = await connection.observeSignals { [weak self] message in
      guard message.changedName == name else { return }
      self?.assumeIsolated { keeper in
        _ = Task(executorPreference: keeper.loop) { await keeper.askForOtherRecorder(name, on: connection) }
      }
    }
    try await connection.addMatch(.owner(of: name))
    await askForOtherRecorder(name, on: connection)
  }

  private func askForOtherRecorder(_ name: String, on connection: Connection) async {
    // If its owner goes meanwhile, the bus reports that, too.
    guard let isThere = try? await connection.isOwnedByOtherProcess(name), connection === self.connection else {
      return
    }
    report(.otherRecorder(isThere: isThere))
  }
}

/// The waits before the bus is tried again. Pure.
struct BusRetries {
  /// Waiting times for a bus that does not answer; the last one is repeated. Short, since each beat meanwhile is lost, and
  /// a machine without a bus for long is none that records.
  private static let waits: [Duration] = [.milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2)]

  private var failures = 0

  /// bluetoothd may be listened to.
  mutating func succeeded() {
    failures = 0
  }

  /// The connection failed, or ended: how long to wait.
  mutating func next() -> Duration {
    defer { failures += 1 }
    return Self.waits[min(failures, Self.waits.count - 1)]
  }
}

extension Central {
  /// Carries out one command of the plan.
  fileprivate func perform(_ command: ConnectionPlan.Command) {
    switch command {
    case .startDiscovery(let adapter, let what):
      let mode: DiscoveryMode =
        switch what {
        case .heartRateService: .services([BluetoothUUID(AssignedUUID.heartRateService)])
        case .everything: .everything
        }
      startDiscovery(mode, on: AdapterPath(adapter.number))
    case .stopDiscovery(let adapter): stopDiscovery(on: AdapterPath(adapter.number))
    case .connect(let address, let adapter): connect(DeviceAddress(address), on: AdapterPath(adapter.number))
    case .disconnect(let address, let adapter): disconnect(DeviceAddress(address), on: AdapterPath(adapter.number))
    case .follow(let address, let adapter): follow(DeviceAddress(address), on: AdapterPath(adapter.number))
    case .unfollow(let address, let adapter): unfollow(DeviceAddress(address), on: AdapterPath(adapter.number))
    case .resubscribe(let address, let adapter): resubscribe(DeviceAddress(address), on: AdapterPath(adapter.number))
    case .refuse, .unresolved, .blame: break
    }
  }
}
