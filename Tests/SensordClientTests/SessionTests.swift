import DBus
import Door
import FoundationEssentials
import HealthModel
import SensordClient
import SeriesStore
import TestSupport
import Testing

@Suite("Sessions and series of a client", .timeLimit(.minutes(5)))
struct SessionTests {
  private static let start = Timestamp(microseconds: 1_795_000_000_000_000)

  private func moment(_ seconds: Int64) -> TimeSpan {
    TimeSpan(at: Self.start.advanced(byMicroseconds: seconds * 1_000_000))
  }

  @Test("a game's session holds what the strap sent while it lasted, and is found by its metadata")
  func session() async throws {
    let stage = try await DoorStage()
    try await stage.connect().decide(share: ["heartRate", "heartbeatSeries"], read: ["heartRate"])
    let client = try await stage.client()
    await #expect {
      try await client.beginSession()
    } throws: { error in
      if case ClientError.noSensor(_) = error { true } else { false }
    }
    for rate in 60..<70 { stage.send([0x16, UInt8(rate), 0, 4]) }
    let session = try await client.beginSession(metadata: ["title": "Hot dogs", "externalUUID": "42"])
    #expect(session.sensor == "\(DoorStage.strap)")
    await #expect(throws: ClientError.busy) { try await client.beginSession() }
    for rate in 70..<90 { stage.send([0x16, UInt8(rate), 0, 4]) }
    try await session.addMetadata(["score": 3])
    try await session.addMarker("bonus")
    #expect(try await client.session(session.id) == session)
    let stored = try #require(try await session.end())
    #expect(stored.id == session.id && stored.span.start <= stored.span.end)
    await #expect(throws: ClientError.ended) { try await session.end() }
    let ofGame = SamplePredicate.metadata("externalUUID", .equal, "42")
    let rates = try await QuantityQuery(.heartRate, predicate: ofGame).result(for: client)
    #expect(rates.map(\.value) == (70..<90).map(Double.init))
    let samples = try await SampleQuery(ofGame).result(for: client)
    #expect(samples.allSatisfy { $0.metadata["score"] == 3 && $0.metadata["title"] == "Hot dogs" })
    await client.close()
    await stage.end()
  }

  @Test("a series of quantities is built as a store's builder builds it")
  func quantities() async throws {
    let stage = try await DoorStage()
    try await stage.connect().decide(share: ["bodyMass"])
    let client = try await stage.client()
    let builder = try await client.quantitySeriesBuilder(
      type: .bodyMass, start: Self.start, device: Device(name: "Scale"), metadata: ["note": "a"])
    try await builder.insert(Quantity(71, .kilogram), for: moment(2))
    try await builder.insert(contentsOf: [
      (Quantity(70_000, Unit("g")!), moment(1)), (Quantity(72, .kilogram), moment(2)),
    ])
    await #expect(throws: ClientError.series(.incompatibleUnit(unit: "m", type: "bodyMass"))) {
      try await builder.insert(Quantity(1, .meter), for: moment(3))
    }
    await #expect {
      try await builder.insert(Quantity(1, .kilogram), for: moment(-1))
    } throws: { error in
      if case ClientError.invalidSample(_) = error { true } else { false }
    }
    let id = try await builder.finish(metadata: ["note": "b"])
    await #expect(throws: ClientError.ended) { try await builder.insert(Quantity(1, .kilogram), for: moment(4)) }
    let sample = try #require(try await SampleQuery(.identifier([id])).result(for: client).first)
    #expect(sample.metadata == ["note": "b"] && sample.device?.name == "Scale" && sample.start == Self.start)
    #expect(try await QuantityQuery(.bodyMass).result(for: client).map(\.value) == [70, 72])
    let other = try await client.quantitySeriesBuilder(type: .bodyMass, start: Self.start)
    await #expect {
      try await other.finish()
    } throws: { error in
      if case ClientError.invalidSample(_) = error { true } else { false }
    }
    try await other.discard()
    await #expect(throws: ClientError.ended) { try await other.discard() }
    await client.close()
    await stage.end()
  }

  @Test("a series of heartbeats keeps its gaps, and what a program leaves behind is stored")
  func heartbeats() async throws {
    let stage = try await DoorStage()
    try await stage.connect().decide(share: ["heartbeatSeries"])
    let client = try await stage.client()
    let builder = try await client.heartbeatSeriesBuilder(start: Self.start)
    try await builder.add(atTicks: 0)
    try await builder.add(contentsOf: [.init(900), .init(3_000, precededByGap: true)])
    await #expect {
      try await builder.add(atTicks: 3_000)
    } throws: { error in
      if case ClientError.invalidSample(_) = error { true } else { false }
    }
    let id = try await builder.finish()
    let series = try await HeartbeatQuery(id).result(for: client)
    #expect(series.beats.map(\.precededByGap) == [false, false, true])

    let leaving = try await stage.client()
    try await leaving.heartbeatSeriesBuilder(start: Self.start).add(atTicks: 512)
    var samples = SampleQuery(.hasMetadata("interrupted")).results(for: client).makeAsyncIterator()
    await leaving.close()
    while try await samples.next()?.isEmpty == true {}
    #expect(try await SampleQuery(.hasMetadata("interrupted")).result(for: client).count == 1)
    await client.close()
    await stage.end()
  }
}
