import DBus
import Testing

/// Against a real dbus-daemon.
@Suite("Connection")
struct ConnectionTests {
  @Test("values of every type come back from an echo service")
  func echo() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connectEcho()
    let client = try await fixture.connect()
    for value in ValueSamples.all + [ValueSamples.deepestSignature, ValueSamples.variants(64)] {
      #expect(try await client.echo([value], from: service) == [value])
    }
    #expect(try await client.echo([], from: service) == [])
  }

  @Test("a value that cannot be sent fails its call and leaves the connection alone")
  func invalidValue() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connectEcho()
    let client = try await fixture.connect()
    #expect(await errorCode { try await client.echo([ValueSamples.variants(65)], from: service) } == .nestedTooDeeply)
    #expect(await errorCode { try await client.echo([.array([.byte(1)], of: "s")], from: service) } == .invalid)
    #expect(try await client.echo([.byte(1)], from: service) == [.byte(1)])
  }

  @Test("an answer that cannot be sent is an error for the caller")
  func invalidAnswer() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    await service.export("/bad") { _ in .values([.structure([])]) }
    let client = try await fixture.connect()
    let call = await Message.call(service.uniqueName, path: "/bad", interface: nil, member: "Get")
    #expect(
      await errorCode { try await client.call(call) } == .remote(name: "org.freedesktop.DBus.Error.Failed"))
  }

  @Test("8 MiB of bytes travel both ways")
  func bigBytes() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connectEcho()
    let client = try await fixture.connect()
    var bytes = [UInt8](repeating: 7, count: 8 << 20)
    for index in stride(from: 0, to: bytes.count, by: 4093) { bytes[index] = UInt8(truncatingIfNeeded: index >> 8) }
    #expect(try await client.echo([.bytes(bytes)], from: service).first?.bytes == bytes)
  }

  @Test("what the bus has not taken is counted, and nothing is left of it once the bus has answered")
  func unsent() async throws {
    let fixture = try BusFixture()
    let (service, client) = (try await fixture.connectEcho(), try await fixture.connect())
    let signal = Message.signal(
      path: "/o", interface: "a.b", member: "C", body: [.bytes([UInt8](repeating: 1, count: 4 << 20))])
    // More than a socket takes at once.
    let unsent = try await Self.send(signal, over: client)
    #expect(unsent > 1 << 20)
    _ = try await client.echo([], from: service)
    #expect(await client.unsentBytes == 0)
  }

  private static func send(_ message: Message, over client: isolated Connection) throws -> Int {
    try client.send(message)
    return client.unsentBytes
  }

  @Test("1,000 calls are in flight at once, answered in the reverse order, and none is mixed up")
  func manyCalls() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    let waiting = Log<Message>()
    await service.export("/late") { call in
      waiting.append(call)
      if waiting.entries.count == 1_000 {
        service.assumeIsolated { service in
          for call in waiting.entries.reversed() { _ = try? service.send(call.reply(call.body)) }
        }
      }
      return .later
    }
    let client = try await fixture.connect()
    let name = await service.uniqueName
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<1_000 as Range<Int32> {
        group.addTask {
          let call = Message.call(name, path: "/late", interface: "a.b", member: "C", body: [.int32(number)])
          return try await client.call(call).body == [.int32(number)]
        }
      }
      for try await isOwn in group { #expect(isOwn) }
    }
  }

  @Test("an error as the answer is thrown with its name and message")
  func remoteError() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    await service.export("/x") { call in
      call.member == "Fail" ? .error(name: "org.bluez.Error.Failed", message: "Not connected") : .unknownMethod
    }
    let client = try await fixture.connect()
    let name = await service.uniqueName
    let error = await #expect(throws: DBusError.self) {
      try await client.call(.call(name, path: "/x", interface: "a.b", member: "Fail"))
    }
    #expect(error == DBusError(.remote(name: "org.bluez.Error.Failed"), "Not connected"))
    #expect(error?.name == "org.bluez.Error.Failed")
    let unknown = await errorCode { try await client.call(.call(name, path: "/x", interface: "a.b", member: "Other")) }
    #expect(unknown == .remote(name: "org.freedesktop.DBus.Error.UnknownMethod"))
    let absent = await errorCode { try await client.call(.call(name, path: "/y", interface: "a.b", member: "Other")) }
    #expect(absent == .remote(name: "org.freedesktop.DBus.Error.UnknownObject"))
    let nobody = await errorCode { try await client.call(.call("org.nobody", path: "/", interface: nil, member: "C")) }
    #expect(nobody == .remote(name: "org.freedesktop.DBus.Error.ServiceUnknown"))
  }

  @Test("a call without a reply ends when its time is over, and a late answer is dropped")
  func timeout() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    let calls = Log<Message>()
    await service.export("/late") { call in
      calls.append(call)
      return call.member == "Wait" ? .later : .success
    }
    let client = try await fixture.connect()
    let name = await service.uniqueName
    let wait = Message.call(name, path: "/late", interface: "a.b", member: "Wait")
    #expect(await errorCode { try await client.call(wait, timeout: .milliseconds(20)) } == .timedOut)
    #expect(await errorCode { try await client.call(wait, timeout: .zero) } == .timedOut)
    for call in calls.entries { try await service.send(call.reply()) }
    _ = try await client.call(.call(name, path: "/late", interface: "a.b", member: "Now"))
  }

  @Test("a cancelled task's call ends at once")
  func cancellation() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connectEcho()
    let client = try await fixture.connect()
    let call = await service.silentCall()
    let task = Task { await errorCode { try await client.call(call, timeout: nil) } }
    // The service has the call when it answers another that was sent after it.
    task.cancel()
    #expect(await task.value == .cancelled)
    let cancelledBefore = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return await errorCode { try await client.call(call, timeout: nil) }
    }
    #expect(await cancelledBefore.value == .cancelled)
    #expect(try await client.echo([.byte(1)], from: service) == [.byte(1)])
  }

  @Test("a call with a closure is answered once, and can be cancelled")
  func closureCalls() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connectEcho()
    let client = try await fixture.connect()
    let log = Log<Result<Message, DBusError>>()
    let echo = await service.echoCall([.byte(9)])
    let silent = await service.silentCall()
    let token = await client.call(silent, timeout: nil) { log.append($0) }
    await client.call(Message(.methodReturn)) { log.append($0) }
    await client.call(echo) { log.append($0) }
    _ = try await client.echo([], from: service)
    await client.cancel(token)
    await client.cancel(token)
    let results = log.entries
    try #require(results.count == 3)
    #expect(throws: DBusError.self) { try results[0].get() }
    #expect(try results[1].get().body == [.byte(9)])
    #expect(throws: DBusError(.cancelled, "the call was cancelled")) { try results[2].get() }
  }

  @Test("a message that wants no reply gets none")
  func noReply() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connectEcho()
    let client = try await fixture.connect()
    var call = await service.echoCall([])
    call.noReply = true
    try await client.send(call)
    #expect(await errorCode { try await client.call(call) } == .invalid)
    #expect(try await client.echo([.byte(1)], from: service) == [.byte(1)])
  }

  @Test("a name can be owned once, is found, and is given back")
  func names() async throws {
    let fixture = try BusFixture()
    let first = try await fixture.connect()
    let second = try await fixture.connect()
    #expect(try await first.requestName("org.bluez"))
    #expect(try await first.requestName("org.bluez"))
    #expect(try await !second.requestName("org.bluez"))
    #expect(try await second.nameOwner(of: "org.bluez") == first.uniqueName)
    #expect(try await !second.isOwnedByOtherProcess("org.bluez"), "over another connection of this one")
    #expect(try await second.isOwnedByOtherProcess("org.freedesktop.DBus"))
    #expect(try await !second.isOwnedByOtherProcess("org.example.Nobody"))
    try await first.releaseName("org.bluez")
    #expect(try await second.nameOwner(of: "org.bluez") == nil)
    #expect(try await second.requestName("org.bluez"))
    #expect(
      await errorCode { try await first.requestName("junk") } == .remote(name: "org.freedesktop.DBus.Error.InvalidArgs")
    )
  }

  @Test(
    "an address where nobody listens is an error with its name",
    arguments: ["unix:path=/nonexistent/bus", "junk", "", "a\0b"])
  func noBus(address: String) async throws {
    let loop = try EventLoop.startThread(named: "test loop")
    defer { loop.stop() }
    let error = await #expect(throws: DBusError.self) { try await Connection.open(.address(address), on: loop) }
    #expect(error?.name?.hasPrefix("org.freedesktop.DBus.Error.") == true)
  }
}
