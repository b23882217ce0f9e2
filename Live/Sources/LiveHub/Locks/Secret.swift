import Bits

/// A random text that opens a door: 256 bits as 64 hexadecimal digits.
struct Secret: Sendable {
  let text: String

  /// A new secret.
  init() {
    var generator = SystemRandomNumberGenerator()
    text = Hexadecimal.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// The print, which is stored in place of the secret.
  var print: SecretPrint { SecretPrint(of: text) }
}

/// The print of a secret: enough to recognize the secret, too little to recover it.
struct SecretPrint: Sendable {
  private let bytes: [UInt8]

  /// The print of a text that somebody presents as a secret.
  init(of text: String) {
    var hash = SHA256()
    hash.add(Array(text.utf8)[...])
    bytes = hash.digest()
  }

  /// Reads 64 digits in lower case; nil for another text.
  init?(digits: String) {
    guard let bytes = Hexadecimal.bytes(digits), bytes.count == 32, Hexadecimal.text(bytes) == digits
    else { return nil }
    self.bytes = bytes
  }

  var digits: String { Hexadecimal.text(bytes) }

  /// Compares all bytes whatever they are, so that the time reveals nothing.
  func matches(_ other: SecretPrint) -> Bool {
    var difference: UInt8 = 0
    for (a, b) in zip(bytes, other.bytes) { difference |= a ^ b }
    return difference == 0
  }
}
