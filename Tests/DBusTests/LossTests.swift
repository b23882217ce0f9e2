import DBus
import TestSupport
import Testing

@Suite("Loss of the bus")
struct LossTests {
  @Test("a bus that dies in the middle of calls fails all of them, reports it once, and can be opened again")
  func killed() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connectEcho()
    let client = try await fixture.connect()
    let call = await service.silentCall()
    let log = Log<String>()
    let told = AsyncStream<DBusError>.makeStream()
    await client.onDisconnect { error in
      log.append("disconnected")
      told.continuation.yield(error)
    }
    for _ in 0..<3 {
      await client.call(call, timeout: nil) { result in
        if case .failure(let error) = result, error.code == .disconnected { log.append("failed") }
      }
    }
    async let awaited = errorCode { try await client.call(call, timeout: nil) }
    _ = try await client.echo([], from: service)
    fixture.bus.kill()
    #expect(await awaited == .disconnected)
    var iterator = told.stream.makeAsyncIterator()
    #expect(await iterator.next()?.code == .disconnected)
    #expect(log.entries == ["failed", "failed", "failed", "disconnected"])
    #expect(await !client.isConnected)
    #expect(await errorCode { try await client.send(call) } == .disconnected)
    #expect(await errorCode { try await client.call(call) } == .disconnected)
    #expect(await errorCode { try await fixture.connect() } != nil)

    try fixture.bus.start()
    let again = try await fixture.connectEcho()
    #expect(try await again.echo([.byte(1)], from: again) == [.byte(1)])
  }

  @Test("a handler that is set after the loss is called as well")
  func late() async throws {
    let fixture = try BusFixture()
    let client = try await fixture.connect()
    fixture.bus.kill()
    _ = await errorCode {
      try await client.call(.call("org.nobody", path: "/", interface: nil, member: "C"), timeout: nil)
    }
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      Task { await client.onDisconnect { _ in done.resume() } }
    }
  }

  @Test("close ends waiting calls and calls no handler")
  func close() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connectEcho()
    let client = try await fixture.connect()
    let log = Log<String>()
    await client.onDisconnect { _ in log.append("disconnected") }
    let call = await service.silentCall()
    async let awaited = errorCode { try await client.call(call, timeout: nil) }
    _ = try await client.echo([], from: service)
    await client.close()
    await client.close()
    #expect(await awaited == .disconnected)
    #expect(await errorCode { try await client.send(call) } == .disconnected)
    // The bus knows of it.
    let name = await client.uniqueName
    #expect(await errorCode { try await service.nameOwner(of: name) } == nil)
    #expect(log.entries.isEmpty)
  }

  @Test("a connection may be closed from within its own handlers")
  func closeInside() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    let client = try await fixture.connect()
    try await client.addMatch(MatchRule(interface: "a.b"))
    let closed = AsyncStream<Void>.makeStream()
    _ = await client.observeSignals { [weak client] message in
      guard message.interface == "a.b" else { return }
      client?.assumeIsolated { $0.close() }
      closed.continuation.yield()
    }
    for _ in 0..<3 { try await service.send(.signal(path: "/", interface: "a.b", member: "C")) }
    var iterator = closed.stream.makeAsyncIterator()
    await iterator.next()
    #expect(await !client.isConnected)
  }

  @Test("a connection that nobody holds closes itself")
  func released() async throws {
    let fixture = try BusFixture()
    let observer = try await fixture.connect()
    var client: Connection? = try await fixture.connect()
    let name = try #require(await client?.uniqueName)
    let gone = AsyncStream<Void>.makeStream()
    try await observer.addMatch(MatchRule(member: "NameOwnerChanged", firstArgument: name))
    _ = await observer.observeSignals { message in
      if message.member == "NameOwnerChanged" { gone.continuation.yield() }
    }
    client = nil
    var iterator = gone.stream.makeAsyncIterator()
    await iterator.next()
    #expect(try await observer.nameOwner(of: name) == nil)
  }
}
