/// A packet of the kernel's monitor channel: code, adapter, length, content (BlueZ, monitor/bt.h and lib/hci.h).
struct MonitorPacket: Hashable {
  let code: UInt16
  let adapter: UInt16
  let content: [UInt8]

  /// Decodes the bytes of one recv(2); nil if the packet is incomplete.
  init?(_ bytes: Span<UInt8>) {
    guard let code = bytes.uint16(at: 0), let adapter = bytes.uint16(at: 2), let length = bytes.uint16(at: 4),
      bytes.count - 6 >= Int(length)
    else { return nil }
    self.code = code
    self.adapter = adapter
    content = bytes.array(6..<6 + Int(length))
  }
}
