import FoundationEssentials
import Sensors

/// Reads the fields of one line, from left to right; the last one is the checksum.
struct RecordLine {
  /// Slots above this are no slots: it bounds the table that maps them.
  static let greatestSlot = 1 << 20
  /// Microseconds beyond these, 317 years, are no instants and no clocks: the timeline may add and subtract all others.
  static let times: ClosedRange<Int64> = -9_999_999_999_999_999...9_999_999_999_999_999

  private var rest: ArraySlice<UInt8>

  /// `line` is without its newline, and its checksum has been found right.
  init(_ line: [UInt8]) {
    rest = line.dropLast(9)
  }

  /// The part of a line behind the zeros that a power cut left where a write is missing: it may be a whole record.
  static func behindZeros(_ line: [UInt8]) -> [UInt8] {
    line.lastIndex(of: 0).map { Array(line[($0 + 1)...]) } ?? line
  }

  /// Whether the line ends with a space and the eight digits of its checksum.
  static func hasValidChecksum(_ line: [UInt8]) -> Bool {
    let end = line.count - 9
    guard end > 0, line[end] == UInt8(ascii: " ") else { return false }
    var written: UInt32 = 0
    for byte in line[(end + 1)...] {
      guard let digit = Hexadecimal.value(byte) else { return false }
      written = written << 4 | UInt32(digit)
    }
    return CRC32C.checksum(line.span, 0..<end) == written
  }

  /// The record on an intact line; nil where a field is not valid (``malformedField(_:)`` names it).
  static func record(_ line: [UInt8]) -> Record? {
    var fields = RecordLine(line)
    return try? fields.record()
  }

  /// The field that keeps an intact line from being a record.
  static func malformedField(_ line: [UInt8]) -> String {
    var fields = RecordLine(line)
    do {
      _ = try fields.record()
      return "record"
    } catch {
      return error.field
    }
  }

  struct Malformed: Error {
    let field: String
  }

  /// Everything up to the next space; nil at the end.
  mutating func word() -> String? {
    guard !rest.isEmpty else { return nil }
    let end = rest.firstIndex(of: UInt8(ascii: " ")) ?? rest.endIndex
    let word = rest[..<end]
    rest = rest[end...].dropFirst()
    return word.allSatisfy { (0x21...0x7E).contains($0) } ? String(decoding: word, as: UTF8.self) : nil
  }

  mutating func integer<Value: FixedWidthInteger>() -> Value? {
    guard let word = word() else { return nil }
    // `Value.init` would take a plus sign and leading zeros, which nothing writes.
    guard let value = Value(word), String(value) == word else { return nil }
    return value
  }

  private mutating func time() -> Int64? {
    integer().flatMap { (time: Int64) in Self.times.contains(time) ? time : nil }
  }

  private mutating func record() throws(Malformed) -> Record {
    let record = try fields()
    guard rest.isEmpty else { throw Malformed(field: "end of record") }
    return record
  }

  private mutating func fields() throws(Malformed) -> Record {
    switch try required(word(), "kind") {
    case "committed": return .committed(try required(uuid(), "session"))
    case "rewrites":
      let segment: Int = try required(integer(), "segment")
      let offset: Int = try required(integer(), "offset")
      guard segment > 0, offset >= 0 else { throw Malformed(field: "segment") }
      return .rewrites(segment: segment, offset: offset)
    case let word:
      guard let slot = Int(word), (1...Self.greatestSlot).contains(slot) else { throw Malformed(field: "slot") }
      return try record(slot: slot)
    }
  }

  private mutating func record(slot: Int) throws(Malformed) -> Record {
    switch try required(word(), "kind") {
    case "session":
      let (header, resumption) = try session()
      guard resumption == RecordBuffer.Resumption() else { throw Malformed(field: "session") }
      return .session(slot: slot, header)
    case "resumes":
      let (header, resumption) = try session()
      return .resumes(slot: slot, header, resumption)
    case "meta":
      return try .metadata(slot: slot, key: required(string(), "key"), value: required(string(), "value"))
    case let word:
      guard let microseconds = Int64(word), String(microseconds) == word, Self.times.contains(microseconds) else {
        throw Malformed(field: "instant")
      }
      return try .event(slot: slot, SensorEvent(kind(), at: BootInstant(microseconds: microseconds)))
    }
  }

