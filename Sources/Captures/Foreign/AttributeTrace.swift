import Timeline

/// Follows the Attribute Protocol of one connection: the characteristic of each handle, and the values sent (Core
/// specification, volume 3, part F).
struct AttributeTrace {
  /// The characteristics of interest, by their 16-bit UUIDs.
  enum Characteristic {
    static let heartRateMeasurement: UInt16 = 0x2A37
    static let deviceName: UInt16 = 0x2A00
    static let batteryLevel: UInt16 = 0x2A19
    static let bodySensorLocation: UInt16 = 0x2A38
    static let wanted: Set<UInt16> = Set(
      [heartRateMeasurement, deviceName, batteryLevel, bodySensorLocation]
        + DeviceInformationField.allCases.map(\.rawValue))
  }

  /// A value that the sensor sent.
  struct Value {
    let microseconds: Int64
    let handle: UInt16
    /// The characteristic of the handle when the value was sent; nil if it was not known.
    let characteristic: UInt16?
    let isNotification: Bool
    let bytes: [UInt8]
  }

  private enum Request {
    case readByType(UInt16)
    case read(UInt16)
  }

  private(set) var values: [Value] = []
  /// The characteristic of each handle, as far as the capture shows it.
  private(set) var characteristics: [UInt16: UInt16] = [:]
  /// The handle of the last value and its characteristic: usually the next value has the same.
  private var last: (handle: UInt16, characteristic: UInt16?)?
  /// The pending request of each direction: of the host, and of the peer.
  private var requests: (fromHost: Request?, fromPeer: Request?)

  /// Whether the capture shows the handle of the heart rate in this connection.
  var knowsHeartRate: Bool { characteristics.values.contains(Characteristic.heartRateMeasurement) }

  /// Handles a message, which begins with its opcode.
  mutating func handle(_ message: Span<UInt8>, microseconds: Int64, isReceived: Bool) {
    switch message.byte(at: 0) {
    case 0x1B, 0x1D:  // handle value notification, handle value indication
      guard let handle = message.uint16(at: 1) else { return }
      append(message, 3..<message.count, handle: handle, microseconds: microseconds)
    case 0x23:  // multiple handle value notification
      var start = 1
      while let handle = message.uint16(at: start), let length = message.uint16(at: start + 2).map(Int.init),
        message.count - start - 4 >= length
      {
        append(message, start + 4..<start + 4 + length, handle: handle, microseconds: microseconds)
        start += 4 + length
      }
    case 0x08:  // read by type request: start, end, type
      setRequest(Self.uuid16(message, 5..<max(5, message.count)).map { .readByType($0) }, isReceived: isReceived)
    case 0x0A:  // read request: handle
      setRequest(message.uint16(at: 1).map { .read($0) }, isReceived: isReceived)
    case 0x05:  // find information response
      decodeInformation(message)
    case 0x09:  // read by type response
      guard case .readByType(let type)? = removeRequest(answeredFromPeer: isReceived) else { return }
      decodeTypes(message, type: type, microseconds: microseconds)
    case 0x0B:  // read response
      guard case .read(let handle)? = removeRequest(answeredFromPeer: isReceived) else { return }
      append(message, 1..<message.count, handle: handle, microseconds: microseconds, isNotification: false)
    case 0x01:  // error response
      _ = removeRequest(answeredFromPeer: isReceived)
    default: break
    }
  }

  private mutating func append(
    _ message: Span<UInt8>, _ range: Range<Int>, handle: UInt16, microseconds: Int64, isNotification: Bool = true
  ) {
    if last?.handle != handle { last = (handle, characteristics[handle]) }
    values.append(
      Value(
        microseconds: microseconds, handle: handle, characteristic: last?.characteristic,
        isNotification: isNotification, bytes: message.array(range)))
  }

  /// Handles with their types, 16 bits or 128 bits wide.
  private mutating func decodeInformation(_ message: Span<UInt8>) {
    let width = message.byte(at: 1) == 1 ? 4 : 18
    for start in stride(from: 2, through: message.count - width, by: width) {
      if let handle = message.uint16(at: start), let uuid = Self.uuid16(message, start + 2..<start + width) {
        know(handle, as: uuid)
      }
    }
  }

  /// Characteristic declarations, or values of one type.
  private mutating func decodeTypes(_ message: Span<UInt8>, type: UInt16, microseconds: Int64) {
    guard let width = message.byte(at: 1).map(Int.init), width >= 2 else { return }
    for start in stride(from: 2, through: message.count - width, by: width) {
      if type == 0x2803 {
        // Declaration: its own handle, properties, the value's handle, the value's type.
        guard width > 5, let handle = message.uint16(at: start + 3),
          let uuid = Self.uuid16(message, start + 5..<start + width)
        else { continue }
        know(handle, as: uuid)
      } else if let handle = message.uint16(at: start) {
        know(handle, as: type)
        append(
          message, start + 2..<start + width, handle: handle, microseconds: microseconds, isNotification: false)
      }
    }
  }

  private mutating func know(_ handle: UInt16, as uuid: UInt16) {
    last = nil
    characteristics[handle] = Characteristic.wanted.contains(uuid) ? uuid : nil
  }

  /// A 16-bit UUID, or a 128-bit one that stands for such (Core specification, volume 3, part B, 2.5.1).
  private static func uuid16(_ message: Span<UInt8>, _ range: Range<Int>) -> UInt16? {
    if range.count == 2 { return message.uint16(at: range.lowerBound) }
    let base: [UInt8] = [0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00]
    let start = range.lowerBound
    guard range.count == 16, message.array(start..<start + 12) == base, message.uint16(at: start + 14) == 0 else {
      return nil
    }
    return message.uint16(at: start + 12)
  }

  private mutating func setRequest(_ request: Request?, isReceived: Bool) {
    if isReceived { requests.fromPeer = request } else { requests.fromHost = request }
  }

  /// Removes and returns the request that an answer belongs to: the other side's.
  private mutating func removeRequest(answeredFromPeer: Bool) -> Request? {
    if answeredFromPeer { requests.fromHost.take() } else { requests.fromPeer.take() }
  }
}
