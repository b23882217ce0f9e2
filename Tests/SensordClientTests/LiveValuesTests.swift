import DBus
import Door
import HealthModel
import Ingestion
import SensordClient
import TestSupport
import Testing
import Timeline

@Suite("Live values for a client", .timeLimit(.minutes(5)))
struct LiveValuesTests {
  @Test("they come as the strap sent them, in order and numbered, with provisional beats")
  func values() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    try await owner.decide(read: ["heartRate", "heartbeatSeries"])
    let client = try await stage.client()
    var values = client.liveValues(of: ["\(DoorStage.strap)"]).makeAsyncIterator()
    #expect(try await values.next() == .subscribed)
    stage.send([0x16, 1, 0, 4], from: DoorStage.other)
    for index in 0..<20 { stage.send([0x16, UInt8(60 + index), 0, 4, 0, 2]) }
    for index in 0..<20 {
      let value = try #require(try await values.measurement())
      #expect(value.sensor == "\(DoorStage.strap)" && value.sequence == UInt64(index + 1) && value.missed == 0)
      #expect(value.beatsPerMinute == UInt16(60 + index) && value.isOnSkin == true)
      #expect(value.beats.map(\.rrTicks) == [1024, 512] && value.beats.allSatisfy { !$0.precededByGap })
      #expect(value.beats.map { value.time.microseconds(since: $0.time) } == [500_000, 0])
    }
    await client.close()
    #expect(try await values.next() == nil)
    await stage.end()
  }

  @Test("leaving the loop ends the subscription")
  func leaving() async throws {
    let stage = try await DoorStage()
    let client = try await stage.client()
    try await stage.connect().decide(read: ["heartRate"])
    for try await value in client.liveValues() where value == .subscribed { break }
    let names = try await stage.connect()
    // The stream's connection goes when the loop is left; 3 are left: the door's, the client's, and this one.
    while true {
      let list = Message.call(
        "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "ListNames")
      let all = try await names.call(list).body.first?.strings ?? []
      if all.count(where: { $0.hasPrefix(":") }) == 3 { break }
    }
    await client.close()
    await stage.end()
  }

  @Test("a hole in the numbers is told with the next value")
  func holes() async throws {
    let stage = try await DoorStage()
    try await stage.connect().decide(read: ["heartRate"])
    let client = try await stage.client()
    var values = client.liveValues().makeAsyncIterator()
    #expect(try await values.next() == .subscribed)
    // More than the door sends at once; what is over is left out, and time lets more through.
    for _ in 0..<1_000 { stage.send([0x16, 60, 0, 4]) }
    // The strap goes on: any single one of these may be left out, too.
    let strap = Task {
      while !Task.isCancelled {
        stage.send([0x16, 61, 0, 4])
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    defer { strap.cancel() }
    var (received, missed, last) = (0, 0 as UInt64, 0 as UInt64)
    while last < 1_000 {
      let value = try #require(try await values.measurement())
      #expect(value.sequence == last + value.missed + 1)
      #expect(value.beats.first?.precededByGap != true || value.missed > 0)
      received += 1
      missed += value.missed
      last = value.sequence
    }
    #expect(missed > 0 && UInt64(received) + missed == last)
    await client.close()
    await stage.end()
  }

  @Test("an end of the recorder or the bus is told, and the stream goes on with a new subscription")
  func interruption() async throws {
    let bus = try PrivateBus()
    let first = try await DoorStage(on: bus)
    try await first.connect().decide(read: ["heartRate"])
    let client = try await first.client()
    var values = client.liveValues().makeAsyncIterator()
    #expect(try await values.next() == .subscribed)
    first.send([0x16, 60, 0, 4])
    #expect(try await values.measurement()?.sequence == 1)
    first.door.recorderStops()
    #expect(try await values.reach(.state(.recorderStopping, sensor: nil)))
    await first.end()
    #expect(try await values.reach(.interrupted))

    let second = try await DoorStage(on: bus)
    try await second.connect().decide(read: ["heartRate"])
    #expect(try await values.next() == .subscribed)
    second.send([0x16, 62, 0, 4])
    let value = try await values.measurement()
    #expect(value?.sequence == 1 && value?.beatsPerMinute == 62)

    bus.kill()
    #expect(try await values.reach(.interrupted))
    try bus.start()
    #expect(try await values.next() == .subscribed)
    second.send([0x16, 63, 0, 4])
    #expect(try await values.measurement()?.beatsPerMinute == 63)
    await client.close()
    await second.end()
  }

  @Test("a sensor that cannot be one is refused, and so is a recorder that is not there")
  func refused() async throws {
    let stage = try await DoorStage()
    let client = try await stage.client()
    var values = client.liveValues(of: ["strap"]).makeAsyncIterator()
    await #expect(throws: ClientError.invalidSensor) { try await values.next() }
    await stage.end()
    var none = client.liveValues().makeAsyncIterator()
    await #expect(throws: ClientError.notRunning) { try await none.next() }
    await client.close()
  }

  @Test("a heart event is told while its session is open")
  func events() async throws {
    let stage = try await DoorStage()
    try await stage.connect().decide(read: ["lowHeartRateEvent"])
    let client = try await stage.client()
    var values = client.liveValues().makeAsyncIterator()
    #expect(try await values.next() == .subscribed)
    let start = BootClock.now() - 700_000_000
    stage.happen { recorder in
      // Further apart they would be of two stretches.
      for second in stride(from: 0, through: 600, by: 20) {
        let instant = BootInstant(microseconds: start + Int64(second) * 1_000_000)
        recorder.record(.measurement([0x06, 35]), of: DoorStage.strap, at: instant)
      }
    }
    guard case .event(let event, let sensor) = try await values.next() else {
      Issue.record("another value")
      return
    }
    #expect(sensor == "\(DoorStage.strap)" && event.kind == .low && event.threshold == 40)
    #expect(event.span.microseconds == 600_000_000 && event.rule == HeartRateEventDetector.Side.low.rule)
    await client.close()
    await stage.end()
  }
}
