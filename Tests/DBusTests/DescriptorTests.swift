import DBus
import Glibc
import Testing

@Suite("Passed descriptors")
struct DescriptorTests {
  /// The two ends of a socket that keeps packets apart, like the one that AcquireNotify gives.
  private static func pair() throws -> (near: SharedDescriptor, far: SharedDescriptor) {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    return (SharedDescriptor(FileDescriptor(owning: ends[0])), SharedDescriptor(FileDescriptor(owning: ends[1])))
  }

  /// Open descriptors of this process that are sockets with this inode.
  private static func copies(of inode: UInt) -> Int {
    (0..<1024 as Range<Int32>).count { number in
      var status = stat()
      return unsafe fstat(number, &status) == 0 && status.st_ino == inode
    }
  }

  private static func inode(_ descriptor: borrowing FileDescriptor) -> UInt {
    var status = stat()
    unsafe fstat(descriptor.number, &status)
    return status.st_ino
  }

  @Test("a descriptor goes to a service and comes back, still the same socket, and every copy is closed")
  func bothWays() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connectEcho()
    let client = try await fixture.connect()
    let pair = try Self.pair()
    guard let near = pair.near.take() else { return }
    let inode = Self.inode(try pair.far.duplicate())
    do {
      let reply = try await client.echo([.string("socket"), .descriptor(pair.far)], from: service)
      let carrier = try #require(reply.last?.descriptor)
      guard let received = carrier.take() else {
        Issue.record("no descriptor came")
        return
      }
      #expect(Self.inode(received) == inode)
      #expect(unsafe write(received.number, "beat", 4) == 4)
      var bytes = [UInt8](repeating: 0, count: 8)
      #expect(unsafe read(near.number, &bytes, 8) == 4)
      #expect(Array(bytes.prefix(4)) == Array("beat".utf8))
      // A second owner would close it twice.
      #expect(Self.isTaken(carrier))
    }
    _ = pair.far.take()
    // The messages of the way there and back are gone when another round trip is through.
    _ = try await client.echo([], from: service)
    #expect(Self.copies(of: inode) == 0)
    var byte: UInt8 = 0
    // The bus closes its copy in its own time, and a program that another test starts has all copies until its exec.
    // Were one left open, this would fail and not hang.
    var wait = pollfd(fd: near.number, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&wait, 1, 300_000) == 1, "the other end is closed everywhere")
    #expect(unsafe recv(near.number, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
  }

  @Test("descriptors nested in containers arrive")
  func nested() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connectEcho()
    let client = try await fixture.connect()
    let pair = try Self.pair()
    let body: [Value] = [
      .properties(["fd": .descriptor(pair.far)]), .array([.descriptor(pair.near)], of: "h"),
      .structure([.byte(1), .variant(.descriptor(pair.near))]),
    ]
    let reply = try await client.echo(body, from: service)
    let received = [
      reply.first?.properties?["fd"]?.descriptor, reply[1].array?.first?.descriptor,
      reply[2].structure?.last?.descriptor,
    ]
    for descriptor in received { #expect(!Self.isTaken(try #require(descriptor))) }
  }

  @Test("a descriptor that was taken, and more than 16, are errors before anything is sent")
  func refused() async throws {
    let fixture = try BusFixture()
    let client = try await fixture.connectEcho()
    let pair = try Self.pair()
    _ = pair.far.take()
    #expect(await errorCode { try await client.echo([.descriptor(pair.far)], from: client) } == .invalid)
    let many = Value.array(Array(repeating: .descriptor(pair.near), count: 17), of: "h")
    #expect(await errorCode { try await client.echo([many], from: client) } == .tooLarge)
    let sixteen = Value.array(Array(repeating: .descriptor(pair.near), count: 16), of: "h")
    #expect(try await client.echo([sixteen], from: client).first?.array?.count == 16)
    let error = #expect(throws: DBusError.self) {
      try Message.signal(path: "/", interface: "a.b", member: "C", body: [sixteen]).marshalled()
    }
    #expect(error?.code == .unsupported)
  }

  @Test("an empty packet and the end of the other side are distinguished by the hang-up")
  func hangUp() throws {
    let loop = try EventLoop()
    let pair = try Self.pair()
    guard let near = pair.near.take(), let far = pair.far.take() else { return }
    let number = near.number
    _ = unsafe send(far.number, "", 0, 0)
    _ = unsafe send(far.number, "abc", 3, 0)
    let sender = SharedDescriptor(far)
    var log: [String] = []
    _ = try loop.watch(number, for: .readable) { readiness in
      var bytes = [UInt8](repeating: 0, count: 8)
      let count = unsafe recv(number, &bytes, 8, Int32(MSG_DONTWAIT))
      log.append("\(count) \(readiness.contains(.hangUp))")
      if count == 3 { _ = sender.take() }
      if readiness.contains(.hangUp) { loop.stop() }
    }
    loop.run()
    #expect(log == ["0 false", "3 false", "0 true"])
    _ = near
  }

  private static func isTaken(_ carrier: SharedDescriptor) -> Bool {
    guard carrier.take() != nil else { return true }
    return false
  }
}
