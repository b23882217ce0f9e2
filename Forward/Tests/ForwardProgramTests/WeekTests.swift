import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// A time without network, really lived through: the recorder records, the forwarder tries, and then the centre is back.
@Suite("Forwarding after a week without network", .serialized, .enabled(if: LongTrial.measures))
struct WeekTests {
  /// An hour of a strap.
  private static let rates = 3_600
  private static let beats = 4_500

  private func record(_ hour: Int, into store: HealthStore) async throws {
    try await SampleSessions.save(
      UUID(), seed: UInt64(hour + 1), beats: Self.beats, rates: Self.rates,
      start: TestGateway.start.advanced(byMicroseconds: Int64(hour) * 3_600_000_000), sensor: TestGateway.strap,
      into: store)
  }

  @Test("the store is as if there were no forwarder, and the centre catches up", arguments: [7, 168])
  func week(hours: Int) async throws {
    var server = try TestServer()
    let gateway = try TestGateway(on: server, centre: "week")
    let store = try gateway.open()
    try await record(0, into: store)
    let errors = try OutputFile()
    let program = try gateway.start(["run"], output: try OutputFile(), errors: errors)
    defer {
      program.send(SIGKILL)
      program.wait()
    }
    try gateway.wait("SELECT (sent = last)::integer FROM sensord_gateway")
    server.program.send(SIGKILL)
    server.program.wait()

    // Each day has its part of the hours.
    let recording = try await Measured.seconds {
      for hour in 0..<hours { try await record(1 + hour * 168 / hours, into: store) }
    }
    while !errors.text.contains("trying again") { poll(nil, 0, 10) }
    #expect(try await store.check().isEmpty)
    let history = try await store.history(after: .start, limit: 100_000, bytes: 1 << 30)
    let files = ["store.sqlite", "store.sqlite-wal"].map { gateway.folder.bytes(of: $0) }
    #expect(program.status == nil)

    server = try server.restarted()
    var centre = try server.connect("week")
    let back = Measured.now()
    func wait(_ statement: String) throws -> Double {
      while try centre.run(statement).rows != [["t"]] { poll(nil, 0, 2) }
      return Measured.now()
    }
    let connected = try wait(
      "SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'sensord-forward'")
    let whole = try wait("SELECT sent = last AND last > 6 FROM sensord_gateway")
    #expect(try await store.history(after: .start, limit: 100_000, bytes: 1 << 30) == history)
    #expect(["store.sqlite", "store.sqlite-wal"].map { gateway.folder.bytes(of: $0) } == files)
    #expect(try centre.run("SELECT count(*) FROM sensord_session").rows == [["\(hours + 1)"]])
    #expect(try centre.run("SELECT sum(rates) FROM sensord_sessions").rows == [["\((hours + 1) * Self.rates)"]])
    let verified = try gateway.run("verify", "--json")
    #expect(verified.status == 0 && verified.output.contains("\"waiting\":0"), "\(verified)")
    #expect(errors.text.split(separator: "\n").count <= 4, "\(errors.text)")

    let name = "\(hours) h of a week"
    Measured.say("\(name), recorded without a centre", Double(hours) / recording, "hours in a second")
    Measured.say("\(name): until the next attempt", connected - back, "s", goal: "at most 5 minutes")
    let rate = Double(hours) / (whole - connected)
    Measured.say("\(name), caught up then", rate, "hours in a second")
    Measured.say("\(name), caught up then", rate * 3_600, "times real time", goal: "at least 100 times")
  }
}
