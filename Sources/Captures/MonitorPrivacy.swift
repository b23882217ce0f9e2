/// Leaves keys, and data of other devices, out of a capture, since a bug report must not hold them.
///
/// The monitor shows everything that passes an adapter, including the strokes of a Bluetooth keyboard and the keys of every
/// link. Of data, only the Attribute Protocol of the requested sensors is written; of commands, only those without
/// parameters that could be a key. Omitted packets leave no trace: neither length nor time.
struct MonitorPrivacy {
  /// The sensors whose data may be written; nil allows the Attribute Protocol of all devices.
  private let sensors: Set<UInt64>?
  /// Whether the data of a link may be written; known for links whose connection was captured.
  private var links: [Link: Bool] = [:]
  /// Directions of links in which the frame in progress may be written.
  private var open: Set<Direction> = []

  private struct Link: Hashable {
    let adapter: UInt16
    let handle: UInt16
  }

  private struct Direction: Hashable {
    let link: Link
    let isReceived: Bool
  }

  init(sensors: Set<UInt64>?) {
    self.sensors = sensors
  }

  /// Whether this packet may be written. Packets must be passed in order, since connections and fragments are tracked.
  mutating func allows(_ packet: MonitorPacket) -> Bool {
    let bytes = packet.content.span
    switch packet.code {
    case 0, 1, 8, 9, 10: return true  // adapters that come, go, open, close, and who made them
    case 2: return Self.harmlessCommands.contains(bytes.uint16(at: 0) ?? 0)
    case 3: return allowsEvent(bytes, adapter: packet.adapter)
    case 4, 5: return allowsData(bytes, adapter: packet.adapter, isReceived: packet.code == 5)
    default: return false  // management, voice, and log messages of other programs
    }
  }

  /// Disconnect, Set Event Mask, Reset, LE scanning, connecting, connection update, and read remote features.
  private static let harmlessCommands: Set<UInt16> = [
    0x0406, 0x0C01, 0x0C03, 0x200B, 0x200C, 0x200D, 0x200E, 0x2013, 0x2016, 0x2041, 0x2042, 0x2043,
  ]

  private mutating func allowsEvent(_ event: Span<UInt8>, adapter: UInt16) -> Bool {
    let parameters = event.extracting(droppingFirst: min(2, event.count))
    switch event.byte(at: 0) {
    case 0x05:  // disconnection complete: status, handle, reason
      guard let handle = parameters.uint16(at: 1) else { return false }
      let link = Link(adapter: adapter, handle: handle & 0x0FFF)
      let isKnown = links[link] ?? (sensors == nil)
      if parameters.byte(at: 0) == 0 { links[link] = nil }
      return isKnown
    case 0x0F: return true  // command status
    case 0x13: return true  // number of completed packets
    case 0x3E:
      guard let subevent = parameters.byte(at: 0) else { return false }
      switch subevent {
      case 0x01, 0x0A, 0x29:  // connection complete: status, handle, role, type, address
        guard let handle = parameters.uint16(at: 2), let address = parameters.address(at: 6) else { return false }
        let isAllowed = sensors?.contains(address) ?? true
        if parameters.byte(at: 1) == 0 { links[Link(adapter: adapter, handle: handle & 0x0FFF)] = isAllowed }
        return isAllowed
      case 0x03, 0x04, 0x07:  // connection update, remote features, data length: status or handle only
        return sensors == nil
      default: return false  // advertisements of all the neighbourhood, keys
      }
    default: return false
    }
  }

  private mutating func allowsData(_ data: Span<UInt8>, adapter: UInt16, isReceived: Bool) -> Bool {
    guard let head = data.uint16(at: 0) else { return false }
    let link = Link(adapter: adapter, handle: head & 0x0FFF)
    guard links[link] ?? (sensors == nil) else { return false }
    let direction = Direction(link: link, isReceived: isReceived)
    if head >> 12 & 3 == 1 { return open.contains(direction) }
    // Channel 4 is the Attribute Protocol; channel 6 exchanges keys.
    let isAttribute = data.uint16(at: 6) == 4
    if isAttribute { open.insert(direction) } else { open.remove(direction) }
    return isAttribute
  }
}

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
