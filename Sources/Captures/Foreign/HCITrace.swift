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
  /// The present connection of each handle of an adapter.
  private var current: [Link: Int] = [:]
  /// The connection that carried data last: usually the next data is of the same one.
  private var last: (link: Link, index: Int)?

  private struct Link: Hashable {
    let adapter: Int
    let handle: UInt16
  }

  /// The number of values that are kept.
  var valueCount: Int { connections.reduce(0) { $0 + $1.attributes.values.count } }

  /// Handles a packet; `bytes` are the part of the file that it is in.
  mutating func handle(_ packet: HCIPacket, _ bytes: Span<UInt8>) {
    switch packet.kind {
    case .data(let isReceived): handleData(packet, bytes, isReceived: isReceived)
    case .event: handleEvent(packet, bytes.extracting(packet.range))
    case .adapterGone:
      for link in current.keys where link.adapter == packet.adapter {
        end(link, microseconds: packet.microseconds, reason: "adapter gone")
      }
    }
  }

  /// ACL data: handle and flags, length, data (Core specification, volume 4, part E, 5.4.2).
  private mutating func handleData(_ packet: HCIPacket, _ bytes: Span<UInt8>, isReceived: Bool) {
    let start = packet.range.lowerBound
    guard packet.range.count >= 4, let head = bytes.uint16(at: start), let length = bytes.uint16(at: start + 2) else {
      return
    }
    let end = start + 4 + Int(length)
    guard end <= packet.range.upperBound else { return }
    let index = connection(Link(adapter: packet.adapter, handle: head & 0x0FFF))
    let isContinuation = head >> 12 & 3 == 1
    let frame =
      isReceived
      ? connections[index].fromPeer.append(bytes, start + 4..<end, isContinuation: isContinuation)
      : connections[index].fromHost.append(bytes, start + 4..<end, isContinuation: isContinuation)
    switch frame {
    case .inPlace(channel: 4, let range)?:
      connections[index].attributes.handle(
        bytes.extracting(range), microseconds: packet.microseconds, isReceived: isReceived)
    case .assembled(channel: 4, let whole)?:
      connections[index].attributes.handle(
        whole.span.extracting(droppingFirst: 4), microseconds: packet.microseconds, isReceived: isReceived)
    default: break
    }
  }

  /// Events: code, length, parameters (Core specification, volume 4, part E, 5.4.4 and 7.7).
  private mutating func handleEvent(_ packet: HCIPacket, _ event: Span<UInt8>) {
    guard event.count >= 2, event.count - 2 >= Int(event[1]) else { return }
    let parameters = event.extracting(droppingFirst: 2)
    switch event[0] {
    case 0x03:  // connection complete: status, handle, address
      guard parameters.byte(at: 0) == 0 else { return }
      begin(packet, handle: parameters.uint16(at: 1), address: parameters.address(at: 3))
    case 0x05:  // disconnection complete: status, handle, reason
      guard parameters.byte(at: 0) == 0, let handle = parameters.uint16(at: 1), let reason = parameters.byte(at: 3)
      else { return }
      let link = Link(adapter: packet.adapter, handle: handle & 0x0FFF)
      end(link, microseconds: packet.microseconds, reason: DisconnectionReason.text(reason))
    case 0x3E:  // LE meta: subevent; in the forms of connection complete then status, handle, role, type, address
      guard let subevent = parameters.byte(at: 0), [0x01, 0x0A, 0x29].contains(subevent), parameters.byte(at: 1) == 0
      else { return }
      begin(packet, handle: parameters.uint16(at: 2), address: parameters.address(at: 6))
    default: break
    }
  }

  private mutating func begin(_ packet: HCIPacket, handle: UInt16?, address: UInt64?) {
    guard let handle, let address = address.flatMap(SensorAddress.init(bits:)) else { return }
    let link = Link(adapter: packet.adapter, handle: handle & 0x0FFF)
    // Its end is not in the capture.
    end(link, microseconds: packet.microseconds, reason: nil)
    current[link] = connections.count
    connections.append(Connection(handle: link.handle, address: address, connected: packet.microseconds))
  }

  private mutating func end(_ link: Link, microseconds: Int64, reason: String?) {
    last = nil
    guard let index = current.removeValue(forKey: link) else { return }
    connections[index].disconnected = (microseconds, reason)
  }

  private mutating func connection(_ link: Link) -> Int {
    if let last, last.link == link { return last.index }
    let index = current[link] ?? connections.count
    if index == connections.count {
      current[link] = index
      connections.append(Connection(handle: link.handle, address: nil, connected: nil))
    }
    last = (link, index)
    return index
  }
}
