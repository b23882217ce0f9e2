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
  /// The start of the next record.
  var position: ReadingPosition
  private(set) var packets = 0
  private(set) var damages = DamageList()
  /// Packets that the file's writer reports as dropped.
  private(set) var dropped = 0

  /// Reads the first 16 bytes of a file of `fileLength` bytes. Pass the same part of it to ``next(_:)``.
  init(_ bytes: Span<UInt8>, fileLength: Int) throws(CaptureError) {
    position = ReadingPosition(index: Self.headerLength, fileLength: fileLength)
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

  /// The next packet of interest in this part of the file; nil where the next record is not all in it, where a record is
  /// truncated, and at the end.
  mutating func next(_ bytes: Span<UInt8>) -> HCIPacket? {
    while position.remaining > 0 {
      let start = position.index
      let available = position.remaining
      guard available >= Self.recordHeaderLength else {
        stop(needed: Self.recordHeaderLength, available: available)
        return nil
      }
      guard let original: UInt32 = bytes.integer(at: start, isBigEndian: true),
        let included: UInt32 = bytes.integer(at: start + 4, isBigEndian: true),
        let flags: UInt32 = bytes.integer(at: start + 8, isBigEndian: true),
        let drops: UInt32 = bytes.integer(at: start + 12, isBigEndian: true),
        let time: Int64 = bytes.integer(at: start + 16, isBigEndian: true)
      else {
        position.needed = Self.recordHeaderLength
        return nil
      }
      let length = Self.recordHeaderLength + Int(included)
      guard length <= min(available, FileWindow.greatestRecord) else {
        stop(needed: length, available: available)
        return nil
      }
      guard bytes.count - start >= length else {
        position.needed = length
        return nil
      }
      let range = start + Self.recordHeaderLength..<start + length
      if original > included {
        // The file has only the packet's beginning.
        note(needed: Self.recordHeaderLength + Int(original), available: length)
      }
      dropped = Int(drops)
      packets += 1
      position.index += length
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

  /// Ends the reading: no record can be read from here on.
  private mutating func stop(needed: Int, available: Int) {
    note(needed: needed, available: available)
    position.index += available
  }

  private mutating func note(needed: Int, available: Int) {
    damages.append(
      CaptureDamage(
        record: packets + 1, offset: position.fileOffset, reason: .packet(needed: needed, available: available)))
  }
}

/// Writes btsnoop files of the Linux monitor's form, which `btmon -r`, Wireshark and `sensord replay` read.
enum BTSnoopEncoder {
  /// The first 16 bytes of a file.
  static let header = BTSnoop.magic + bigEndian(UInt32(1)) + bigEndian(BTSnoop.DataLink.monitor.rawValue)

  /// Appends the record of one packet to `bytes`.
  static func append(_ packet: MonitorPacket, microseconds: Int64, dropped: UInt32, to bytes: inout [UInt8]) {
    let length = bigEndian(UInt32(packet.content.count))
    bytes += length
    bytes += length
    bytes += bigEndian(UInt32(packet.adapter) << 16 | UInt32(packet.code))
    bytes += bigEndian(dropped)
    bytes += bigEndian(microseconds &+ BTSnoop.epoch)
    bytes += packet.content
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
