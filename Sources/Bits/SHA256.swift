internal import CLinux

/// SHA-256 (FIPS 180-4) of what comes in pieces: the name of a file by its content.
public struct SHA256: Sendable {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The bytes that do not fill a block yet.
  private var rest: [UInt8] = []
  private var length: UInt64 = 0

  /// Begins with nothing.
  public init() {}

  /// Adds bytes; those that fill blocks are not copied.
  public mutating func add(_ bytes: ArraySlice<UInt8>) {
    length += UInt64(bytes.count)
    var bytes = bytes
    if !rest.isEmpty {
      let missing = bytes.prefix(64 - rest.count)
      rest += missing
      bytes = bytes.dropFirst(missing.count)
      guard rest.count == 64 else { return }
      mix(rest[...])
      rest = []
    }
    let whole = bytes.count & ~63
    mix(bytes.prefix(whole))
    rest = Array(bytes.dropFirst(whole))
  }

  /// The 32 bytes for all that was added.
  public func digest() -> [UInt8] {
    var copy = self
    let zeros = [UInt8](repeating: 0, count: (119 - rest.count) % 64)
    let bits = length * 8
    copy.add(([0x80] + zeros + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) })[...])
    return copy.state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  private mutating func mix(_ blocks: ArraySlice<UInt8>) {
    guard !blocks.isEmpty else { return }
    unsafe state.withUnsafeMutableBufferPointer { state in
      unsafe blocks.withUnsafeBytes { unsafe clinux_sha256_mix(state.baseAddress, $0.baseAddress, $0.count / 64) }
    }
  }
}
