import Sensors

/// Follows the packets between host and controller: which connections there were, to whom, and what they carried.
struct HCITrace {
  /// One connection from its beginning, or the capture's, to its end, or the capture's.
  struct Connection {
    let handle: UInt16
    /// Nil where the connection is older than the capture.
    let address: SensorAddress?
    let connected: Int64?
    var disconnected: (microseconds: Int64, reason: String?)?
    var attributes = AttributeTrace()
    fileprivate var fromHost = L2CAPReassembly()
    fileprivate var fromPeer = L2CAPReassembly()
  }

  /// In the order of their first packets.
  private(set) var connections: [Connection] = []
  /// The connection that a handle of an adapter means now.
  private var current: [Link: Int] = [:]

  private struct Link: Hashable {
    let adapter: Int
    let handle: UInt16
  }

  mutating func take(_ packet: HCIPacket) {
    switch packet.kind {
    case .data(let isReceived): takeData(packet, isReceived: isReceived)
    case .event: takeEvent(packet)
    case .adapterGone:
      for link in current.keys where link.adapter == packet.adapter {
        end(link, microseconds: packet.microseconds, reason: "adapter gone")
      }
    }
  }

  /// ACL data: handle and flags, length, data (Core specification, volume 4, part E, 5.4.2).
  private mutating func takeData(_ packet: HCIPacket, isReceived: Bool) {
    guard let head = packet.bytes.uint16(at: 0), let length = packet.bytes.uint16(at: 2) else { return }
    let data = packet.bytes.dropFirst(4)
    guard data.count >= Int(length) else { return }
    let index = connection(Link(adapter: packet.adapter, handle: head & 0x0FFF))
    let isContinuation = head >> 12 & 3 == 1
    let frame =
      isReceived
      ? connections[index].fromPeer.take(data.prefix(Int(length)), isContinuation: isContinuation)
      : connections[index].fromHost.take(data.prefix(Int(length)), isContinuation: isContinuation)
    guard let frame, frame.channel == 4 else { return }
    connections[index].attributes.take(frame.content, microseconds: packet.microseconds, isReceived: isReceived)
  }

  /// Events: code, length, parameters (Core specification, volume 4, part E, 5.4.4 and 7.7).
  private mutating func takeEvent(_ packet: HCIPacket) {
    let parameters = packet.bytes.dropFirst(2)
    guard let code = packet.bytes.first, let length = packet.bytes.byte(at: 1), parameters.count >= Int(length) else {
      return
    }
    switch code {
    case 0x03:  // connection complete: status, handle, address
      begin(
        packet, handle: parameters.uint16(at: 1), address: parameters.littleEndian(at: 3, bytes: 6), parameters.first)
    case 0x05:  // disconnection complete: status, handle, reason
      guard parameters.first == 0, let handle = parameters.uint16(at: 1), let reason = parameters.byte(at: 3) else {
        return
      }
      let link = Link(adapter: packet.adapter, handle: handle & 0x0FFF)
      end(link, microseconds: packet.microseconds, reason: DisconnectionReason.text(reason))
    case 0x3E:  // LE meta: subevent, then for the three forms of connection complete: status, handle, role, type, address
      guard let subevent = parameters.first, [0x01, 0x0A, 0x29].contains(subevent) else { return }
      let address = parameters.littleEndian(at: 6, bytes: 6)
      begin(packet, handle: parameters.uint16(at: 2), address: address, parameters.byte(at: 1))
    default: break
    }
  }

  private mutating func begin(_ packet: HCIPacket, handle: UInt16?, address: UInt64?, _ status: UInt8?) {
    guard status == 0, let handle, let address = address.flatMap(SensorAddress.init(bits:)) else { return }
    let link = Link(adapter: packet.adapter, handle: handle & 0x0FFF)
    // Its end is not in the capture.
    end(link, microseconds: packet.microseconds, reason: nil)
    current[link] = connections.count
    connections.append(Connection(handle: link.handle, address: address, connected: packet.microseconds))
  }

  private mutating func end(_ link: Link, microseconds: Int64, reason: String?) {
    guard let index = current.removeValue(forKey: link) else { return }
    connections[index].disconnected = (microseconds, reason)
  }

  private mutating func connection(_ link: Link) -> Int {
    if let index = current[link] { return index }
    current[link] = connections.count
    connections.append(Connection(handle: link.handle, address: nil, connected: nil))
    return connections.count - 1
  }
}
