import FoundationEssentials
import HealthModel
import Support
import Timeline

/// A decoded line of a text capture or journal segment.
enum Record: Equatable {
  /// A session begins and has this slot.
  case session(slot: Int, CaptureHeader)
  /// A session of an earlier segment continues and has this slot.
  case resumes(slot: Int, CaptureHeader, RecordBuffer.Resumption)
  /// A program asked for the session.
  case requested(slot: Int, SessionRequest)
  case metadata(slot: Int, key: String, value: MetadataValue)
  case event(slot: Int, SensorEvent)
  /// A series of values that another program inserts.
  case series(slot: Int, ClientSeriesRecord)
  /// A live workout; its boots and clocks are events.
  case workout(slot: Int, WorkoutRecord)
  /// The store has the session.
  case committed(UUID)
  /// The records of the segment from the offset on, and of later segments up to this one, are repeated in this one.
  case rewrites(segment: Int, offset: Int)

  /// Whether the record assigns its slot to a session, a series or a workout.
  var isName: Bool {
    switch self {
    case .session, .resumes, .series(_, .begin), .workout(_, .begin): true
    default: false
    }
  }
}

/// Reads the fields of one line from left to right; the last field is the checksum.
struct RecordLine {
  /// The highest slot, which bounds the table of slots.
  static let greatestSlot = 1 << 20
  /// The range of instants and clocks in microseconds, ±317 years: the timeline may add and subtract these safely.
  static let times: ClosedRange<Int64> = -9_999_999_999_999_999...9_999_999_999_999_999

  private var rest: ArraySlice<UInt8>

  /// `line` has no newline, and its checksum is correct.
  init(_ line: [UInt8]) {
    rest = line.dropLast(9)
  }

  /// The part of a line after zeros that a power cut left in place of a missing write. It may be a complete record.
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

  /// The lengths of lines that are repaired: lines that assign a slot are no shorter, and in longer ones too many bits
  /// would have to be tried.
  static let repairable = 60...1024

  /// The line of a session, a series or a workout as it was before one of its bits flipped; nil for any other line.
  ///
  /// In so short a line, no other single bit makes the checksum right again.
  static func repaired(_ line: [UInt8]) -> [UInt8]? {
    guard repairable.contains(line.count) else { return nil }
    var line = line
    for index in line.indices {
      for bit in 0..<8 {
        line[index] ^= 1 << bit
        if hasValidChecksum(line), record(line)?.isName == true { return line }
        line[index] ^= 1 << bit
      }
    }
    return nil
  }

  /// The result of reading an intact line.
  enum Reading {
    case record(Record)
    /// The kind of the record is from a later program.
    case unknown(Unknown)
    /// The field of this name is not valid.
    case malformed(field: String)
  }

  /// A record of a kind that this version does not know.
  struct Unknown: Hashable {
    var kind: String
    /// The slot of the record; nil for a record without a slot.
    var slot: Int?
    var fields: String
    /// For a record without a slot: the UUID in its first field, to which it belongs.
    var owner: UUID?
  }

  /// Reads an intact line of a file of this version. In version 1 there are no unknown kinds.
  static func read(_ line: [UInt8], version: Int = TextHeader.version) -> Reading {
    var fields = RecordLine(line)
    do {
      return .record(try fields.record())
    } catch {
      switch error {
      case .malformed(let field): return .malformed(field: field)
      case .unknown(let kind):
        guard version >= TextHeader.firstVersionWithUnknownKinds else { return .malformed(field: "kind") }
        return unknown(line, kind: kind).map { .unknown($0) } ?? .malformed(field: "end of record")
      }
    }
  }

  /// The record of an intact line; nil if this version does not know it.
  static func record(_ line: [UInt8]) -> Record? {
    if case .record(let record) = read(line) { record } else { nil }
  }

  /// Reads the known parts of a record of unknown kind; nil if the line is not printable ASCII.
  private static func unknown(_ line: [UInt8], kind: String) -> Unknown? {
    var fields = RecordLine(line)
    guard fields.rest.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    let slot = fields.word().flatMap { Int($0) }
    return Unknown(
      kind: kind, slot: slot, fields: String(decoding: fields.rest, as: UTF8.self),
      owner: slot == nil ? fields.uuid() : nil)
  }

  /// The reason for which a line is not a known record.
  enum Fault: Error {
    case malformed(field: String)
    case unknown(kind: String)

