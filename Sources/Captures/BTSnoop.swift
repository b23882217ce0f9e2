/// btsnoop files: what `btmon -w`, Android and others write (RFC 1761 with Bluetooth's data links).
struct BTSnoop {
  static let magic = Array("btsnoop\0".utf8)
  /// Microseconds from the year 0, from which btsnoop counts, to 1970.
  static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000
  private static let headerLength = 16
  private static let recordHeaderLength = 24

  /// What a packet of the file is.
  enum DataLink: Int {
    case hci = 1001
    case h4 = 1002
    case monitor = 2001
  }

  private let bytes: ArraySlice<UInt8>
  private let dataLink: DataLink
  private(set) var packets = 0
  private(set) var damages = DamageList()
  /// Packets that the writer of the file says it dropped.
  private(set) var dropped = 0

  init(_ bytes: [UInt8]) throws(CaptureError) {
    self.bytes = bytes[...]
    guard let version = self.bytes.bigEndian(at: 8, bytes: 4), let code = self.bytes.bigEndian(at: 12, bytes: 4) else {
      let reason = CaptureDamage.Reason.packet(needed: Self.headerLength, available: bytes.count)
      throw .nothingReadable(CaptureDamage(record: 0, offset: 0, reason: reason))
    }
    guard version == 1 else { throw .unsupported(what: "btsnoop version", found: Int(version)) }
    guard let dataLink = DataLink(rawValue: Int(code)) else {
      throw .unsupported(what: "btsnoop data link", found: Int(code))
    }
    self.dataLink = dataLink
  }

  /// Gives every packet of interest in the order of the file, up to its end or the first record that is cut off.
  mutating func read(_ take: (HCIPacket) -> Void) {
    var position = Self.headerLength
    while position < bytes.count {
      let record = bytes[position...]
      guard let original = record.bigEndian(at: 0, bytes: 4), let included = record.bigEndian(at: 4, bytes: 4),
        let flags = record.bigEndian(at: 8, bytes: 4), let drops = record.bigEndian(at: 12, bytes: 4),
        let time = record.bigEndian(at: 16, bytes: 8)
      else { return note(position, needed: Self.recordHeaderLength, available: record.count) }
      let length = Self.recordHeaderLength + Int(included)
      guard length <= record.count else { return note(position, needed: length, available: record.count) }
      if original > included {
        // The writer kept only the packet's beginning.
        note(position, needed: Self.recordHeaderLength + Int(original), available: length)
      } else {
        let content = record[(position + Self.recordHeaderLength)..<(position + length)]
        let microseconds = Int64(bitPattern: time).subtractingReportingOverflow(Self.epoch).partialValue
        if let packet = packet(content, microseconds: microseconds, flags: Int(flags)) { take(packet) }
      }
      dropped = Int(drops)
      packets += 1
      position += length
    }
  }

  private func packet(_ content: ArraySlice<UInt8>, microseconds: Int64, flags: Int) -> HCIPacket? {
    switch dataLink {
    case .h4: .h4(content, microseconds: microseconds, isReceived: flags & 1 == 1)
    case .monitor: .monitor(content, microseconds: microseconds, adapter: flags >> 16, code: flags & 0xFFFF)
    case .hci:
      switch flags & 3 {
      case 0, 1:
        HCIPacket(microseconds: microseconds, adapter: 0, kind: .data(isReceived: flags & 1 == 1), bytes: content)
      case 3: HCIPacket(microseconds: microseconds, adapter: 0, kind: .event, bytes: content)
      default: nil
      }
    }
  }

  private mutating func note(_ position: Int, needed: Int, available: Int) {
    damages.append(
      CaptureDamage(
        record: packets + 1, offset: position, reason: .packet(needed: needed, available: available)))
  }
}
