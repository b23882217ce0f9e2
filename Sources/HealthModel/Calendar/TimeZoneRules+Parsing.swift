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
