@testable import Captures

/// A made-up exchange between host and controller, written in any of the formats.
struct PacketScript {
  enum Packet {
    case command([UInt8])
    case event([UInt8])
    case data(isReceived: Bool, [UInt8])
    case adapterGone
  }

  enum Format: CaseIterable {
    case btsnoopHCI, btsnoopH4, btsnoopMonitor
    case pcapngH4, pcapngH4WithDirection, pcapngMonitor, pcapngBigEndian, pcapngNanoseconds, pcapngBinaryTime

    var isMonitor: Bool { self == .btsnoopMonitor || self == .pcapngMonitor }
  }

  static let start: Int64 = 1_790_000_000_000_000
  var packets: [(microseconds: Int64, packet: Packet)] = []
  var now = Self.start
  /// How many bytes of data an ACL packet takes.
  var fragment = 27
  var handle: UInt16 = 0x40

  mutating func add(_ packet: Packet) {
    packets.append((now, packet))
    now += 1_000
  }

  /// An attribute protocol message, in as many fragments as it takes.
  mutating func attribute(isReceived: Bool, _ message: [UInt8], channel: UInt16 = 4) {
    let frame = Self.bytes(UInt16(message.count)) + Self.bytes(channel) + message
    for start in stride(from: 0, to: frame.count, by: fragment) {
      let part = frame[start..<min(start + fragment, frame.count)]
      let flags: UInt16 = start > 0 ? 1 : isReceived ? 2 : 0
      add(.data(isReceived: isReceived, Self.bytes(handle | flags << 12) + Self.bytes(UInt16(part.count)) + part))
    }
  }

  /// LE Connection Complete, or its enhanced form.
  mutating func connect(_ address: UInt64, subevent: UInt8 = 1, status: UInt8 = 0) {
    let address = (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * $0)) }
    let parameters = [subevent, status] + Self.bytes(handle) + [0, 0] + address + [UInt8](repeating: 0, count: 19)
    add(.event([0x3E, UInt8(parameters.count)] + parameters))
  }

  mutating func disconnect(_ reason: UInt8) {
    add(.event([0x05, 4, 0] + Self.bytes(handle) + [reason]))
  }

  /// The declarations of the Heart Rate Service's characteristics, the measurement's value at `value`.
  mutating func discover(_ value: UInt16 = 0x10) {
    attribute(isReceived: false, [0x08, 0x01, 0, 0xFF, 0xFF, 0x03, 0x28])
    let declaration = Self.bytes(value - 1) + [0x10] + Self.bytes(value) + [0x37, 0x2A]
    attribute(isReceived: true, [0x09, 7] + declaration + [0x20, 0, 2, 0x21, 0, 0x38, 0x2A])
  }

  mutating func notify(_ payload: [UInt8], _ value: UInt16 = 0x10) {
    now += 1_000_000
    attribute(isReceived: true, [0x1B] + Self.bytes(value) + payload)
  }

  /// A request of the host and its answer.
  mutating func read(_ value: UInt16, _ answer: [UInt8]) {
    attribute(isReceived: false, [0x0A] + Self.bytes(value))
    attribute(isReceived: true, [0x0B] + answer)
  }

  func file(_ format: Format) -> [UInt8] {
    switch format {
    case .btsnoopHCI: btsnoop(1001, format)
    case .btsnoopH4: btsnoop(1002, format)
    case .btsnoopMonitor: btsnoop(2001, format)
    case .pcapngH4: pcapng(187, format)
    case .pcapngH4WithDirection: pcapng(201, format)
    case .pcapngMonitor: pcapng(254, format)
    case .pcapngBigEndian: pcapng(201, format, isBigEndian: true)
    case .pcapngNanoseconds: pcapng(201, format, resolution: 9)
    case .pcapngBinaryTime: pcapng(201, format, resolution: 0x80 | 30)
    }
  }

  private static func bytes(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
  }

  static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private func btsnoop(_ dataLink: UInt32, _ format: Format) -> [UInt8] {
    var file = Array("btsnoop\0".utf8) + Self.bigEndian(UInt32(1)) + Self.bigEndian(dataLink)
    for (microseconds, packet) in packets {
      guard let content = content(packet, format) else { continue }
      let flags: UInt32 =
        switch packet {
        case .command: format.isMonitor ? 2 : 2
        case .event: 3
        case .data(let isReceived, _): format.isMonitor ? (isReceived ? 5 : 4) : isReceived ? 1 : 0
        case .adapterGone: 1
        }
      file += Self.bigEndian(UInt32(content.count)) + Self.bigEndian(UInt32(content.count)) + Self.bigEndian(flags)
      file += Self.bigEndian(UInt32(0)) + Self.bigEndian(microseconds + BTSnoop.epoch) + content
    }
    return file
  }

  private func pcapng(
    _ linkType: UInt16, _ format: Format, isBigEndian: Bool = false, resolution: UInt8? = nil
  ) -> [UInt8] {
    func integer(_ value: some FixedWidthInteger) -> [UInt8] {
      isBigEndian ? Self.bigEndian(value) : Self.bigEndian(value).reversed()
    }
    func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
      let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
      return integer(type) + integer(UInt32(padded.count + 12)) + padded + integer(UInt32(padded.count + 12))
    }
    var options: [UInt8] = []
    if let resolution { options = integer(UInt16(9)) + integer(UInt16(1)) + [resolution, 0, 0, 0] + [0, 0, 0, 0] }
    let section = integer(UInt32(0x1A2B_3C4D)) + integer(UInt16(1)) + integer(UInt16(0)) + integer(Int64(-1))
    var file = block(0x0A0D_0D0A, section)
    file += block(1, integer(linkType) + integer(UInt16(0)) + integer(UInt32(0)) + options)
    for (microseconds, packet) in packets {
      guard let content = content(packet, format) else { continue }
      let ticks: UInt64 =
        switch resolution {
        case 9?: UInt64(microseconds) * 1000
        case .some:
          (UInt64(microseconds) / 1_000_000) << 30 + ((UInt64(microseconds) % 1_000_000) << 30 + 999_999) / 1_000_000
        case nil: UInt64(microseconds)
        }
      let length = integer(UInt32(content.count))
      file += block(
        6,
        integer(UInt32(0)) + integer(UInt32(ticks >> 32)) + integer(UInt32(truncatingIfNeeded: ticks)) + length + length
          + content)
    }
    return file
  }

  private func content(_ packet: Packet, _ format: Format) -> [UInt8]? {
    let (type, code, direction, bytes): (UInt8, UInt16, UInt32, [UInt8]) =
      switch packet {
      case .command(let bytes): (1, 2, 0, bytes)
      case .event(let bytes): (4, 3, 1, bytes)
      case .data(let isReceived, let bytes): (2, isReceived ? 5 : 4, isReceived ? 1 : 0, bytes)
      case .adapterGone: (0, 1, 0, [])
      }
    if case .adapterGone = packet, !format.isMonitor { return nil }
    return switch format {
    case .btsnoopHCI, .btsnoopMonitor: bytes
    case .btsnoopH4, .pcapngH4: [type] + bytes
    case .pcapngMonitor: Self.bigEndian(UInt16(0)) + Self.bigEndian(code) + bytes
    default: Self.bigEndian(direction) + [type] + bytes
    }
  }
}
