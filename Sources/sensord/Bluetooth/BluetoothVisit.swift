import BlueZ
import DBus
import StoreCommands

/// A connection to bluetoothd for the length of one command, which mirrors the objects of bluetoothd and leaves them as they
/// were.
actor BluetoothVisit {
  nonisolated let loop: EventLoop
  private let connection: Connection
  private var mirror: Central?
  private var waiting: [Int: (pick: (Event) -> Bool, finish: (Event?) -> Void)] = [:]
  private var lastNumber = 0
  /// Called with every event, in order.
  private var listener: (@Sendable (Event) -> Void)?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private init(_ connection: Connection) {
    self.connection = connection
    loop = connection.loop
  }

  /// Connects to the bus, does `body`, and ends what the visit began, however that went.
  ///
  /// - Throws: ``CommandFailure`` with 69 without a bus or an answering bluetoothd, with 77 where the user may not use
  ///   bluetoothd, and what `body` throws.
  @concurrent static func run<Result: Sendable>(
    _ bus: BusAddress, on loop: EventLoop, notifying characteristic: BluetoothUUID = BluetoothUUID(0x2A37),
    _ body: @Sendable (BluetoothVisit) async throws -> Result
  ) async throws -> Result {
    let connection: Connection
    do {
      connection = try await Connection.open(bus, on: loop, timeout: .seconds(5))
    } catch {
      throw BluetoothFailure.bus(error)
    }
    let visit = BluetoothVisit(connection)
    let result: Swift.Result<Result, any Error>
    do {
      try await visit.begin(CentralConfiguration(notifying: characteristic))
      result = .success(try await body(visit))
    } catch {
      result = .failure(error)
    }
    await visit.end()
    return try result.get()
  }

  private func begin(_ configuration: CentralConfiguration) async throws {
    let client = Central(on: connection, configuration: configuration) { [weak self] event in
      self?.assumeIsolated { $0.handle(event) }
    }
    mirror = client
    do {
      try await client.start()
    } catch {
      throw BluetoothFailure.bus(error)
    }
    guard await client.isServiceRunning else { throw BluetoothFailure.noService }
    let answer = await wait(.seconds(10)) { event in
      switch event {
      case .serviceAppeared, .serviceDenied, .serviceDisappeared, .busLost: true
      default: false
      }
    }
    switch answer {
    case .serviceAppeared: break
    case .serviceDenied: throw BluetoothFailure.denied
    case nil where !Task.isCancelled: throw BluetoothFailure.noAnswer
    default: throw BluetoothFailure.noService
    }
  }

  private func end() async {
    await mirror?.stop()
    mirror = nil
    for number in waiting.keys.sorted() { finish(number, nil) }
    await connection.close()
  }

  private func handle(_ event: Event) {
    listener?(event)
    for number in waiting.keys.sorted() where waiting[number]?.pick(event) == true { finish(number, event) }
  }

  private func finish(_ number: Int, _ event: Event?) {
    waiting.removeValue(forKey: number)?.finish(event)
  }
}

extension BluetoothVisit {
  /// Calls `listener` with every event from here on, in order, on the loop.
  func listen(_ listener: @escaping @Sendable (Event) -> Void) {
    self.listener = listener
  }

  /// The first event that `pick` wants, of those that come after `command` was given; nil where no such event comes in time.
  func wait(
    _ limit: Duration, after command: @Sendable (isolated Central) -> Void = { _ in },
    for pick: @escaping (Event) -> Bool
  ) async -> Event? {
    lastNumber += 1
    let number = lastNumber
    let timer = loop.schedule(after: limit) { [weak self] in self?.assumeIsolated { $0.finish(number, nil) } }
    defer { loop.cancel(timer) }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: nil) }
        waiting[number] = (pick, { continuation.resume(returning: $0) })
        mirror?.assumeIsolated { command($0) }
      }
    } onCancel: {
      loop.execute { [weak self] in self?.assumeIsolated { $0.finish(number, nil) } }
    }
  }

  /// The client of bluetoothd, for direct calls.
  func client() throws -> Central {
    guard let mirror else { throw BluetoothFailure.noService }
    return mirror
  }

  /// The adapters that are switched on, in order.
  ///
  /// - Throws: 69 without such an adapter.
  func adapters() async throws -> [AdapterPath] {
    let adapters = try await client().adapters
    guard !adapters.isEmpty else { throw BluetoothFailure.noAdapter }
    let powered = adapters.filter(\.isPowered).map(\.path)
    guard !powered.isEmpty else { throw BluetoothFailure.adapterOff }
    return powered
  }

  /// Every object of the device with this address, those with a link first.
  func objects(of address: DeviceAddress) async throws -> [Device] {
    let devices = try await client().devices.filter { $0.address == address }
    return devices.filter(\.hasLink) + devices.filter { !$0.hasLink }
  }
}

extension BluetoothVisit {
  /// A device that BlueZ knows, or that a scan finds.
  ///
  /// - Throws: 66 where the device is not heard within `limit`.
  func find(_ address: DeviceAddress, within limit: Duration) async throws -> Device {
    let adapters = try await adapters()
    if let known = try await objects(of: address).first(where: { adapters.contains($0.path.adapter) }) { return known }
    Progress.show("looking for \(address)")
    let seen = await wait(limit) { client in
      for adapter in adapters { client.startDiscovery(.everything, on: adapter) }
    } for: { event in
      switch event {
      case .deviceSeen(let device), .deviceChanged(let device): device.address == address
      default: false
      }
    }
    let client = try client()
    for adapter in adapters { await client.stopDiscovery(on: adapter) }
    Progress.clear()
    guard let device = try await objects(of: address).first(where: { adapters.contains($0.path.adapter) }) else {
      throw seen == nil ? BluetoothFailure.unheard(address) : BluetoothFailure.unreachable(address, .unknownDevice)
    }
    return device
  }

  /// Connects the device where it has no link. A link that another program makes meanwhile is used, and not ended here.
  ///
  /// - Throws: 69 where the device cannot be connected.
  func link(_ device: Device) async throws {
    guard try await !objects(of: device.address).contains(where: { $0.path == device.path && $0.hasLink }) else {
      return
    }
    let (address, adapter) = (device.address, device.path.adapter)
    Progress.show("connecting \(address)")
    defer { Progress.clear() }
    // BlueZ gives up after 40 s by itself.
    let answer = await wait(.seconds(60)) {
      $0.connect(address, on: adapter)
    } for: { event in
      switch event {
      case .linkUp(address, adapter, _), .serviceDisappeared, .busLost: true
      // Another program is connecting: its success or failure is reported too.
      case .connectFailed(address, adapter, let failure): failure != .inProgress
      default: false
      }
    }
    switch answer {
    case .linkUp: return
    case .connectFailed(_, _, let failure): throw BluetoothFailure.unreachable(address, failure)
    case nil: throw BluetoothFailure.unreachable(address, .inProgress)
    default: throw BluetoothFailure.noService
    }
  }
}
