import DBus
import Testing

@testable import Door

@Suite("Calls of connections that are not known yet")
struct ArrivalsTests {
  private func call(_ serial: UInt32, _ body: [Value] = []) -> Message {
    var call = Message.call(
      "org.sensord", path: "/org/sensord", interface: "org.sensord.Live1", member: "Subscribe", body: body)
    call.serial = serial
    return call
  }

  @Test("they wait in order, and who calls is found out once")
  func order() throws {
    var arrivals = Arrivals(ClientLimits())
    #expect(try arrivals.add(call(1), of: ":1.1"))
    #expect(try !arrivals.add(call(2), of: ":1.1"))
    #expect(try arrivals.add(call(3), of: ":1.2"))
    #expect(arrivals.contains(":1.1") && !arrivals.contains(":1.3"))
    #expect(arrivals.remove(":1.1").map(\.serial) == [1, 2])
    #expect(!arrivals.contains(":1.1") && arrivals.remove(":1.1").isEmpty)
    #expect(try arrivals.add(call(4), of: ":1.1"))
  }

  @Test("however many connections wait, and whatever they call, another one is let in")
  func fair() throws {
    var arrivals = Arrivals(ClientLimits())
    for number in 0..<1_000 {
      #expect(try arrivals.add(call(0), of: ":1.\(number)"))
      while (try? arrivals.add(call(0), of: ":1.\(number)")) != nil {}
    }
    #expect(try arrivals.add(call(1), of: ":2.1"))
    #expect(arrivals.remove(":2.1").count == 1)
  }

  @Test("a connection leaves so many calls and so many bytes, and what is refused takes no room")
  func limits() throws {
    var limits = ClientLimits()
    (limits.waitingCalls, limits.waitingBytes) = (3, 1_000)
    var arrivals = Arrivals(limits)
    let large = [Value.string(String(repeating: "a", count: 2_000))]
    #expect(throws: Refusal.limitsExceeded(.calls)) { try arrivals.add(call(1, large), of: ":1.1") }
    #expect(!arrivals.contains(":1.1"))
    for serial: UInt32 in 2...4 { _ = try arrivals.add(call(serial), of: ":1.1") }
    #expect(throws: Refusal.limitsExceeded(.calls)) { try arrivals.add(call(5), of: ":1.1") }
    #expect(arrivals.remove(":1.1").map(\.serial) == [2, 3, 4])
    let half = [Value.string(String(repeating: "a", count: 500))]
    _ = try arrivals.add(call(6, half), of: ":1.1")
    #expect(throws: Refusal.limitsExceeded(.calls)) { try arrivals.add(call(7, half), of: ":1.1") }
  }

  @Test("who the bus does not know is refused, and nothing of it stays")
  func unknown() async throws {
    let stage = try await DoorStage()
    let client = try await stage.connect()
    let name = await client.uniqueName
    let wait = Halt(stage.door.loop)
    async let refusal = client.refusal("Live1", "Unsubscribe")
    stage.door.loop.execute {
      stage.door.assumeIsolated { door in
        // As if it were the first answer of the bus.
        var call = Message.call(nil, path: "/org/sensord", interface: "org.sensord.Live1", member: "Unsubscribe")
        call.sender = name
        call.noReply = true
        _ = try? door.arrivals.add(call, of: name)
        door.arrived(name, nil)
      }
    }
    wait.end()
    #expect(await refusal == nil)
    await stage.until { !$0.arrivals.contains(name) && $0.registry.knows(name) }
    await stage.end()
  }
}
