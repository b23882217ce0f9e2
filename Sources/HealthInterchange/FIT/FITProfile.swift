internal import HealthModel

/// The numbers of FIT's profile that are written or understood here.
enum FITProfile {
  /// Seconds from 1970 to FIT's epoch, 1989-12-31 00:00:00 UTC.
  static let epoch: Int64 = 631_065_600

  /// The greatest rate: 255 means "no rate".
  static let greatestRate: UInt16 = 254

  /// Global message numbers.
  enum Message {
    static let fileIdentifier: UInt16 = 0
    static let session: UInt16 = 18
    static let lap: UInt16 = 19
    static let record: UInt16 = 20
    static let event: UInt16 = 21
    static let deviceInformation: UInt16 = 23
    static let activity: UInt16 = 34
    static let fileCreator: UInt16 = 49
    static let monitoring: UInt16 = 55
    static let variability: UInt16 = 78
    static let monitoringInformation: UInt16 = 103
    static let length: UInt16 = 101
    static let storedBeats: UInt16 = 132
    static let developerField: UInt16 = 206
    static let developer: UInt16 = 207
  }

  /// Base types with the sizes of their elements.
  enum Base: UInt8 {
    case enumeration = 0x00
    case sint8 = 0x01
    case uint8 = 0x02
    case sint16 = 0x83
    case uint16 = 0x84
    case sint32 = 0x85
    case uint32 = 0x86
    case string = 0x07
    case float32 = 0x88
    case float64 = 0x89
    case uint8z = 0x0A
    case uint16z = 0x8B
    case uint32z = 0x8C
    case bytes = 0x0D
    case sint64 = 0x8E
    case uint64 = 0x8F
    case uint64z = 0x90

    var size: Int {
      switch self {
      case .enumeration, .sint8, .uint8, .string, .uint8z, .bytes: 1
      case .sint16, .uint16, .uint16z: 2
      case .sint32, .uint32, .float32, .uint32z: 4
      case .float64, .sint64, .uint64, .uint64z: 8
      }
    }

    var isInteger: Bool {
      switch self {
      case .string, .bytes, .float32, .float64: false
      default: true
      }
    }

    /// Whether these bits of an element mean "no value".
    func isInvalid(_ bits: UInt64) -> Bool {
      let ones = size == 8 ? UInt64.max : 1 << (8 * UInt64(size)) - 1
      switch self {
      case .uint8z, .uint16z, .uint32z, .uint64z: return bits == 0
      case .sint8, .sint16, .sint32, .sint64: return bits == ones >> 1
      default: return bits == ones
      }
    }

    func isNegative(_ bits: UInt64) -> Bool {
      switch self {
      case .sint8, .sint16, .sint32, .sint64: bits >> (8 * UInt64(size) - 1) == 1
      default: false
      }
    }
  }

  /// Events of the timer.
  enum Timer {
    static let start: UInt8 = 0
    static let stop: UInt8 = 1
    static let stopAll: UInt8 = 4
    static let stopDisable: UInt8 = 8
    static let stopDisableAll: UInt8 = 9
  }

  /// Fields of our own, which FIT has for applications; readers that do not know them pass over them.
  enum Own: UInt8, CaseIterable {
    /// The text of the ``RecordingIdentity`` that the file copies.
    case recording
    case sourceIdentifier
    case sourceName
    case sourceVersion
    case sensorName
    case sensorManufacturer
    case sensorModel

    /// The application that has them.
    static let application: [UInt8] = [
      0x7D, 0x1B, 0x5E, 0x0C, 0x94, 0xA6, 0x4F, 0x27, 0x8C, 0x39, 0xE2, 0x4D, 0x61, 0xB8, 0x70, 0x15,
    ]

    var name: String {
      switch self {
      case .recording: "sensord_recording"
      case .sourceIdentifier: "sensord_source"
      case .sourceName: "sensord_source_name"
      case .sourceVersion: "sensord_source_version"
      case .sensorName: "sensor_name"
      case .sensorManufacturer: "sensor_manufacturer"
      case .sensorModel: "sensor_model"
      }
    }
  }

  /// The manufacturer of whoever has no number of their own.
  static let development: UInt16 = 255
}

/// The CRC-16 of FIT files (polynomial 0x8005, reflected), a byte at a time.
package struct FITChecksum: Hashable, Sendable {
  package private(set) var value: UInt16 = 0

  package init() {}

  private static let table: [UInt16] = (0..<256).map { index in
    var value = UInt16(index)
    for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xA001 : value >> 1 }
    return value
  }

  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value >> 8) ^ Self.table[Int((value ^ UInt16(byte)) & 0xFF)] }
  }
}
