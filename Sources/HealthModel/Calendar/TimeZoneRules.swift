/// A time zone: its past, present and future offsets from UTC.
///
/// Read from the compiled files of the zone database (TZif, RFC 8536), since neither the standard library nor
/// FoundationEssentials supports named zones.
public struct TimeZoneRules: Hashable, Sendable {
  /// The zone's name, as given by the caller.
  public let name: String
  /// Seconds since 1970 at which the offset changes, ascending.
  private let transitions: [Int64]
  /// The offset from each transition on, in seconds east of Greenwich.
  private let offsets: [Int32]
  /// The offset before the first transition.
  private let firstOffset: Int32
  /// The rule for all time after the last transition.
  private let footer: RecurringOffsets?

  /// Universal time.
  public static let utc = TimeZoneRules(name: "UTC", fixedOffset: 0)

  /// A zone with a fixed offset, in seconds east of Greenwich.
  public init(name: String, fixedOffset: Int32) {
    self.name = name
    transitions = []
    offsets = []
    firstOffset = fixedOffset
    footer = nil
  }

  /// A zone with one rule for all time, as in a `TZ` variable (POSIX.1-2017 section 8.3): `CET-1CEST,M3.5.0,M10.5.0/3`.
  ///
  /// The rule is also the zone's name. Throws ``TimeZoneError/invalidData(part:)`` if the rule is not valid.
  public init(rule: String) throws(TimeZoneError) {
    self.init(
      name: rule, transitions: [], offsets: [], firstOffset: 0, footer: try RecurringOffsets(parsing: Array(rule.utf8)))
  }

  init(
    name: String, transitions: [Int64], offsets: [Int32], firstOffset: Int32, footer: RecurringOffsets?
  ) {
    self.name = name
    self.transitions = transitions
    self.offsets = offsets
    self.firstOffset = firstOffset
    self.footer = footer
  }

  /// The offset from UTC at a moment, in seconds east of Greenwich.
  public func offset(at moment: Timestamp) -> Int32 {
    var seconds = moment.microseconds / 1_000_000
    if moment.microseconds % 1_000_000 < 0 { seconds -= 1 }
    return offset(atSecond: seconds)
  }

  private func offset(atSecond second: Int64) -> Int32 {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= second { low = middle + 1 } else { high = middle }
    }
    if low == transitions.count, let footer { return footer.offset(atSecond: second) }
    return low == 0 ? firstOffset : offsets[low - 1]
  }

  /// The moment at which the region's clocks show `wall` (microseconds since 1970, as if it were UTC).
  ///
  /// If they show it twice, the first moment. If they skip it, the moment as long after the beginning of the jump as `wall`
  /// is after the skipped hour's beginning.
  public func moment(ofWallClock wall: Int64) -> Timestamp {
    let day: Int64 = 86_400_000_000
    let before = Int64(offset(at: Timestamp(microseconds: wall.subtractingSaturated(day)))) * 1_000_000
    let after = Int64(offset(at: Timestamp(microseconds: wall.addingSaturated(day)))) * 1_000_000
    let candidates = before > after ? [before, after] : [after, before]
    // A greater offset means an earlier moment.
    for offset in candidates {
      let moment = Timestamp(microseconds: wall.subtractingSaturated(offset))
      if Int64(self.offset(at: moment)) * 1_000_000 == offset { return moment }
    }
    return Timestamp(microseconds: wall.subtractingSaturated(before))
  }

  /// The region's clock time at a moment, in microseconds since 1970, as if it were UTC.
  public func wallClock(at moment: Timestamp) -> Int64 {
    moment.microseconds.addingSaturated(Int64(offset(at: moment)) * 1_000_000)
  }
}

