import Centre
import FoundationEssentials
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// The view of hours where recordings overlap, and where values are not packed.
@Suite("Hours at the centre", .serialized)
struct HourlyTests {
  private static let shared = Result { try TestServer.shared() }
  /// Five minutes into a quarter of an hour.
  private static let start = TestGateway.start
  private static let second: Int64 = 1_000_000
  let server: TestServer

  init() throws { server = try Self.shared.get() }

  private func save(_ beats: Int, after seconds: Int64, into store: HealthStore) async throws -> UUID {
    let id = UUID()
    try await SampleSessions.save(
      id, seed: UInt64(beats), beats: beats, start: Self.start.advanced(byMicroseconds: seconds * Self.second),
      sensor: TestGateway.strap, into: store)
    return id
  }

  private static func value(_ value: Double, from start: Int64, lasting seconds: Int64 = 0) throws -> NewSample {
    let from = Self.start.advanced(byMicroseconds: start * second)
    var series = QuantitySeriesBuilder(type: .heartRate, start: from)
    try series.insert(value, from: from, to: from.advanced(byMicroseconds: seconds * second))
    return try series.finish()
  }

  private static let figures =
    "SELECT sum(count), max(coverage) <= 1, min(minimum), max(maximum) FROM sensord_hourly WHERE identifier = 'heartRate'"

  @Test("recordings of one device at the same time count once, the longer one; one after the other both count")
  func overlapping() async throws {
    let gateway = try TestGateway(on: server, centre: "overlapping")
    let store = try gateway.open()
    // As files without an address are: all of one nameless device.
    var sessions: [UUID] = []
    for beats in [4_000, 4_200, 4_100] { sessions.append(try await save(beats, after: 0, into: store)) }
    try gateway.forward()
    #expect(try gateway.rows("SELECT count(DISTINCT device) FROM sensord_cell") == [["1"]])
    let longest = try gateway.number(
      "SELECT sum(c.count) FROM sensord_cell AS c JOIN sensord_sample AS s ON s.id = c.owner WHERE s.session = '\(sessions[1].text)'"
    )
    #expect(try gateway.rows(Self.figures).map { $0.prefix(2) } == [["\(longest)", "t"]])
    for session in sessions { try await SampleSessions.delete(session, from: store) }
    // Both are in the first quarter.
    let first = try await save(200, after: 0, into: store)
    _ = try await save(230, after: 300, into: store)
    try gateway.forward()
    #expect(try gateway.rows(Self.figures).map { $0.prefix(2) } == [["430", "t"]])
    try await SampleSessions.delete(first, from: store)
    _ = try await save(100, after: 301, into: store)
    try gateway.forward()
    #expect(try gateway.rows(Self.figures).map { $0.prefix(2) } == [["230", "t"]])
  }

  @Test(
    "values that are not packed count, but not beside a recording of the same time; none covers more than its quarter")
  func values() async throws {
    let gateway = try TestGateway(on: server, centre: "single")
    // The values are of the one who wears the strap, too.
    try gateway.configure(wearer: "p000")
    let store = try gateway.open()
    let source = SourceRevision(identifier: "org.example", name: "Example")
    try await store.save([try Self.value(61, from: 500), try Self.value(63, from: 560)], as: source)
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_chunk") == 0)
    #expect(try gateway.rows(Self.figures) == [["2", "t", "61", "63"]])
    #expect(
      try gateway.rows("SELECT average, held_average, coverage = 0 FROM sensord_hourly") == [["62", nil, "t"]])
    // The recording takes about three minutes of the quarter.
    _ = try await save(200, after: 0, into: store)
    try await store.save([try Self.value(250, from: 30)], as: source)
    try gateway.forward()
    #expect(try gateway.rows(Self.figures).map { $0[0] } == ["202"])
    // A value that lasts an hour is in the quarter where it begins.
    let long = try Self.value(70, from: 86_400, lasting: 3_600)
    try await store.save([long, try Self.value(80, from: 86_400 + 300, lasting: 3_000)], as: source)
    try gateway.forward()
    let hour = "FROM sensord_hourly WHERE time > \(Self.start.microseconds + 80_000 * Self.second)"
    #expect(try gateway.rows("SELECT count, coverage = 0.25, held_average \(hour)") == [["1", "t", "70"]])
    try await store.delete([long.id], as: source.identifier)
    try gateway.forward()
    #expect(try gateway.rows("SELECT held_average \(hour)") == [["80"]])
    // Figures of a session are no values of an hour.
    #expect(try gateway.rows("SELECT DISTINCT identifier FROM sensord_hourly") == [["heartRate"]])
  }
}
