import Glibc

/// A client of the hub that says exactly what a test wants.
final class Peer {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let descriptor: Int32
  private(set) var received: [UInt8] = []

  /// At a TCP port of this machine.
  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    try connect(address)
  }

  /// At a Unix socket.
  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
    try connect(address)
  }

  deinit { close(descriptor) }

  private func connect<Address>(_ address: Address) throws {
    // Stands for "never".
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = unsafe withUnsafeBytes(of: address) { bytes in
      unsafe Glibc.connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    guard result == 0 else { throw Failure(description: "no connection: \(errno)") }
  }

  /// Says it; what the hub no longer takes is left out.
  func say(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  func say(_ text: String) { say(Array(text.utf8)) }

  /// Whether the connection still takes it.
  func saySome(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0
  }

  /// More bytes; none at the end of the connection.
  private func more() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    if count < 0, errno == EAGAIN { throw Failure(description: "waited in vain after \(text)") }
    guard count > 0 else { return false }
    received += buffer[..<count]
    return true
  }

  var text: String { String(decoding: received, as: UTF8.self) }

  /// Everything until the hub ends the connection.
  func toEnd() throws -> String {
    while try more() {}
    return text
  }

  /// Everything until this was said.
  @discardableResult
  func until(_ part: String) throws -> String {
    while !text.contains(part) {
      guard try more() else { throw Failure(description: "the end came before \(part): \(text)") }
    }
    return text
  }

  /// So many bytes more.
  func bytes(_ count: Int) throws -> [UInt8] {
    while received.count < count {
      guard try more() else { throw Failure(description: "the end came too early") }
    }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// Forgets the head of an answer: what came with it is a frame.
  func forget(through part: String) {
    guard let range = received.firstRange(of: Array(part.utf8)) else { return }
    received.removeFirst(range.upperBound)
  }

  /// A message of a WebSocket, masked as a client has to.
  func frame(_ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true) {
    let mask: [UInt8] = [1, 2, 3, 4]
    let length: [UInt8] =
      switch payload.count {
      case ..<126: [UInt8(payload.count)]
      case ..<65_536: [126] + [8, 0].map { UInt8(truncatingIfNeeded: payload.count >> $0) }
      default: [127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
      }
    say([opcode | (isLast ? 0x80 : 0), length[0] | 0x80] + length.dropFirst() + mask)
    say(payload.enumerated().map { $0.element ^ mask[$0.offset % 4] })
  }

  /// The next frame: its opcode and what is in it.
  func nextFrame() throws -> (opcode: UInt8, payload: [UInt8]) {
    let head = try bytes(2)
    var count = Int(head[1] & 0x7F)
    if count == 126 { count = try bytes(2).reduce(0) { $0 << 8 | Int($1) } }
    return (head[0] & 0x0F, try bytes(count))
  }
}
