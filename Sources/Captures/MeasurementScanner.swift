/// The fast road for the one record that a capture consists of: `3 8123456789 m 105a4b04a701 4f2c7a10`.
///
/// Everything else, and everything that is not exactly so, goes through ``RecordLine``, which says what is wrong.
struct MeasurementScanner {
  let slot: Int
  let microseconds: Int64
  let payload: [UInt8]
  /// Where the next line begins.
  let next: Int

  /// Reads the line that begins at `start`; nil where it is not an intact measurement.
  init?(_ bytes: Span<UInt8>, at start: Int, digits values: Span<UInt8>) {
    var position = start
    guard let slot = Self.number(bytes, &position), slot <= Int64(RecordLine.greatestSlot), slot > 0 else { return nil }
    guard position < bytes.count else { return nil }
    let isNegative = bytes[position] == UInt8(ascii: "-")
    if isNegative { position += 1 }
    guard let magnitude = Self.number(bytes, &position), !isNegative || magnitude > 0 else { return nil }
    guard position + 2 < bytes.count, bytes[position] == UInt8(ascii: "m"), bytes[position + 1] == UInt8(ascii: " ")
    else { return nil }
    let first = position + 2
    position = first
    while position < bytes.count, bytes[position] > UInt8(ascii: " ") { position += 1 }
    let end = position
    guard end + 9 < bytes.count, bytes[end] == UInt8(ascii: " "), bytes[end + 9] == UInt8(ascii: "\n") else {
      return nil
    }
    var written: UInt32 = 0
    var invalid: UInt8 = 0
    for index in (end + 1)..<(end + 9) {
      let digit = values[Int(bytes[index])]
      invalid |= digit
      written = written << 4 | UInt32(digit & 0xF)
    }
    guard invalid <= 0xF, CRC32C.checksum(bytes, start..<end) == written else { return nil }

    let isEmpty = end - first == 1 && bytes[first] == UInt8(ascii: "-")
    guard isEmpty || (end - first) & 1 == 0 && end > first else { return nil }
    let count = isEmpty ? 0 : (end - first) / 2
    payload = [UInt8](capacity: count) { output in
      for index in 0..<count {
        let high = values[Int(bytes[first + 2 * index])]
        let low = values[Int(bytes[first + 2 * index + 1])]
        invalid |= high | low
        output.append(high << 4 | low)
      }
    }
    guard invalid <= 0xF else { return nil }
    self.slot = Int(slot)
    microseconds = isNegative ? -magnitude : magnitude
    next = end + 10
  }

  /// A number of up to 18 digits and the space behind it.
  private static func number(_ bytes: Span<UInt8>, _ position: inout Int) -> Int64? {
    let start = position
    var value: Int64 = 0
    while position < bytes.count {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      value = value &* 10 &+ Int64(digit)
      position += 1
    }
    let count = position - start
    guard count > 0, count <= 18, position < bytes.count, bytes[position] == UInt8(ascii: " ") else { return nil }
    guard count == 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
    position += 1
    return value
  }
}
