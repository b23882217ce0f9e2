/// The place at which a sensor is meant to be worn: the value of characteristic 2A38 (Heart Rate Service 1.0, section
/// 3.2).
public enum BodySensorLocation: UInt8, Hashable, Sendable, CaseIterable {
  case other = 0
  case chest = 1
  case wrist = 2
  case finger = 3
  case hand = 4
  case earLobe = 5
  case foot = 6

  /// Reads a 2A38 value. Its first byte counts, bytes after it are ignored.
  public init(decoding bytes: [UInt8]) throws(DecodingError) {
    guard let byte = bytes.first else { throw .empty }
    guard let location = BodySensorLocation(rawValue: byte) else { throw .reserved(byte) }
    self = location
  }

  /// The value as a sensor answers a read.
  public func encoded() -> [UInt8] {
    [rawValue]
  }

  /// The reason for which a 2A38 value cannot be decoded.
  public enum DecodingError: Error, Hashable, Sendable {
    /// The value has no byte at all.
    case empty
    /// The byte is 7 or more, which has no meaning yet.
    case reserved(UInt8)
  }
}

/// A command that can be written to the Heart Rate Control Point (2A39). Sensors that do not measure energy lack this
/// characteristic.
///
/// Source: Bluetooth SIG, Heart Rate Service 1.0, section 3.3.
public enum HeartRateControlPoint: UInt8, Hashable, Sendable, CaseIterable {
  /// Sets the energy expended back to 0.
  case resetEnergyExpended = 0x01

  /// Reads what a collector wrote, as a sensor does.
  public init(decoding bytes: [UInt8]) throws(DecodingError) {
    guard bytes.count == 1 else { throw .invalidLength(bytes.count) }
    guard let command = HeartRateControlPoint(rawValue: bytes[0]) else { throw .valueNotSupported(bytes[0]) }
    self = command
  }

  /// The bytes to write.
  public func encoded() -> [UInt8] {
    [rawValue]
  }

  /// The reason for which a sensor refuses a write, with the code of its answer.
  public enum DecodingError: Error, Hashable, Sendable {
    /// A command is one byte; this many were written.
    case invalidLength(Int)
    /// No command has this value.
    case valueNotSupported(UInt8)

    /// The ATT error code of the answer: 0x0D "invalid attribute value length" (Core, Vol 3, Part F, 3.4.1.1), or the
    /// service's own 0x80 "control point not supported" (Heart Rate Service 1.0, section 2.4).
    public var attErrorCode: UInt8 {
      switch self {
      case .invalidLength: 0x0D
      case .valueNotSupported: 0x80
      }
    }
  }
}
