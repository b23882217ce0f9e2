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
