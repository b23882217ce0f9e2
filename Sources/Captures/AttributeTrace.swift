import Sensors

/// Follows the Attribute Protocol of one connection: which handle is what, and which values were sent (Core
/// specification, volume 3, part F).
struct AttributeTrace {
  /// Characteristics that are looked for, by their 16-bit UUIDs.
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
    /// What the handle was known to be when the value was sent; nil where nothing was known of it.
    let characteristic: UInt16?
    let isNotification: Bool
    let bytes: ArraySlice<UInt8>
  }

  private enum Request {
    case readByType(UInt16)
    case read(UInt16)
  }

  private(set) var values: [Value] = []
  /// The characteristic of each handle that the capture tells of.
  private(set) var characteristics: [UInt16: UInt16] = [:]
  /// The request of each direction that is yet to be answered: of the host first, then of the peer.
  private var requests: (fromHost: Request?, fromPeer: Request?)

  /// Whether the capture tells the handle of the heart rate in this connection.
  var knowsHeartRate: Bool { characteristics.values.contains(Characteristic.heartRateMeasurement) }

  mutating func take(_ content: ArraySlice<UInt8>, microseconds: Int64, isReceived: Bool) {
    let parameters = content.dropFirst()
    switch content.first {
    case 0x1B, 0x1D:  // handle value notification, handle value indication
      guard let handle = parameters.uint16(at: 0) else { return }
      append(parameters.dropFirst(2), handle: handle, microseconds: microseconds)
    case 0x23:  // multiple handle value notification
      var rest = parameters
      while let handle = rest.uint16(at: 0), let length = rest.uint16(at: 2), rest.count >= 4 + Int(length) {
        append(rest.dropFirst(4).prefix(Int(length)), handle: handle, microseconds: microseconds)
        rest = rest.dropFirst(4 + Int(length))
      }
    case 0x08:  // read by type request: start, end, type
      setRequest(Self.uuid16(parameters.dropFirst(4)).map { .readByType($0) }, isReceived: isReceived)
    case 0x0A:  // read request: handle
      setRequest(parameters.uint16(at: 0).map { .read($0) }, isReceived: isReceived)
    case 0x05:  // find information response
      takeInformation(parameters)
    case 0x09:  // read by type response
      guard case .readByType(let type)? = takeRequest(answeredFromPeer: isReceived) else { return }
      takeTypes(parameters, type: type, microseconds: microseconds)
    case 0x0B:  // read response
      guard case .read(let handle)? = takeRequest(answeredFromPeer: isReceived) else { return }
      append(parameters, handle: handle, microseconds: microseconds, isNotification: false)
    case 0x01:  // error response
      _ = takeRequest(answeredFromPeer: isReceived)
    default: break
    }
  }

  private mutating func append(
    _ bytes: ArraySlice<UInt8>, handle: UInt16, microseconds: Int64, isNotification: Bool = true
  ) {
    values.append(
      Value(
        microseconds: microseconds, handle: handle, characteristic: characteristics[handle],
        isNotification: isNotification, bytes: bytes))
  }

  /// Handles with their types, 16 bits or 128 bits wide.
  private mutating func takeInformation(_ parameters: ArraySlice<UInt8>) {
    let width = parameters.first == 1 ? 4 : 18
    var rest = parameters.dropFirst()
    while rest.count >= width {
      if let handle = rest.uint16(at: 0), let uuid = Self.uuid16(rest.prefix(width).dropFirst(2)) {
        know(handle, as: uuid)
      }
      rest = rest.dropFirst(width)
    }
  }

  /// Characteristic declarations, or values of one type.
  private mutating func takeTypes(_ parameters: ArraySlice<UInt8>, type: UInt16, microseconds: Int64) {
    guard let width = parameters.first.map(Int.init), width >= 2 else { return }
    var rest = parameters.dropFirst()
    while rest.count >= width {
      let item = rest.prefix(width)
      if type == 0x2803 {
        // Declaration: its own handle, properties, the value's handle, the value's type.
        if let handle = item.uint16(at: 3), let uuid = Self.uuid16(item.dropFirst(5)) { know(handle, as: uuid) }
      } else if let handle = item.uint16(at: 0) {
        know(handle, as: type)
        append(item.dropFirst(2), handle: handle, microseconds: microseconds, isNotification: false)
      }
      rest = rest.dropFirst(width)
    }
  }

  private mutating func know(_ handle: UInt16, as uuid: UInt16) {
    characteristics[handle] = Characteristic.wanted.contains(uuid) ? uuid : nil
  }

  /// A 16-bit UUID, or a 128-bit one that stands for such (Core specification, volume 3, part B, 2.5.1).
  private static func uuid16(_ bytes: ArraySlice<UInt8>) -> UInt16? {
    if bytes.count == 2 { return bytes.uint16(at: 0) }
    let base: [UInt8] = [0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00]
    guard bytes.count == 16, bytes.starts(with: base), bytes.uint16(at: 14) == 0 else { return nil }
    return bytes.uint16(at: 12)
  }

  private mutating func setRequest(_ request: Request?, isReceived: Bool) {
    if isReceived { requests.fromPeer = request } else { requests.fromHost = request }
  }

  /// The request that an answer belongs to: the other side's.
  private mutating func takeRequest(answeredFromPeer: Bool) -> Request? {
    if answeredFromPeer { requests.fromHost.take() } else { requests.fromPeer.take() }
  }
}
