import Testing

@testable import Reports

@Suite("Headers of a backup's files")
struct TarHeaderTests {
  private static let headers = [
    TarHeader(name: "sensord.sqlite", size: 737_280, time: 1_795_226_888),
    TarHeader(name: "SHA256SUMS", size: 0, time: 0),
    TarHeader(
      name: "sensord.attachments/" + String(repeating: "0", count: 32) + "-" + String(repeating: "a", count: 64),
      size: 1 << 33 - 1, time: 1),
    TarHeader(name: "sensord.sqlite", size: 1 << 33, time: 1 << 33 - 1),
    TarHeader(name: "sensord.sqlite", size: .max, time: 0),
  ]

  @Test("a header is read as it was written, at every size", arguments: headers)
  func roundTrip(_ header: TarHeader) {
    #expect(header.bytes.count == 512 && TarHeader(header.bytes) == header)
  }

  @Test("a flipped bit anywhere in a header is seen", arguments: headers)
  func flipped(_ header: TarHeader) {
    for bit in 0..<512 * 8 {
      var bytes = header.bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(TarHeader(bytes) == nil, "bit \(bit)")
    }
  }

  @Test("a file fills whole blocks")
  func padding() {
    #expect([0, 1, 511, 512, 513].map(TarHeader.padding) == [0, 511, 1, 0, 511])
  }
}
