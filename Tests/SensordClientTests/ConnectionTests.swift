import DBus
import Foundation
import HealthModel
import SensordClient
import TestSupport
import Testing

@Suite("A client of the library at the door", .timeLimit(.minutes(5)))
struct ConnectionTests {
  @Test("it is the application that it says it is, and no owner")
  func identity() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    let client = try await stage.client()
    #expect(try await client.sensors().isEmpty)
    try await owner.decide(read: ["heartRate"])
    let sensors = try await client.sensors()
    #expect(sensors.map(\.address) == ["\(DoorStage.strap)", "\(DoorStage.other)"])
    #expect(sensors.first?.name == "Strap" && sensors.first?.state == "absent")
    await client.close()
    await stage.end()
  }

  @Test("a name that cannot be one, no recorder and no bus are told apart")
  func refused() async throws {
    let bus = try PrivateBus()
    await #expect(throws: ClientError.notRunning) {
      try await SensordClient.connect(to: .address(bus.address), application: "org.example.Game")
    }
    await #expect {
      try await SensordClient.connect(to: .address("unix:path=/nonexistent"), application: "org.example.Game")
    } throws: { error in
      if case ClientError.noBus(_) = error { true } else { false }
    }
    let stage = try await DoorStage(on: bus)
    await #expect(throws: ClientError.invalidApplication) { try await stage.client("a b") }
    let client = try await stage.client()
    await client.close()
    await #expect(throws: ClientError.closed) { try await client.sensors() }
    await stage.end()
  }

  @Test("a request returns when the owner has decided, however late")
  func authorization() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    var requests = await owner.signals("Grants1").makeAsyncIterator()
    _ = try await owner.ask("Grants1", "List")
    let client = try await stage.client()
    async let asked: Void = client.requestAuthorization(
      toShare: [.quantity(.stepCount)], read: [.quantity(.heartRate), .heartbeatSeries])
    let details = try #require(await requests.next("Requested")?.body.first?.properties)
    #expect(details["share"]?.strings == ["stepCount"])
    #expect(details["read"]?.strings == ["heartRate", "heartRateVariabilitySDNN"])
    #expect(try await client.shareStatus(of: .quantity(.stepCount)) == .notDetermined)
    try await owner.decide(share: ["stepCount"])
    #expect(try await client.shareStatus(of: .quantity(.stepCount)) == .sharingAuthorized)
    try await owner.decide(false, read: ["heartRate", "heartbeatSeries"])
    try await asked
    await #expect(throws: ClientError.unknownType) {
      try await client.shareStatus(of: SampleType(identifier: "nonsense", kind: .quantity))
    }
    await client.close()
    await stage.end()
  }

  @Test("after a restart of the recorder it is known again before it asks anything")
  func restart() async throws {
    let bus = try PrivateBus()
    let first = try await DoorStage(on: bus)
    let client = try await first.client()
    #expect(try await client.sensors().isEmpty)
    await first.end()
    await #expect(throws: ClientError.self) { try await client.sensors() }
    let second = try await DoorStage(on: bus)
    #expect(try await client.sensors().isEmpty, "an owner would see the straps")
    bus.kill()
    await #expect(throws: ClientError.self) { try await client.sensors() }
    try bus.start()
    await second.log.wait(after: 1) { $0.contains("open to other programs") }
    #expect(try await client.sensors().isEmpty)
    await client.close()
    await second.end()
  }
}
