import DBus
import Glibc
import Testing

@testable import BlueZ

@Suite("NotificationSocket")
struct NotificationSocketTests {
  /// A socket as AcquireNotify gives it, and bluetoothd's end of it.
  private func pair() throws -> (NotificationSocket, SharedDescriptor) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(unsafe socketpair(AF_UNIX, type, 0, &ends) == 0)
    return (NotificationSocket(FileDescriptor(owning: ends[0])), SharedDescriptor(FileDescriptor(owning: ends[1])))
  }

  private func send(_ bytes: [UInt8], on shared: SharedDescriptor) throws {
    let descriptor = try shared.duplicate()
    #expect(unsafe write(descriptor.number, bytes, bytes.count) == bytes.count)
  }

  /// Everything that is there, `nil` for the end.
  private func read(_ socket: NotificationSocket) -> [[UInt8]?] {
    var packets: [[UInt8]?] = []
    while true {
      switch socket.read() {
      case .value(let bytes, _): packets.append(bytes)
      case .none: return packets
      case .end: return packets + [nil]
      }
    }
  }

  @Test("packets keep their boundaries, up to the longest value")
  func packets() throws {
    let (socket, bluetoothd) = try pair()
    let longest = [UInt8](repeating: 7, count: 512)
    for bytes in [[0, 60], [0, 60], longest, [1]] { try send(bytes, on: bluetoothd) }
    #expect(read(socket) == [[0, 60], [0, 60], longest, [1]])
    #expect(read(socket) == [])
  }

  @Test("empty packets are values, also those just before the end")
  func empty() throws {
    let (socket, bluetoothd) = try pair()
    try send([], on: bluetoothd)
    #expect(read(socket) == [[]])
    for bytes: [UInt8] in [[1], [], [2], []] { try send(bytes, on: bluetoothd) }
    _ = bluetoothd.take()
    #expect(read(socket) == [[1], [], [2], [], nil])
    #expect(read(socket) == [nil])
  }

  @Test("a value that waited has the instant at which it was sent, however late it is read")
  func arrivals() throws {
    let (socket, bluetoothd) = try pair()
    var bounds: [ClosedRange<Int64>] = []
    for bytes: [UInt8] in [[1], [], [2]] {
      let before = BootClock.now()
      try send(bytes, on: bluetoothd)
      bounds.append(before...BootClock.now())
    }
    // Later than the clocks may differ from one reading to the next.
    let sent = BootClock.now()
    while BootClock.now() < sent + 20_000 { sched_yield() }
    for bound in bounds {
      guard case .value(_, let arrival?) = socket.read() else {
        Issue.record("no arrival")
        return
      }
      #expect(arrival >= bound.lowerBound - 2_000 && arrival <= bound.upperBound + 2_000)
    }
  }

  @Test("a packet that was sent before the socket was made is no end either")
  func early() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    let bluetoothd = SharedDescriptor(FileDescriptor(owning: ends[1]))
    try send([], on: bluetoothd)
    try send([3], on: bluetoothd)
    let socket = NotificationSocket(FileDescriptor(owning: ends[0]))
    #expect(read(socket) == [[], [3]])
  }
}
