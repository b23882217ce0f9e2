import Bits
package import FoundationEssentials

/// Which object of a foreign file something is, in every file that has it.
///
/// The identifier of each version begins with it, so that a deleted object is known again whatever its version was.
package struct ImportIdentity: Hashable, Sendable {
  /// The first twelve bytes of its identifiers.
  let bytes: [UInt8]

  static let length = 12

  /// From a digest of what tells the object from others, 32 bytes.
  package init(digest: [UInt8]) {
    var bytes = Array(digest.prefix(Self.length))
    bytes += Array(repeating: 0, count: Self.length - bytes.count)
    // A UUID whose bits are the maker's own (RFC 9562, version 8).
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.bytes = bytes
  }

  /// The identifier of the object in a version.
  package func id(version: Int64) -> UUID {
    let low = UInt32(truncatingIfNeeded: version)
    return UUID(bytes: bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: low >> $0) }) ?? UUID()
  }

  /// By which its versions are one object.
  package var syncIdentifier: String { "import-" + Hexadecimal.text(bytes) }
}