  private mutating func kind() throws(Malformed) -> SensorEvent.Kind {
    switch try required(word(), "kind") {
    case "m": .measurement(try required(payload(), "payload"))
    case "boot": .boot(try required(bootIdentifier(), "boot"))
    case "clock": .clock(wallMinusBootMicroseconds: try required(time(), "clock"))
    case "connected": .connected
    case "disconnected": .disconnected(reason: rest.isEmpty ? nil : try required(string(), "reason"))
    case "battery": .battery(percent: try required(integer(), "battery"))
    case "location": .location(try required(integer(), "location"))
    case "information": try information()
    case "signal": .signal(dBm: try required(integer(), "signal"))
    case "lost": .lost(values: try required(integer(), "lost"), reason: try required(string(), "reason"))
    case "ended": .ended(try required(word().flatMap(SessionEndReason.init(rawValue:)), "reason"))
    default: throw Malformed(field: "kind")
    }
  }

  private mutating func information() throws(Malformed) -> SensorEvent.Kind {
    let word = try required(word(), "information")
    guard word.utf8.count == 4, let number = UInt16(word, radix: 16),
      let field = DeviceInformationField(rawValue: number)
    else { throw Malformed(field: "information") }
    return .information(field, try required(string(), "information"))
  }

  private mutating func session() throws(Malformed) -> (CaptureHeader, RecordBuffer.Resumption) {
    let session = try required(uuid(), "session")
    let addressWord = try required(word(), "address")
    let address = SensorAddress(addressWord)
    guard address != nil || addressWord == "-" else { throw Malformed(field: "address") }
    let name: String?
    if rest.first == UInt8(ascii: "\"") {
      name = try required(string(), "name")
    } else {
      guard word() == "-" else { throw Malformed(field: "name") }
      name = nil
    }
    var header = CaptureHeader(
      session: session, sensor: SensorIdentity(address: address, name: name), source: try required(string(), "source"))
    var resumption = RecordBuffer.Resumption()
    while let word = word() {
      switch word {
      case "continues": header.linkedTo = try required(uuid(), "continues")
      case "boot": resumption.boot = try required(bootIdentifier(), "boot")
      case "clock": resumption.wallMinusBootMicroseconds = try required(time(), "clock")
      case "at": resumption.instant = BootInstant(microseconds: try required(time(), "at"))
      default: throw Malformed(field: "session")
      }
    }
    return (header, resumption)
  }

  private mutating func uuid() -> UUID? {
    word().flatMap(UUID.init(uuidString:))
  }

  private mutating func string() -> String? {
    guard let (text, rest) = QuotedText.read(rest) else { return nil }
    guard rest.isEmpty || rest.first == UInt8(ascii: " ") else { return nil }
    self.rest = rest.dropFirst()
    return text
  }

  private mutating func payload() -> [UInt8]? {
    guard let word = word() else { return nil }
    return word == "-" ? [] : Self.bytes(word)
  }

  private mutating func bootIdentifier() -> BootIdentifier? {
    guard let word = word(), word.utf8.count == 32 else { return nil }
    guard let bytes = Self.bytes(word) else { return nil }
    return BootIdentifier(
      high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }

  private static func bytes(_ word: String) -> [UInt8]? {
    let digits = word.utf8.compactMap(Hexadecimal.value)
    guard !digits.isEmpty, digits.count % 2 == 0, digits.count == word.utf8.count else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private func required<Value>(_ value: Value?, _ field: String) throws(Malformed) -> Value {
    guard let value else { throw Malformed(field: field) }
    return value
  }
}
