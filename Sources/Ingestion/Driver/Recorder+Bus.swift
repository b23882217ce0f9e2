import BlueZ
import DBus
import GATTHeartRate
import Sensors

extension Recorder {
  /// Keeps a connection to the bus, and a central of BlueZ on it, until the recorder stops.
  func keepBus() async {
    var retries = BusRetries()
    var inherited = settings.inheritedLinks
    while !isStopping {
      do {
        let connection = try await Connection.open(settings.bus, on: loop)
        if isStopping { return await connection.close() }
        let central = Central(on: connection, configuration: Self.configuration(inheriting: inherited)) { event in
          self.assumeIsolated { $0.handle(event) }
        }
        // They are the first central's alone.
        inherited = nil
        bus = (connection, central)
        condition.busConnected()
        try await followOtherRecorder(on: connection)
        try await central.start()
        log(condition.busWorks())
        retries.succeeded()
        lookAtClock()
        publishStatus()
        if !isStopping { await withCheckedContinuation { busEnd = $0 } }
        if isStopping { await central.stop() }
      } catch {
        busFailed(BusProblem(error))
      }
      await bus?.connection.close()
      closeBus()
      guard !isStopping else { return }
      isWaitingForBus = true
      try? await loop.sleep(for: retries.next())
      isWaitingForBus = false
    }
  }

  /// Lets ``keepBus()`` end its connection and return.
  func leaveBus() {
    busEnd?.resume()
    busEnd = nil
  }

  private static func configuration(inheriting links: OwnLinks?) -> CentralConfiguration {
    CentralConfiguration(
      notifying: BluetoothUUID(AssignedUUID.heartRateMeasurement),
      readOnce: [BluetoothUUID(AssignedUUID.bodySensorLocation)]
        + DeviceInformationField.allCases.map { BluetoothUUID($0.rawValue) },
      inherited: links)
  }

  func busFailed(_ problem: BusProblem) {
    log(condition.busFailed(problem))
    publishStatus()
  }

  /// Follows on the bus whether a recorder is there that goes first.
  private func followOtherRecorder(on connection: Connection) async throws(DBusError) {
    guard let name = settings.precedence else { return }
    _ = await connection.observeSignals { [weak self] message in
      guard message.changedName == name else { return }
      self?.assumeIsolated { recorder in
        _ = Task(executorPreference: recorder.loop) { await recorder.askForOtherRecorder(name, on: connection) }
      }
    }
    try await connection.addMatch(.owner(of: name))
    await askForOtherRecorder(name, on: connection)
  }

  private func askForOtherRecorder(_ name: String, on connection: Connection) async {
    // If its owner goes meanwhile, the bus reports that, too.
    guard let isThere = try? await connection.isOwnedByOtherProcess(name), connection === bus?.connection else {
      return
    }
    otherRecorder(isThere: isThere)
  }

  private func otherRecorder(isThere: Bool) {
    guard plan.givesPrecedence != isThere else { return }
    log(.notice, isThere ? "another recorder is there; what it wants is its own" : "the other recorder has gone")
    perform(plan.otherRecorder(isThere: isThere, at: present))
  }

  /// Everything that came over the bus is gone: links, adapters, the service.
  private func closeBus() {
    otherRecorder(isThere: false)
    bus = nil
    condition.busClosed()
    publishLinks()
    serviceGone(reason: DisconnectReason.busLost, isDeath: false)
  }

  /// Applies ``Event/serviceDisappeared`` or the loss of the bus to every sensor.
  func serviceGone(reason: DisconnectReason, isDeath: Bool) {
    let now = present
    for address in recordings.addresses {
      guard let index = recordings.index(of: address) else { continue }
      perform(recordings[index].serviceGone(reason.description), of: address, at: now)
    }
    perform(plan.serviceLost(isDeath: isDeath, at: now))
    removeUnlisted()
    publishStatus()
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
