/// Where the sensor is meant to be worn: the value of characteristic 2A38 (Heart Rate Service 1.0, section 3.2).
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

  /// Why a 2A38 value cannot be decoded.
  public enum DecodingError: Error, Hashable, Sendable {
    /// There is no byte at all.
    case empty
    /// The byte is 7 or more, which has no meaning yet.
    case reserved(UInt8)
  }
}
