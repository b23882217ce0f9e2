import Bits
import FoundationEssentials

extension UUID {
  /// The 16 bytes as they stand in the file.
  var bytes: [UInt8] {
    let u = uuid
    return [
      u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
    ]
  }

  /// The UUID of 16 bytes; nil for another number of bytes.
  init?(bytes b: [UInt8]) {
    guard b.count == 16 else { return nil }
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
      ))
  }

  /// The identifier of part `part` of version `version` of the object that this identifier names.
  ///
  /// A UUID of version 8 (RFC 9562): the same session, replayed anywhere, gives samples of the same identity, and a
  /// replaced one gives others.
  func derived(part: UInt64, version: Int64) -> UUID {
    var result: [UInt8] = []
    for half in 0..<2 {
      var state = part &* 2 &+ UInt64(half)
      for word in [UInt64(bitPattern: version)] + [0, 8].map({ word(at: $0) }) {
        var generator = SplitMix64(seed: state ^ word)
        state = generator.next()
      }
      for shift in stride(from: 56, through: 0, by: -8) {
        result.append(UInt8(truncatingIfNeeded: state >> UInt64(shift)))
      }
    }
    result[6] = result[6] & 0x0F | 0x80
    result[8] = result[8] & 0x3F | 0x80
    return UUID(bytes: result) ?? self
  }

  private func word(at start: Int) -> UInt64 {
    bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
