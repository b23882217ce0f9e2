/// pcapng files (draft-ietf-opsawg-pcapng) with Bluetooth packets, as Wireshark and tcpdump write them.
struct PCAPNG {
  static let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
  private static let blockOverhead = 12
  private static let packetHeaderLength = 20

  /// The content of an interface's packets (tcpdump.org, link-layer header types).
  enum LinkType: Int {
    case h4 = 187
    case h4WithDirection = 201
    case monitor = 254
  }

  private struct Interface {
    let linkType: LinkType?
    var ticksPerSecond: UInt64 = 1_000_000
    var offsetSeconds: Int64 = 0
  }

  /// The start of the next block.
  var position: ReadingPosition
  private var isBigEndian = false
  private var interfaces: [Interface] = []
  private(set) var packets = 0
  private(set) var damages = DamageList()
  /// A link type that occurred and is not supported.
  private(set) var unsupportedLinkType: Int?
  /// Whether an interface with a supported link type occurred.
  private(set) var hasBluetooth = false

  /// A file of `fileLength` bytes.
  init(fileLength: Int) {
    position = ReadingPosition(fileLength: fileLength)
  }

  /// The next packet of interest in this part of the file; nil where the next block is not all in it, where a block is
  /// truncated, and at the end.
  mutating func next(_ bytes: Span<UInt8>) -> HCIPacket? {
    while position.remaining > 0 {
      let start = position.index
      let available = position.remaining
      guard available >= Self.blockOverhead else {
        stop(needed: Self.blockOverhead, available: available)
        return nil
      }
      guard bytes.count - start >= Self.blockOverhead else {
        position.needed = Self.blockOverhead
        return nil
      }
      // This type reads the same in both byte orders.
      if bytes.integer(at: start, isBigEndian: true) == 0x0A0D_0D0A as UInt32 {
        isBigEndian = bytes.integer(at: start + 8, isBigEndian: true) == 0x1A2B_3C4D as UInt32
        interfaces = []
      }
      let type = integer(bytes, start, as: UInt32.self)
      let length = Int(integer(bytes, start + 4, as: UInt32.self))
      guard length >= Self.blockOverhead, length % 4 == 0, length <= min(available, FileWindow.greatestRecord) else {
        stop(needed: max(length, Self.blockOverhead), available: available)
        return nil
      }
      guard bytes.count - start >= length else {
        position.needed = length
        return nil
      }
      let body = start + 8..<start + length - 4
      position.index += length
      let packet: HCIPacket?
      switch type {
      case 1:
        addInterface(bytes, body)
        packet = nil
      case 2: packet = self.packet(bytes, body, interface: Int(integer(bytes, start + 8, as: UInt16.self)))
      case 6: packet = self.packet(bytes, body, interface: Int(integer(bytes, start + 8, as: UInt32.self)))
      case 3:
        packets += 1  // A simple packet has no time.
        packet = nil
      default: packet = nil
      }
      if let packet { return packet }
    }
    return nil
  }

  private mutating func addInterface(_ bytes: Span<UInt8>, _ body: Range<Int>) {
    let code = Int(integer(bytes, body.lowerBound, as: UInt16.self))
    var interface = Interface(linkType: LinkType(rawValue: code))
    if interface.linkType == nil { unsupportedLinkType = code } else { hasBluetooth = true }
    var option = body.lowerBound + 8
    while body.upperBound - option >= 4 {
      let code = integer(bytes, option, as: UInt16.self)
      let length = Int(integer(bytes, option + 2, as: UInt16.self))
      guard code != 0, body.upperBound - option - 4 >= length else { break }
      switch code {
      case 9: interface.ticksPerSecond = bytes.byte(at: option + 4).flatMap(Self.ticksPerSecond) ?? 1_000_000
      case 14 where length == 8: interface.offsetSeconds = integer(bytes, option + 4, as: Int64.self)
      default: break
      }
      option += 4 + (length + 3) / 4 * 4
    }
    interfaces.append(interface)
  }

