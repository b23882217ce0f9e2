import FoundationEssentials
import Testing

@testable import Captures

@Suite("Name-based UUIDs")
struct NameBasedUUIDTests {
  @Test(
    "SHA-1 agrees with the examples of RFC 3174",
    arguments: [
      ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
      ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
      ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
      (String(repeating: "0123456701234567", count: 40), "dea356a2cddd90c7a7ecedc5ebb563934f460452"),
    ])
  func sha1(message: String, expected: String) {
    let digest = SHA1.digest(Array(message.utf8))
    #expect(digest.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined() == expected)
  }

  @Test("version 5 agrees with the example of RFC 9562 appendix A.4")
  func version5() throws {
    let domains = try #require(UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
    #expect(UUID(name: "www.example.com", in: domains).uuidString == "2ED6657D-E927-568B-95E1-2665A8AEA6A2")
  }
}
