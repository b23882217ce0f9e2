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
        try await central.start()
        log(condition.busWorks())
        retries.succeeded()
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

  /// Everything that came over the bus is gone: links, adapters, the service.
  private func closeBus() {
    bus = nil
    condition.busClosed()
    publishLinks()
    serviceGone(reason: DisconnectReason.busLost, isDeath: false)
  }

  /// What ``Event/serviceDisappeared`` and the loss of the bus mean for every sensor.
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
