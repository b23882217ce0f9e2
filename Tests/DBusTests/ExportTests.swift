import DBus
import Testing

@Suite("Exported objects")
struct ExportTests {
  @Test("the handler of the object, else of the nearest subtree above it, answers")
  func routing() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    await service.export("/", subtree: true) { _ in .values([.string("root")]) }
    await service.export("/org/bluez", subtree: true) { _ in .values([.string("bluez")]) }
    await service.export("/org/bluez/hci0") { _ in .values([.string("hci0")]) }
    let client = try await fixture.connect()
    let name = await service.uniqueName
    func answer(_ path: ObjectPath) async -> String? {
      try? await client.call(.call(name, path: path, interface: "a.b", member: "C")).body.first?.string
    }
    #expect(await answer("/") == "root")
    #expect(await answer("/org") == "root")
    #expect(await answer("/org/bluezz") == "root")
    #expect(await answer("/org/bluez") == "bluez")
    #expect(await answer("/org/bluez/hci0") == "hci0")
    #expect(await answer("/org/bluez/hci0/dev_1") == "bluez")
    await service.unexport("/")
    #expect(await answer("/org") == nil)
    await service.unexport("/org/bluez")
    #expect(await answer("/org/bluez/hci0") == "hci0")
    #expect(await answer("/org/bluez/hci0/dev_1") == nil)
  }

  @Test("an answer may come later, after others")
  func later() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    let calls = Log<Message>()
    await service.export("/o") { call in
      guard call.member == "Connect" else { return .success }
      calls.append(call)
      return .later
    }
    let client = try await fixture.connect()
    let name = await service.uniqueName
    async let connecting = client.call(.call(name, path: "/o", interface: "a.b", member: "Connect"), timeout: nil)
    _ = try await client.call(.call(name, path: "/o", interface: "a.b", member: "Other"))
    while calls.entries.isEmpty {
      _ = try await client.call(.call(name, path: "/o", interface: "a.b", member: "Other"))
    }
    try await service.send(calls.entries[0].reply([.string("done")]))
    #expect(try await connecting.body == [.string("done")])
  }

  @Test("a later answer that cannot be sent is an error for the caller, who would wait for ever")
  func invalidLater() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    let loop = fixture.loop
    await service.export("/o") { call in
      loop.execute { service.assumeIsolated { $0.respond(to: call, .values([.string("a\0b")])) } }
      return .later
    }
    let client = try await fixture.connect()
    let name = await service.uniqueName
    let code = await errorCode { try await client.call(.call(name, path: "/o", interface: "a.b", member: "C")) }
    #expect(code == .remote(name: "org.freedesktop.DBus.Error.Failed"))
  }

  @Test("an error tells whether the bus sent it or who was called")
  func origin() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    let client = try await fixture.connect()
    for (name, isFromBus) in [(await service.uniqueName, false), (":7.7", true)] {
      let error = await #expect(throws: DBusError.self) {
        try await client.call(.call(name, path: "/o", interface: "a.b", member: "C"))
      }
      #expect(error?.isFromBus == isFromBus)
    }
  }

  @Test("a call with more values than a service ever takes is refused before they are in memory, and an answer is not")
  func manyValues() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    let seen = Log<Int>()
    await service.export("/o") { call in
      seen.append(call.body.count)
      return .values([.array(Array(repeating: .variant(.byte(1)), count: 20_000), of: "v")])
    }
    let client = try await fixture.connect()
    let name = await service.uniqueName
    func call(_ count: Int) -> Message {
      .call(
        name, path: "/o", interface: "a.b", member: "C",
        body: [.array(Array(repeating: .variant(.byte(1)), count: count), of: "v")])
    }
    // A variant and its byte are two values.
    let answer = try await client.call(call(8_000))
    #expect(answer.body.first?.array?.count == 20_000)
    do {
      _ = try await client.call(call(10_300))
      Issue.record("it was taken")
    } catch {
      #expect(error.name == "org.freedesktop.DBus.Error.LimitsExceeded")
    }
    #expect(seen.entries == [1])
  }

  @Test("libdbus answers a ping for any object")
  func ping() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    let client = try await fixture.connect()
    let reply = try await client.call(
      .call(service.uniqueName, path: "/any", interface: "org.freedesktop.DBus.Peer", member: "Ping"))
    #expect(reply.body.isEmpty)
  }

  @Test("a handler sees who calls")
  func sender() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    await service.export("/who") { .values([.string($0.sender ?? "")]) }
    let client = try await fixture.connect()
    let reply = try await client.call(.call(service.uniqueName, path: "/who", interface: nil, member: "Am_I"))
    #expect(await reply.body.first?.string == client.uniqueName)
  }
}