    /// Makes `unknown` of a word that could be a kind: a lower-case letter and up to 31 letters, digits and hyphens.
    init(kind word: String, else field: String) {
      let letters = word.utf8
      let isKind =
        letters.count <= 32 && letters.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } ?? false
        && letters.allSatisfy {
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
        }
      self = isKind ? .unknown(kind: word) : .malformed(field: field)
    }
  }

  /// Whether all fields have been read.
  var isAtEnd: Bool { rest.isEmpty }

  /// The characters up to the next space; nil at the end.
  mutating func word() -> String? {
    guard !rest.isEmpty else { return nil }
    let end = rest.firstIndex(of: UInt8(ascii: " ")) ?? rest.endIndex
    let word = rest[..<end]
    rest = rest[end...].dropFirst()
    return word.allSatisfy { (0x21...0x7E).contains($0) } ? String(decoding: word, as: UTF8.self) : nil
  }

  mutating func integer<Value: FixedWidthInteger>() -> Value? {
    guard let word = word() else { return nil }
    // `Value.init` would accept a plus sign and leading zeros, which are never written.
    guard let value = Value(word), String(value) == word else { return nil }
    return value
  }

  /// A finite number in its shortest exact form.
  mutating func real() -> Double? {
    guard let word = word(), let value = Double(word), value.isFinite, "\(value)" == word else { return nil }
    return value
  }

  mutating func time() -> Int64? {
    integer().flatMap { (time: Int64) in Self.times.contains(time) ? time : nil }
  }

  private mutating func record() throws(Fault) -> Record {
    let record = try fields()
    guard rest.isEmpty else { throw .malformed(field: "end of record") }
    return record
  }

  private mutating func fields() throws(Fault) -> Record {
    switch try required(word(), "kind") {
    case "committed": return .committed(try required(uuid(), "session"))
    case "rewrites":
      let segment: Int = try required(integer(), "segment")
      let offset: Int = try required(integer(), "offset")
      guard segment > 0, offset >= 0 else { throw .malformed(field: "segment") }
      return .rewrites(segment: segment, offset: offset)
    case let word:
      guard let slot = Int(word) else { throw Fault(kind: word, else: "slot") }
      guard (1...Self.greatestSlot).contains(slot) else { throw .malformed(field: "slot") }
      return try record(slot: slot)
    }
  }

  private mutating func record(slot: Int) throws(Fault) -> Record {
    switch try required(word(), "kind") {
    case "session":
      let (header, resumption) = try session()
      guard resumption == RecordBuffer.Resumption() else { throw .malformed(field: "session") }
      return .session(slot: slot, header)
    case "resumes":
      let (header, resumption) = try session()
      return .resumes(slot: slot, header, resumption)
    case "meta":
      return .metadata(slot: slot, key: try required(string(), "key"), value: try metadataValue())
    case "requested": return .requested(slot: slot, try request())
    case let word:
      if let record = try series(word) { return .series(slot: slot, record) }
      if let record = try workout(word) { return .workout(slot: slot, record) }
      guard let microseconds = Int64(word), String(microseconds) == word, Self.times.contains(microseconds) else {
        throw Fault(kind: word, else: "instant")
      }
      let instant = BootInstant(microseconds: microseconds)
      let kind = try required(self.word(), "kind")
      if let call = try workoutCall(kind) { return .workout(slot: slot, .call(call, at: instant)) }
      return .event(slot: slot, SensorEvent(try event(kind), at: instant))
    }
  }

  private mutating func event(_ kind: String) throws(Fault) -> SensorEvent.Kind {
    switch kind {
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
    case "paused": .paused
    case "continued": .continued
    case "ended": .ended(try required(word().flatMap(SessionEndReason.init(rawValue:)), "reason"))
    case "stall":
      .stalled(
        microseconds: try required(time().flatMap { (length: Int64) in length >= 0 ? length : nil }, "stall"))
    case "marker":
      .marker(
        try required(string(), "marker"),
        microsecondsBefore: rest.isEmpty
          ? 0 : try required(time().flatMap { (before: Int64) in before > 0 ? before : nil }, "marker"))
    case let word: throw Fault(kind: word, else: "kind")
    }
  }

  /// Reads text, or the name of a type and its value.
  mutating func metadataValue() throws(Fault) -> MetadataValue {
    if rest.first == UInt8(ascii: "\"") { return .text(try required(string(), "value")) }
    switch try required(word(), "value") {
    case "integer": return .integer(try required(integer(), "value"))
    case "real": return .real(try required(real(), "value"))
    case "boolean":
      switch word() {
      case "true": return .flag(true)
      case "false": return .flag(false)
      default: throw .malformed(field: "value")
      }
    case "time": return .time(Timestamp(microseconds: try required(time(), "value")))
    case "quantity": return .quantity(Quantity(try required(real(), "value"), try unit()))
    case let word:
      // The type is from a later program, which is treated like an unknown kind.
      if case .malformed = Fault(kind: word, else: "value") { throw .malformed(field: "value") }
      throw .unknown(kind: "meta")
    }
  }

  /// Reads a unit by its symbol; one that only a later version knows is opaque.
  mutating func unit() throws(Fault) -> Unit {
    let symbol = try required(string(), "unit")
    return Unit(symbol) ?? Unit(opaque: symbol)
  }

  private mutating func information() throws(Fault) -> SensorEvent.Kind {
    let word = try required(word(), "information")
    guard word.utf8.count == 4, let number = UInt16(word, radix: 16),
      let field = DeviceInformationField(rawValue: number)
    else { throw .malformed(field: "information") }
    return .information(field, try required(string(), "information"))
  }

  private mutating func request() throws(Fault) -> SessionRequest {
    let identifier = try required(uuid(), "request")
    let uid: UInt32 = try required(integer(), "user")
    let application = try required(string(), "application")
    switch word() {
    case "ends":
      return SessionRequest(identifier: identifier, uid: uid, application: application, endsWithClient: true)
    case "stays":
      return SessionRequest(identifier: identifier, uid: uid, application: application, endsWithClient: false)
    default: throw .malformed(field: "requested")
    }
  }

  private mutating func session() throws(Fault) -> (CaptureHeader, RecordBuffer.Resumption) {
    let session = try required(uuid(), "session")
    let addressWord = try required(word(), "address")
    let address = SensorAddress(addressWord)
    guard address != nil || addressWord == "-" else { throw .malformed(field: "address") }
    let name: String?
    if rest.first == UInt8(ascii: "\"") {
      name = try required(string(), "name")
    } else {
      guard word() == "-" else { throw .malformed(field: "name") }
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
      default: throw .malformed(field: "session")
      }
    }
    return (header, resumption)
  }

  mutating func uuid() -> UUID? {
    word().flatMap(UUID.init(uuidString:))
  }

  mutating func string() -> String? {
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

  func required<Value>(_ value: Value?, _ field: String) throws(Fault) -> Value {
    guard let value else { throw .malformed(field: field) }
    return value
  }
}
