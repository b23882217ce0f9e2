import Support
import Testing

@Suite("SHA-256")
struct SHA256Tests {
  /// FIPS 180-4 examples, and the million of NIST.
  @Test(
    "the examples of the standard",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
  func examples(_ text: String, _ digest: String) {
    var hash = SHA256()
    hash.add(Array(text.utf8)[...])
    #expect(Hexadecimal.text(hash.digest()) == digest)
  }

  @Test("any division into pieces gives the same")
  func pieces() {
    let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    var whole = SHA256()
    whole.add(bytes[...])
    for length in 1..<150 {
      var hash = SHA256()
      for start in stride(from: 0, to: bytes.count, by: length) { hash.add(bytes[start..<min(300, start + length)]) }
      #expect(hash.digest() == whole.digest())
    }
  }
}
