import Bits

/// The fast path for the record that captures mostly consist of: `3 8123456789 m 105a4b04a701 4f2c7a10`.
///
/// The scanner reads words of eight characters and returns nil on any deviation, and near the end of the file. Then
/// ``RecordLine`` reads the line and reports the fault. A test checks that both agree.
struct MeasurementScanner {
  let slot: Int
  let microseconds: Int64
  /// The payload, four bytes to a word, the first byte lowest.
  private var payload = InlineArray<6, UInt32>(repeating: 0)
  private let payloadCount: Int
  /// The offset of the next line.
  let next: Int

  private static let wordLength = 8
  /// The longest payload that is read here; with the usual packet size straps send none longer.
  private static let mostDigits = 48
  private static let zeros: UInt64 = 0x3030_3030_3030_3030

  /// Reads the line at `start`; nil if it is not an intact measurement, or too near the end.
  @inline(__always)
  init?(_ bytes: Span<UInt8>, at start: Int) {
    var position = start
    guard let slot = Self.number(bytes, &position), slot > 0, slot <= Int64(RecordLine.greatestSlot) else { return nil }
    guard let microseconds = Self.number(bytes, &position), bytes.count - position > 2 * Self.wordLength,
      bytes[position] == UInt8(ascii: "m"), bytes[position + 1] == UInt8(ascii: " ")
    else { return nil }
    let first = position + 2
    guard let end = Self.space(bytes, from: first), end > first, (end - first) & 1 == 0, end - first <= Self.mostDigits,
      bytes.count - end > Self.wordLength + 1, bytes[end + 9] == UInt8(ascii: "\n"),
      let written = Hexadecimal.bytes(Self.word(bytes, end + 1)),
      CRC32C.checksum(bytes, start..<end) == written.byteSwapped
    else { return nil }
    position = first
    var word = 0
    while position < end {
      guard let four = Self.payload(bytes, position, before: end) else { return nil }
      payload[word] = four
      word += 1
      position += Self.wordLength
    }
    payloadCount = (end - first) / 2
    self.slot = Int(slot)
    self.microseconds = microseconds
    next = end + 10
  }

  /// Appends the payload to `bytes`.
  @inline(__always)
  func appendPayload(to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: payloadCount) { output in
      for index in 0..<payloadCount {
        output.append(UInt8(truncatingIfNeeded: payload[index >> 2] >> UInt32(8 * (index & 3))))
      }
    }
  }

  /// Up to four bytes of the payload, the first byte lowest; nil if a character is not a digit.
  @inline(__always)
  private static func payload(_ bytes: Span<UInt8>, _ position: Int, before end: Int) -> UInt32? {
    // Zeros replace the characters behind the last digit.
    let mask = UInt64.max >> UInt64(64 - 8 * min(end - position, wordLength))
    return Hexadecimal.bytes((word(bytes, position) & mask) | (zeros & ~mask))
  }

  /// Eight characters, the first lowest. The caller has checked that they exist.
  @inline(__always)
  private static func word(_ bytes: Span<UInt8>, _ position: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// The offset of the first space from `start` on; nil near the end.
  @inline(__always)
  private static func space(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    var position = start
    while bytes.count - position >= wordLength {
      let different = word(bytes, position) ^ 0x2020_2020_2020_2020
      let zero = (different &- 0x0101_0101_0101_0101) & ~different & 0x8080_8080_8080_8080
      if zero != 0 { return position + zero.trailingZeroBitCount / 8 }
      position += wordLength
    }
    return nil
  }

  /// A number of up to 16 digits and the space after it.
  @inline(__always)
  private static func number(_ bytes: Span<UInt8>, _ position: inout Int) -> Int64? {
    let start = position
    var value: UInt64 = 0
    if bytes.count - position >= wordLength, let eight = eightDigits(word(bytes, position)) {
      value = eight
      position += wordLength
    }
    while position < bytes.count {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      value = value &* 10 &+ UInt64(digit)
      position += 1
    }
    let count = position - start
    guard count > 0, count <= 16, position < bytes.count, bytes[position] == UInt8(ascii: " "),
      count == 1 || bytes[start] != UInt8(ascii: "0")
    else { return nil }
    position += 1
    return Int64(value)
  }

  /// The number of eight decimal digits; nil if one of the characters is not a digit.
  @inline(__always)
  private static func eightDigits(_ word: UInt64) -> UInt64? {
    let highHalves: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
    guard word & highHalves == zeros, (word &+ 0x0606_0606_0606_0606) & highHalves == zeros else { return nil }
    var pairs = word & ~highHalves
    pairs = (pairs &* 10 &+ pairs >> 8) & 0x00FF_00FF_00FF_00FF
    pairs = (pairs &* 100 &+ pairs >> 16) & 0x0000_FFFF_0000_FFFF
    return (pairs &* 10_000 &+ pairs >> 32) & 0xFFFF_FFFF
  }
}