  /// The resolution of times: a negative power of ten, or of two where the highest bit is set. Nil above 10⁻¹⁸ and 2⁻⁶².
  private static func ticksPerSecond(_ code: UInt8) -> UInt64? {
    let exponent = Int(code & 0x7F)
    if code & 0x80 != 0 { return exponent <= 62 ? 1 << exponent : nil }
    return exponent <= 18 ? (0..<exponent).reduce(1) { value, _ in value * 10 } : nil
  }

  /// Enhanced packet blocks and the older packet blocks differ only in the width of the interface number.
  private mutating func packet(_ bytes: Span<UInt8>, _ body: Range<Int>, interface: Int) -> HCIPacket? {
    packets += 1
    guard body.count >= Self.packetHeaderLength, interface < interfaces.count else {
      damage(body, needed: Self.packetHeaderLength, available: body.count)
      return nil
    }
    let start = body.lowerBound
    let ticks =
      UInt64(integer(bytes, start + 4, as: UInt32.self)) << 32 | UInt64(integer(bytes, start + 8, as: UInt32.self))
    let included = Int(integer(bytes, start + 12, as: UInt32.self))
    let original = Int(integer(bytes, start + 16, as: UInt32.self))
    guard body.count - Self.packetHeaderLength >= included, original <= included else {
      damage(body, needed: max(original, included), available: min(included, body.count - Self.packetHeaderLength))
      return nil
    }
    let source = interfaces[interface]
    let content = start + Self.packetHeaderLength..<start + Self.packetHeaderLength + included
    return Self.packet(bytes, content, source.linkType, Self.microseconds(ticks, source))
  }

  private static func packet(
    _ bytes: Span<UInt8>, _ content: Range<Int>, _ linkType: LinkType?, _ microseconds: Int64
  ) -> HCIPacket? {
    let start = content.lowerBound
    switch linkType {
    // Link type 187 has no direction. The flags of ACL data distinguish host and controller (Core, volume 4, part E,
    // 5.4.2).
    case .h4?:
      let flags = content.count > 2 ? bytes[start + 2] >> 4 & 3 : 0
      return .h4(bytes, content, microseconds: microseconds, isReceived: flags != 0)
    case .h4WithDirection?:
      guard content.count >= 4 else { return nil }
      let direction: UInt32? = bytes.integer(at: start, isBigEndian: true)
      return .h4(bytes, start + 4..<content.upperBound, microseconds: microseconds, isReceived: direction == 1)
    case .monitor?:
      guard content.count >= 4, let adapter: UInt16 = bytes.integer(at: start, isBigEndian: true),
        let code: UInt16 = bytes.integer(at: start + 2, isBigEndian: true)
      else { return nil }
      return .monitor(
        start + 4..<content.upperBound, microseconds: microseconds, adapter: Int(adapter), code: Int(code))
    case nil: return nil
    }
  }

  private static func microseconds(_ ticks: UInt64, _ interface: Interface) -> Int64 {
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: interface.ticksPerSecond)
    let product = rest.multipliedFullWidth(by: 1_000_000)
    let fraction = interface.ticksPerSecond.dividingFullWidth(product).quotient
    let whole = Int64(truncatingIfNeeded: seconds) &+ interface.offsetSeconds
    return whole &* 1_000_000 &+ Int64(truncatingIfNeeded: fraction)
  }

  /// A number in the section's byte order; 0 if it is truncated, which callers exclude.
  private func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: Span<UInt8>, _ offset: Int, as type: Value.Type
  ) -> Value {
    bytes.integer(at: offset, isBigEndian: isBigEndian, as: type) ?? 0
  }

  /// A truncated block ends the reading; its packet would have been the next.
  private mutating func stop(needed: Int, available: Int) {
    damages.append(
      CaptureDamage(
        record: packets + 1, offset: position.fileOffset, reason: .packet(needed: needed, available: available)))
    position.index += available
  }

  /// Records an incomplete packet as damage.
  private mutating func damage(_ body: Range<Int>, needed: Int, available: Int) {
    damages.append(
      CaptureDamage(
        record: packets, offset: position.fileOffset(of: body.lowerBound - 8),
        reason: .packet(needed: needed, available: available)))
  }
}
