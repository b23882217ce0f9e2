import BlueZ
import DBus
import GATTHeartRate
import Sensors

extension Recorder {
  /// Waiting times for a bus that does not answer; the last one is repeated. Short, since each beat meanwhile is lost, and
  /// a machine without a bus for long is none that records.
  private static let busRetries: [Duration] = [.milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2)]

  /// Keeps a connection to the bus, and a client of BlueZ on it, until the recorder stops.
  func keepBus() async {
    var failures = 0
    while !isStopping {
      do {
        let connection = try await Connection.open(settings.bus, on: loop)
        if isStopping { return await connection.close() }
        let client = Client(on: connection, configuration: clientConfiguration) { event in
          self.assumeIsolated { $0.handle(event) }
        }
        inheritedLinks = nil
        self.connection = connection
        self.client = client
        try await client.start()
        if busProblem != nil { log(.notice, "the bus is there") }
        busProblem = nil
        failures = 0
        tellStatus()
        if !isStopping { await withCheckedContinuation { busWaiter = $0 } }
        if isStopping { await client.stop() }
      } catch {
        report(BusProblem(error))
      }
      await connection?.close()
      dropBus()
      guard !isStopping else { return }
      let wait = Self.busRetries[min(failures, Self.busRetries.count - 1)]
      failures += 1
      isWaitingForBus = true
      try? await loop.sleep(for: wait)
      isWaitingForBus = false
    }
  }

  /// Lets ``keepBus()`` end its connection and return.
  func leaveBus() {
    busWaiter?.resume()
    busWaiter = nil
  }

  private var clientConfiguration: ClientConfiguration {
    ClientConfiguration(
      notifying: BluetoothUUID(AssignedUUID.heartRateMeasurement),
      readOnce: [BluetoothUUID(AssignedUUID.bodySensorLocation)]
        + DeviceInformationField.allCases.map { BluetoothUUID($0.rawValue) },
      inherited: inheritedLinks)
  }

  func report(_ problem: BusProblem) {
    if busProblem != problem { log(.warning, problem.text) }
    busProblem = problem
    tellStatus()
  }

  /// Everything that came over the bus is gone: links, adapters, the service.
  private func dropBus() {
    connection = nil
    client = nil
    tellLinks()
    serviceGone(reason: DisconnectReason.busLost)
  }

  /// What ``Event/serviceDisappeared`` and the loss of the bus mean for every sensor.
  func serviceGone(reason: DisconnectReason) {
    hasService = false
    adapters = [:]
    let now = present
    for address in channels.keys.sorted() where channels[address]?.link != nil {
      channels[address]?.link = nil
      take(.disconnected(reason: reason.description), of: address, at: now)
    }
    for address in channels.keys { channels[address]?.isConnecting = false }
    perform(plan.serviceLost(at: now))
    dropUnlisted()
    tellStatus()
  }
}
