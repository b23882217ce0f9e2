/// btsnoop files, as `btmon -w`, Android and others write them (RFC 1761 with Bluetooth's data links).
struct BTSnoop {
  static let magic = Array("btsnoop\0".utf8)
  /// Microseconds from the year 0, where btsnoop times begin, to 1970.
  static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000
  static let headerLength = 16
  static let recordHeaderLength = 24

  /// The content of a file's packets.
  enum DataLink: UInt32 {
    case hci = 1001
    case h4 = 1002
    case monitor = 2001
  }

  private let dataLink: DataLink
  private var position = Self.headerLength
  private(set) var packets = 0
  private(set) var damages = DamageList()
  /// Packets that the file's writer reports as dropped.
  private(set) var dropped = 0

  /// Reads the first 16 bytes. Pass the same bytes to ``next(_:)``.
  init(_ bytes: Span<UInt8>) throws(CaptureError) {
    guard let version: UInt32 = bytes.integer(at: 8, isBigEndian: true),
      let code: UInt32 = bytes.integer(at: 12, isBigEndian: true)
    else {
      let reason = CaptureDamage.Reason.packet(needed: Self.headerLength, available: bytes.count)
      throw .nothingReadable(CaptureDamage(record: 0, offset: 0, reason: reason))
    }
    guard version == 1 else { throw .unsupported(what: "btsnoop version", found: Int(version)) }
    guard let dataLink = DataLink(rawValue: code) else {
      throw .unsupported(what: "btsnoop data link", found: Int(code))
    }
    self.dataLink = dataLink
  }

  /// The next packet of interest; nil at the end of the file and at a truncated record.
  mutating func next(_ bytes: Span<UInt8>) -> HCIPacket? {
    while position < bytes.count {
      let available = bytes.count - position
      guard available >= Self.recordHeaderLength,
        let original: UInt32 = bytes.integer(at: position, isBigEndian: true),
        let included: UInt32 = bytes.integer(at: position + 4, isBigEndian: true),
        let flags: UInt32 = bytes.integer(at: position + 8, isBigEndian: true),
        let drops: UInt32 = bytes.integer(at: position + 12, isBigEndian: true),
        let time: Int64 = bytes.integer(at: position + 16, isBigEndian: true)
      else {
        stop(at: bytes.count, needed: Self.recordHeaderLength, available: available)
        return nil
      }
      let length = Self.recordHeaderLength + Int(included)
      guard length <= available else {
        stop(at: bytes.count, needed: length, available: available)
        return nil
      }
      let range = position + Self.recordHeaderLength..<position + length
      if original > included {
        // The file has only the packet's beginning.
        note(needed: Self.recordHeaderLength + Int(original), available: length)
      }
      dropped = Int(drops)
      packets += 1
      position += length
      let microseconds = time.subtractingReportingOverflow(Self.epoch).partialValue
      if original <= included, let packet = packet(bytes, range, microseconds: microseconds, flags: Int(flags)) {
        return packet
      }
    }
    return nil
  }

  private func packet(_ bytes: Span<UInt8>, _ range: Range<Int>, microseconds: Int64, flags: Int) -> HCIPacket? {
    switch dataLink {
    case .h4: .h4(bytes, range, microseconds: microseconds, isReceived: flags & 1 == 1)
    case .monitor: .monitor(range, microseconds: microseconds, adapter: flags >> 16, code: flags & 0xFFFF)
    case .hci:
      switch flags & 3 {
      case 0, 1:
        HCIPacket(microseconds: microseconds, adapter: 0, kind: .data(isReceived: flags & 1 == 1), range: range)
      case 3: HCIPacket(microseconds: microseconds, adapter: 0, kind: .event, range: range)
      default: nil
      }
    }
  }

  private mutating func stop(at end: Int, needed: Int, available: Int) {
    note(needed: needed, available: available)
    position = end
  }

  private mutating func note(needed: Int, available: Int) {
    damages.append(
      CaptureDamage(
        record: packets + 1, offset: position, reason: .packet(needed: needed, available: available)))
  }
}
