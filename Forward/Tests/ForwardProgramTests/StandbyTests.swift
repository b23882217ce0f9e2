import FoundationEssentials
import Glibc
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// A server with a standby that takes its place.
@Suite("Forwarding to a server that fails over", .serialized)
struct StandbyTests {
  @Test("a promoted standby gets what it has not, also what the other had acknowledged, with the next change")
  func failover() async throws {
    let primary = try TestServer()
    let gateway = try TestGateway(on: primary, centre: "standby")
    let store = try gateway.open()
    let sessions = try await gateway.record(3, into: store)
    try gateway.forward()
    var standby = try TestServer(standbyOf: primary)
    try gateway.configure(host: "\(primary.socket),\(standby.socket)")
    // The standby does not get this any more.
    standby.program.send(SIGINT)
    standby.program.wait()
    let (output, errors) = (try OutputFile(), try OutputFile())
    let program = try gateway.start(["run"], output: output, errors: errors)
    defer {
      program.send(SIGKILL)
      program.wait()
    }
    try await SampleSessions.delete(sessions[0], from: store)
    try await gateway.record(2, first: 5, into: store)
    try gateway.wait(
      "SELECT (sent = last AND (SELECT count(*) FROM sensord_session) = 4)::integer FROM sensord_gateway")
    primary.program.send(SIGKILL)
    primary.program.wait()
    standby = try standby.restarted()
    var all = try standby.connect("standby")
    // As long as it only follows, it is not written to.
    let refused = try gateway.run("run", "--once", "--attempts", "1")
    #expect(refused.status == 75 && refused.errors.split(separator: "\n").count == 1, "\(refused)")
    #expect(try all.run("SELECT count(*) FROM sensord_session").rows == [["3"]])
    try all.run("SELECT pg_promote()")
    // Whoever has nothing to send is asleep; the next change shows that the connection is gone.
    try await gateway.record(1, first: 8, into: store)
    while try all.run("SELECT count(*) FROM sensord_session").rows != [["5"]] { poll(nil, 0, 20) }
    let verified = try gateway.run("verify", "--json")
    #expect(verified.status == 0 && verified.output.contains("\"waiting\":0"), "\(verified)")
  }
}
