/// pcapng files (draft-ietf-opsawg-pcapng) with Bluetooth packets, as Wireshark and tcpdump write them.
struct PCAPNG {
  static let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
  private static let blockOverhead = 12

  /// What a packet of an interface is (tcpdump.org, link-layer header types).
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

  private let bytes: ArraySlice<UInt8>
  private var isBigEndian = false
  private var interfaces: [Interface] = []
  private(set) var packets = 0
  private(set) var damages = DamageList()
  /// A link type that was met and is not understood.
  private(set) var unsupportedLinkType: Int?
  /// Whether an interface was met whose packets are understood.
  private(set) var hasBluetooth = false

  init(_ bytes: [UInt8]) {
    self.bytes = bytes[...]
  }

  /// Gives every packet of interest in the order of the file, up to its end or the first block that is cut off.
  mutating func read(_ take: (HCIPacket) -> Void) {
    var position = 0
    while position < bytes.count {
      let rest = bytes[position...]
      if rest.starts(with: Self.magic) {
        guard let order = rest.bigEndian(at: 8, bytes: 4) else {
          return note(position, needed: Self.blockOverhead, available: rest.count)
        }
        isBigEndian = order == 0x1A2B_3C4D
        interfaces = []
      }
      guard let type = integer(rest, 0, 4), let length = integer(rest, 4, 4).map(Int.init) else {
        return note(position, needed: Self.blockOverhead, available: rest.count)
      }
      guard length >= Self.blockOverhead, length % 4 == 0, length <= rest.count else {
        return note(position, needed: max(length, Self.blockOverhead), available: rest.count)
      }
      let body = rest[(position + 8)..<(position + length - 4)]
      switch type {
      case 1: addInterface(body)
      case 2: packet(body, interface: integer(body, 0, 2), at: position, take)
      case 6: packet(body, interface: integer(body, 0, 4), at: position, take)
      case 3: packets += 1  // A simple packet has no time.
      default: break
      }
      position += length
    }
  }

  private mutating func addInterface(_ body: ArraySlice<UInt8>) {
    let code = integer(body, 0, 2).map(Int.init) ?? 0
    var interface = Interface(linkType: LinkType(rawValue: code))
    if interface.linkType == nil { unsupportedLinkType = code } else { hasBluetooth = true }
    var options = body.dropFirst(8)
    while let code = integer(options, 0, 2), let length = integer(options, 2, 2).map(Int.init), code != 0 {
      let value = options.dropFirst(4).prefix(length)
      switch code {
      case 9: interface.ticksPerSecond = value.first.flatMap(Self.ticksPerSecond) ?? 1_000_000
      case 14: interface.offsetSeconds = Int64(bitPattern: integer(value, 0, 8) ?? 0)
      default: break
      }
      options = options.dropFirst(4 + (length + 3) / 4 * 4)
    }
    interfaces.append(interface)
  }

  /// The resolution of times: a negative power of ten, or of two where the highest bit is set. Nil above 10⁻¹⁸ and 2⁻⁶².
  private static func ticksPerSecond(_ code: UInt8) -> UInt64? {
    let exponent = Int(code & 0x7F)
    if code & 0x80 != 0 { return exponent <= 62 ? 1 << exponent : nil }
    return exponent <= 18 ? (0..<exponent).reduce(1) { value, _ in value * 10 } : nil
  }

  /// Enhanced packet blocks and the packet blocks before them differ only in the interface's width.
  private mutating func packet(
    _ body: ArraySlice<UInt8>, interface: UInt64?, at position: Int, _ take: (HCIPacket) -> Void
  ) {
    packets += 1
    guard let interface, let high = integer(body, 4, 4), let low = integer(body, 8, 4),
      let included = integer(body, 12, 4).map(Int.init), let original = integer(body, 16, 4).map(Int.init),
      body.count - 20 >= included, interface < interfaces.count
    else { return damage(position, needed: 20, available: body.count) }
    guard original <= included else { return damage(position, needed: original, available: included) }
    let source = interfaces[Int(interface)]
    let content = body.dropFirst(20).prefix(included)
    let microseconds = Self.microseconds(high << 32 | low, source)
    if let packet = Self.packet(content, source.linkType, microseconds) { take(packet) }
  }

  private static func packet(
    _ content: ArraySlice<UInt8>, _ linkType: LinkType?, _ microseconds: Int64
  ) -> HCIPacket? {
    switch linkType {
    // Without a direction. A host begins its data with other flags than a controller (Core, volume 4, part E, 5.4.2).
    case .h4:
      .h4(content, microseconds: microseconds, isReceived: (content.byte(at: 2) ?? 0) >> 4 & 3 != 0)
    case .h4WithDirection:
      .h4(content.dropFirst(4), microseconds: microseconds, isReceived: content.bigEndian(at: 0, bytes: 4) == 1)
    case .monitor:
      if let adapter = content.bigEndian(at: 0, bytes: 2), let code = content.bigEndian(at: 2, bytes: 2) {
        .monitor(content.dropFirst(4), microseconds: microseconds, adapter: Int(adapter), code: Int(code))
      } else {
        nil
      }
    case nil: nil
    }
  }

  private static func microseconds(_ ticks: UInt64, _ interface: Interface) -> Int64 {
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: interface.ticksPerSecond)
    let product = rest.multipliedFullWidth(by: 1_000_000)
    let fraction = interface.ticksPerSecond.dividingFullWidth(product).quotient
    let whole = Int64(truncatingIfNeeded: seconds) &+ interface.offsetSeconds
    return whole &* 1_000_000 &+ Int64(truncatingIfNeeded: fraction)
  }

  private func integer(_ bytes: ArraySlice<UInt8>, _ offset: Int, _ count: Int) -> UInt64? {
    isBigEndian ? bytes.bigEndian(at: offset, bytes: count) : bytes.littleEndian(at: offset, bytes: count)
  }

  /// A block that is cut off, with which the reading ends: its packet would have been the next.
  private mutating func note(_ position: Int, needed: Int, available: Int) {
    damages.append(
      CaptureDamage(record: packets + 1, offset: position, reason: .packet(needed: needed, available: available)))
  }

  /// A packet that is not whole.
  private mutating func damage(_ position: Int, needed: Int, available: Int) {
    damages.append(
      CaptureDamage(record: packets, offset: position, reason: .packet(needed: needed, available: available)))
  }
}
