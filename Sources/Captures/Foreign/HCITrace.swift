import Sensors

/// Follows the packets between host and controller: the connections, their sensors and their data.
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

  /// The connections, in the order of their first packets.
  private(set) var connections: [Connection] = []
  /// The present connection of each handle of an adapter.
  private var current: [Link: Int] = [:]
  /// The connection that carried data last: usually the next data is of the same one.
  private var last: (link: Link, index: Int)?

  private struct Link: Hashable {
    let adapter: Int
    let handle: UInt16
  }

  /// The number of values so far.
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
    // The end of the handle's earlier connection is not in the capture.
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

/// Reassembles the fragments of one direction of a connection to L2CAP frames (Core specification, volume 3, part A).
struct L2CAPReassembly {
  private static let headerLength = 4
  private var fragments: [UInt8] = []
  private var isOpen = false

  /// A complete frame: its channel and its content.
  enum Frame {
    /// The frame is contiguous in the file, at this range.
    case inPlace(channel: UInt16, Range<Int>)
    /// The frame was reassembled: its bytes with the four bytes of its header.
    case assembled(channel: UInt16, [UInt8])
  }

  /// Appends the data of one ACL packet, at `range` of the file's bytes. Returns the frame that it completes.
  mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>, isContinuation: Bool) -> Frame? {
    if isContinuation {
      // Fragments without the beginning of their frame are dropped.
      guard isOpen else { return nil }
      fragments += bytes.array(range)
      guard let (channel, end) = Self.whole(fragments.span, 0..<fragments.count) else { return nil }
      isOpen = false
      return .assembled(channel: channel, Array(fragments[..<end]))
    }
    if let (channel, end) = Self.whole(bytes, range) {
      isOpen = false
      return .inPlace(channel: channel, range.lowerBound + Self.headerLength..<end)
    }
    fragments = bytes.array(range)
    isOpen = true
    return nil
  }

  /// The channel and end of the frame at the beginning of `range`; nil if it is incomplete.
  private static func whole(_ bytes: Span<UInt8>, _ range: Range<Int>) -> (channel: UInt16, end: Int)? {
    guard range.count >= headerLength, let length = bytes.uint16(at: range.lowerBound),
      let channel = bytes.uint16(at: range.lowerBound + 2)
    else { return nil }
    let end = range.lowerBound + headerLength + Int(length)
    return end <= range.upperBound ? (channel, end) : nil
  }
}

/// The reason for which a link ended, in the words of the Core specification, volume 1, part F.
enum DisconnectionReason {
  static func text(_ code: UInt8) -> String {
    let hexadecimal = String(code, radix: 16, uppercase: true)
    let number = "0x\(code < 16 ? "0" : "")\(hexadecimal)"
    return words[code].map { "\($0) (\(number))" } ?? number
  }

  private static let words: [UInt8: String] = [
    0x05: "authentication failure",
    0x08: "connection timeout",
    0x13: "remote user terminated connection",
    0x14: "remote device terminated connection due to low resources",
    0x15: "remote device terminated connection due to power off",
    0x16: "connection terminated by local host",
    0x1F: "unspecified error",
    0x22: "LL response timeout",
    0x28: "instant passed",
    0x29: "pairing with unit key not supported",
    0x3B: "unacceptable connection parameters",
    0x3D: "connection terminated due to MIC failure",
    0x3E: "connection failed to be established",
  ]
}
