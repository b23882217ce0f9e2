/// One place in a capture file or journal segment that could not be read, and the reason.
public struct CaptureDamage: Hashable, Sendable {
  /// The file's name without its folder; nil if bytes without a file were read.
  public var file: String?
  /// The record's number, from 1: a line of a text capture (its header is line 1), a packet of a foreign one.
  public var record: Int
  /// The record's start, in bytes from the start of the file.
  public var offset: Int
  public var reason: Reason

  public init(file: String? = nil, record: Int, offset: Int, reason: Reason) {
    self.file = file
    self.record = record
    self.offset = offset
    self.reason = reason
  }

  /// The reason for which a record could not be read.
  public enum Reason: Hashable, Sendable {
    /// The file ends within this record, as after a crash.
    case cutOff
    /// Zeros, as a power cut leaves them where a write never reached the disk.
    case zeros
    /// The first line is damaged. The lines after it were read as the present version.
    case header
    /// The record's bytes do not match its checksum.
    case checksum
    /// The checksum is right, but this part of the record is not valid in its version.
    case malformed(field: String)
    /// No readable record of this file has assigned the record's slot to a session.
    case unknownSlot(Int)
    /// A packet's length is impossible: it needs more bytes than are available.
    case packet(needed: Int, available: Int)
    /// The file could not be read from here on; the system's error number.
    case unreadable(Int32)
  }

  /// True for damage that a crash or a power cut leaves; no record that a sync had covered is lost.
  public var isExpectedAfterCrash: Bool { reason == .cutOff || reason == .zeros }
}

extension CaptureDamage: CustomStringConvertible {
  /// One line for a person: the place and the reason. Holds no health data.
  public var description: String {
    let place = "\(file.map { "\($0): " } ?? "")record \(record) (byte \(offset))"
    return switch reason {
    case .cutOff: "\(place) is cut off"
    case .zeros: "\(place) was never written"
    case .header: "\(place): the first line is damaged"
    case .checksum: "\(place): the checksum does not match"
    case .malformed(let field): "\(place): \(field) is not valid"
    case .unknownSlot(let slot): "\(place) belongs to slot \(slot), which no session has"
    case .packet(let needed, let available): "\(place) needs \(needed) bytes, \(available) are there"
    case .unreadable(let number): "\(place) could not be read: \(SystemError.text(number))"
    }
  }
}

/// The first hundred damages and the number of all, so that junk needs no memory.
struct DamageList {
  static let limit = 100

  private(set) var first: [CaptureDamage] = []
  private(set) var count = 0

  mutating func append(_ damage: CaptureDamage) {
    count += 1
    if first.count < Self.limit { first.append(damage) }
  }
}

/// A record of a kind that this version does not know, from a later sensord: skipped, and no damage.
public struct UnknownRecord: Hashable, Sendable {
  /// The file's name without its folder; nil if bytes without a file were read.
  public var file: String?
  /// The number of the record's line, from 1.
  public var record: Int
  /// The name of the record's kind.
  public var kind: String

  public init(file: String? = nil, record: Int, kind: String) {
    self.file = file
    self.record = record
    self.kind = kind
  }
}

extension UnknownRecord: CustomStringConvertible {
  /// One line for a person: the place and the kind.
  public var description: String {
    "\(file.map { "\($0): " } ?? "")record \(record) is of a kind that only a later sensord knows (\(kind))"
  }
}

/// The first hundred records of unknown kinds and the number of all.
struct UnknownRecordList {
  private(set) var first: [UnknownRecord] = []
  private(set) var count = 0

  mutating func append(_ record: UnknownRecord) {
    count += 1
    if first.count < DamageList.limit { first.append(record) }
  }
}