extension TimeZoneRules {
  /// Parses a compiled zone file (TZif, RFC 8536 section 3); never traps, whatever the bytes.
  public init(name: String, parsing bytes: [UInt8]) throws(TimeZoneError) {
    var header = try Header(bytes, at: 0)
    var cursor = Header.length
    var timeSize = 4
    if header.version >= 2 {
      // The first block is for 32-bit readers.
      cursor += header.blockLength(timeSize: 4)
      header = try Header(bytes, at: cursor)
      cursor += Header.length
      timeSize = 8
    }
    let end = cursor + header.blockLength(timeSize: timeSize)
    guard end <= bytes.count else { throw .invalidData(part: "length") }
    guard header.leapCount == 0 else { throw .invalidData(part: "leap seconds") }

    func integer(at position: Int, size: Int) -> Int64 {
      let value = bytes[position..<position + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
    var transitions: [Int64] = []
    for index in 0..<header.timeCount {
      let time = integer(at: cursor + index * timeSize, size: timeSize)
      guard transitions.last.map({ $0 < time }) ?? true else { throw .invalidData(part: "order of transitions") }
      transitions.append(time)
    }
    let typeIndices = cursor + header.timeCount * timeSize
    let types = typeIndices + header.timeCount
    func offset(ofType type: Int) throws(TimeZoneError) -> Int32 {
      guard type < header.typeCount else { throw .invalidData(part: "type of transition") }
      let seconds = integer(at: types + type * 6, size: 4)
      // RFC 8536 section 3.2 requires offsets between −24:59:59 and 25:59:59.
      guard (-89_999...93_599).contains(seconds) else { throw .invalidData(part: "offset") }
      return Int32(seconds)
    }
    var offsets: [Int32] = []
    for index in 0..<header.timeCount { offsets.append(try offset(ofType: Int(bytes[typeIndices + index]))) }

    var footer: RecurringOffsets?
    if timeSize == 8 {
      guard end < bytes.count, bytes[end] == 0x0A, let last = bytes[(end + 1)...].firstIndex(of: 0x0A) else {
        throw .invalidData(part: "footer")
      }
      if last > end + 1 { footer = try RecurringOffsets(parsing: Array(bytes[(end + 1)..<last])) }
    }
    self.init(
      name: name, transitions: transitions, offsets: offsets, firstOffset: try offset(ofType: 0), footer: footer)
  }

  /// The 44 bytes in front of each block.
  private struct Header {
    static let length = 44
    let version: Int
    let utcCount: Int
    let standardCount: Int
    let leapCount: Int
    let timeCount: Int
    let typeCount: Int
    let characterCount: Int

    init(_ bytes: [UInt8], at start: Int) throws(TimeZoneError) {
      guard start >= 0, bytes.count - start >= Self.length, bytes[start..<start + 4].elementsEqual("TZif".utf8) else {
        throw .invalidData(part: "header")
      }
      // Versions 2, 3 and 4 differ only in what their footers and leap seconds may contain.
      version = bytes[start + 4] >= 0x32 ? Int(bytes[start + 4] - 0x30) : 1
      let counts = (0..<6).map { index in
        bytes[(start + 20 + index * 4)..<(start + 24 + index * 4)].reduce(0) { $0 << 8 | Int($1) }
      }
      // Far above every real zone, and far below what would overflow a length.
      guard counts.allSatisfy({ $0 <= 100_000 }), counts[4] > 0 else { throw .invalidData(part: "counts") }
      utcCount = counts[0]
      standardCount = counts[1]
      leapCount = counts[2]
      timeCount = counts[3]
      typeCount = counts[4]
      characterCount = counts[5]
    }

    func blockLength(timeSize: Int) -> Int {
      timeCount * (timeSize + 1) + typeCount * 6 + characterCount + leapCount * (timeSize + 4) + standardCount
        + utcCount
    }
  }
}

/// A reason why a time zone cannot be used.
@nonexhaustive
public enum TimeZoneError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The zone database has no zone of that name.
  case unknownZone(String)
  /// There is no zone database at the path.
  case databaseMissing(String)
  /// The zone's data are not in the format of RFC 8536; `part` names where.
  case invalidData(part: String)

  /// One line for a person.
  public var description: String {
    switch self {
    case .unknownZone(""): "an empty name is no time zone; names are those of tzdata, such as Europe/Berlin"
    case .unknownZone(let name): "there is no time zone \(name); names are those of tzdata, such as Europe/Berlin"
    case .databaseMissing(let path): "there are no time zones at \(path); install the package tzdata, or use UTC"
    case .invalidData(let part): "the time zone's data are damaged: \(part); install the package tzdata again"
    }
  }
}
