import Glibc
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("A capture of the monitor channel")
struct MonitorCaptureTests {
  /// The two ends of a channel: what is written to the second is read from the first, packet by packet.
  static func channel() throws -> (OpenFile, OpenFile) {
    var ends: [Int32] = [0, 0]
    guard unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else { throw SystemError.last }
    return (OpenFile(descriptor: ends[0]), OpenFile(descriptor: ends[1]))
  }

  static func bytes(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }

  static func packets(_ script: PacketScript) -> [[UInt8]] {
    script.packets.map { _, packet in
      let (code, content): (UInt16, [UInt8]) =
        switch packet {
        case .command(let content): (2, content)
        case .event(let content): (3, content)
        case .data(let isReceived, let content): (isReceived ? 5 : 4, content)
        case .adapterGone: (1, [])
        }
      return bytes(code) + bytes(0) + bytes(UInt16(content.count)) + content
    }
  }

  /// Lets packets pass a capture and gives its file.
  static func captured(
    _ packets: [[UInt8]], sensors: Set<SensorAddress>?
  ) throws -> (bytes: [UInt8], progress: MonitorCapture.Progress) {
    let folder = TemporaryFolder()
    let (reading, writing) = try channel()
    var capture = try MonitorCapture(channel: reading, path: "\(folder.path)/it.btsnoop", sensors: sensors)
    for packet in packets { try writing.writeAll(packet) }
    try writing.writeAll(bytes(0) + bytes(0))
    #expect(shutdown(writing.descriptor, Int32(SHUT_WR)) == 0)
    try capture.run(until: -1)
    #expect(try TemporaryFolder.mode("\(folder.path)/it.btsnoop") == 0o600)
    return (try TemporaryFolder.read("\(folder.path)/it.btsnoop"), capture.progress)
  }

  @Test("what it writes is read as the sensor's session")
  func roundTrip() throws {
    let script = ForeignCaptureTests.script()
    let address = try #require(SensorAddress("C0:FF:EE:00:00:01"))
    for sensors in [Set([address]), nil] {
      let (bytes, progress) = try Self.captured(Self.packets(script), sensors: sensors)
      let capture = try #require(CaptureFile.read(bytes: bytes).captures.first)
      #expect(capture.events.dropFirst().map(\.kind) == ForeignCaptureTests.kinds)
      #expect(progress.written == script.packets.count)
      // The last packet was not whole.
      #expect(progress.leftOut == 1)
    }
  }

  @Test("of other devices, of keys and of neighbours' advertisements nothing is written")
  func privacy() throws {
    let secret: [UInt8] = Array("correct horse battery staple".utf8)
    var script = PacketScript()
    script.add(.command([0x19, 0x20, UInt8(secret.count)] + secret))  // LE Enable Encryption
    script.add(.command([0x0B, 0x04, UInt8(secret.count)] + secret))  // Link Key Request Reply
    script.add(.event([0x18, UInt8(secret.count)] + secret))  // Link Key Notification
    script.add(.event([0x3E, UInt8(secret.count + 1), 0x02] + secret))  // an advertisement
    script.connect(0xC0FF_EE00_0001)
    script.discover()
    script.attribute(isReceived: true, [0x06] + secret, channel: 6)  // keys of the strap's own link
    script.handle = 0x41
    script.connect(0xBAD0_0000_0001)
    script.notify(secret)
    script.handle = 0x42
    script.notify(secret)
    script.handle = 0x40
    script.notify([0, 60])
    let address = try #require(SensorAddress("C0:FF:EE:00:00:01"))
    let (bytes, _) = try Self.captured(Self.packets(script), sensors: [address])
    for part in [secret.prefix(8), secret.suffix(8)] {
      #expect(!bytes.indices.contains { bytes[$0...].starts(with: part) })
    }
    let captures = try CaptureFile.read(bytes: bytes).captures
    #expect(captures.map(\.sensor.address) == [address])
    #expect(captures.map(\.notificationCount) == [1])
  }

  @Test("it ends on request, with everything received so far")
  func stop() throws {
    let folder = TemporaryFolder()
    let (reading, writing) = try Self.channel()
    let (stop, stopper) = try Self.channel()
    var capture = try MonitorCapture(channel: reading, path: "\(folder.path)/it", sensors: nil)
    for packet in Self.packets(ForeignCaptureTests.script()) { try writing.writeAll(packet) }
    try stopper.writeAll([1])
    try capture.run(until: stop.descriptor)
    #expect(try CaptureFile.read(path: "\(folder.path)/it").captures.count == 1)
  }

  @Test("an existing file is not touched, and a folder that is missing is named")
  func cannotCreate() throws {
    let folder = TemporaryFolder()
    try TemporaryFolder.write([1, 2, 3], to: "\(folder.path)/it")
    for (name, number) in [("it", EEXIST), ("missing/it", ENOENT)] {
      let path = "\(folder.path)/\(name)"
      let (reading, _) = try Self.channel()
      #expect(throws: MonitorError(.cannotCreate, errorNumber: number, path: path)) {
        _ = try MonitorCapture(channel: reading, path: path, sensors: nil)
      }
    }
    #expect(try TemporaryFolder.read("\(folder.path)/it") == [1, 2, 3])
  }
}
