import Glibc
import StoreSamples
import TestSupport
import Testing

/// A forwarder that has nothing to send.
@Suite("Forwarding nothing")
struct IdleTests {
  @Test("while nothing changes no thread wakes; the next change wakes it")
  func idle() async throws {
    let server = try TestServer()
    let gateway = try TestGateway(on: server, centre: "idle")
    let store = try gateway.open()
    try await gateway.record(2, into: store)
    let waiting = try WaitingForwarder(of: gateway)
    let program = waiting.program
    defer { waiting.end() }
    // Woken once more, from sleep.
    try await gateway.record(1, first: 2, into: store)
    try gateway.wait("SELECT (sent = last)::integer FROM sensord_gateway")
    let figures = ProcessFigures(program)
    var before = try figures.switches()
    while true {
      poll(nil, 0, 50)
      let now = try figures.switches()
      if now == before { break }
      before = now
    }
    // Whatever has a clock of its own in this program would come by.
    poll(nil, 0, 3_000)
    #expect(try figures.switches() == before)
    #expect(before.count == 2, "the thread of main, and the store's")
    try await gateway.record(1, first: 3, into: store)
    try gateway.wait("SELECT count(*) - 3 FROM sensord_session")
    #expect(try figures.switches() != before)
  }
}
