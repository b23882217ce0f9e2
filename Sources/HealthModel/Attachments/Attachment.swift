public import FoundationEssentials

/// A file that belongs to an object: what is known of it without its bytes.
public struct Attachment: Hashable, Sendable, Identifiable {
  /// Its identifier.
  public let id: UUID
  /// The object that it belongs to.
  public let object: UUID
  /// The name that a program gave it: text from elsewhere, never a path. See ``validate(name:)``.
  public let name: String
  /// What its bytes are.
  public let contentType: AttachmentContentType
  /// Its length in bytes.
  public let size: Int
  /// SHA-256 of its bytes (FIPS 180-4) as 64 lower-case hexadecimal digits.
  public let digest: String
  /// When it was added.
  public let added: Timestamp
  /// Further metadata.
  public let metadata: Metadata

  /// Takes every part as it is.
  public init(
    id: UUID, object: UUID, name: String, contentType: AttachmentContentType, size: Int, digest: String,
    added: Timestamp, metadata: Metadata
  ) {
    self.id = id
    self.object = object
    self.name = name
    self.contentType = contentType
    self.size = size
    self.digest = digest
    self.added = added
    self.metadata = metadata
  }

  /// The most bytes that a file may have: 64 MiB.
  public static let largest = 64 << 20
  /// The most bytes of a name in UTF-8, as of a file's name on most systems.
  public static let longestName = 255
  /// The most files of one object.
  public static let mostOfObject = 100

  /// Throws unless a file may be called that.
  ///
  /// Any text of 1 to 255 bytes that has no control character: a slash, two points or marks of writing direction are text like
  /// any other, since the name is never used as a path, and whoever shows it escapes what a screen would obey.
  public static func validate(name: String) throws(AttachmentError) {
    guard !name.isEmpty else { throw .noName }
    let bytes = name.utf8.count
    guard bytes <= longestName else { throw .longName(bytes: bytes) }
    guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw .controlCharacterInName
    }
  }
}
