import Testing

@testable import Support

@Suite("CRC-32C")
struct CRC32CTests {
  static func checksum(_ bytes: [UInt8]) -> UInt32 { CRC32C.checksum(bytes.span, 0..<bytes.count) }

  static let vectors: [(bytes: [UInt8], checksum: UInt32)] = [
    ([UInt8](repeating: 0, count: 32), 0x8A91_36AA), ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
    (Array(0...31), 0x46DD_794E), ((0...31).reversed(), 0x113F_DB5C), (Array("123456789".utf8), 0xE306_9283), ([], 0),
  ]

  @Test("agrees with the examples of RFC 3720 appendix B.4")
  func examples() {
    for vector in Self.vectors {
      #expect(Self.checksum(vector.bytes) == vector.checksum)
    }
  }

  @Test("the processor's instruction and the tables agree, at every length")
  func tables() {
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 37 + $0 >> 3) }
    for end in 0...bytes.count {
      #expect(CRC32C.checksumByTables(bytes.span, 0..<end) == Self.checksum(Array(bytes[..<end])))
    }
  }

  @Test("what comes in pieces has the checksum of the whole")
  func pieces() {
    let bytes = (0..<60).map { UInt8(truncatingIfNeeded: $0 * 91 + $0 >> 2) }
    for end in 0...40 {
      var checksum = CRC32C()
      for byte in bytes[..<end] { checksum.add(byte: byte) }
      let word = bytes[end..<end + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      checksum.add(word: word)
      let rest = bytes.span.extracting((end + 8)...)
      unsafe checksum.add(rest.bytes)
      #expect(checksum.value == Self.checksum(bytes))
    }
  }

  @Test("a part of a buffer gives the checksum of that part alone")
  func part() {
    let bytes = [UInt8](0...99)
    for start in 0..<20 {
      for end in start...40 {
        #expect(CRC32C.checksum(bytes.span, start..<end) == Self.checksum(Array(bytes[start..<end])))
      }
    }
  }
}
