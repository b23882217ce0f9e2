/// A random text that opens a door: 256 bits as 64 hexadecimal digits.
public struct Secret: Sendable {
  public let text: String

  /// A new one.
  public init() {
    var generator = SystemRandomNumberGenerator()
    text = Hexadecimal.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// What is kept of it.
  public var print: SecretPrint { SecretPrint(of: text) }
}

/// What is kept of a secret: enough to know it again, too little to know it.
public struct SecretPrint: Sendable {
  private let bytes: [UInt8]

  /// Of whatever somebody presents as a secret.
  public init(of text: String) {
    bytes = SHA256.digest(Array(text.utf8))
  }

  /// From its 64 digits; nil for what is none.
  init?(digits: String) {
    guard let bytes = Hexadecimal.bytes(digits), bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  var digits: String { Hexadecimal.text(bytes) }

  /// Compares all bytes whatever they are, so that the time says nothing.
  public func matches(_ other: SecretPrint) -> Bool {
    var difference: UInt8 = 0
    for (a, b) in zip(bytes, other.bytes) { difference |= a ^ b }
    return difference == 0
  }
}
