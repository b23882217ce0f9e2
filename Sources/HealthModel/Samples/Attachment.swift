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

/// What the file of an attachment is, as its bytes say.
public struct AttachmentContentType: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The media type, such as `image/png`.
  public let rawValue: String

  /// The type of that name, also one that this library does not attach.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A picture in Portable Network Graphics (ISO/IEC 15948).
  public static let png = AttachmentContentType(rawValue: "image/png")
  /// A photograph of JPEG (ITU-T T.81).
  public static let jpeg = AttachmentContentType(rawValue: "image/jpeg")
  /// A photograph of HEVC in a HEIF container (ISO/IEC 23008-12).
  public static let heic = AttachmentContentType(rawValue: "image/heic")
  /// A picture in Tagged Image File Format (TIFF 6.0).
  public static let tiff = AttachmentContentType(rawValue: "image/tiff")
  /// A document (ISO 32000).
  public static let pdf = AttachmentContentType(rawValue: "application/pdf")

  /// Every type that can be attached.
  public static let all: [AttachmentContentType] = [.png, .jpeg, .heic, .tiff, .pdf]

  /// The media type.
  public var description: String { rawValue }
}

/// Why a file cannot be attached. It never quotes the name or the bytes.
@nonexhaustive
public enum AttachmentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Objects of this kind take no files: see ``SampleKind/takesAttachments``.
  case kindWithoutAttachments(SampleKind)
  /// The name is empty.
  case noName
  /// The name has more than ``Attachment/longestName`` bytes.
  case longName(bytes: Int)
  /// The name has a control character, NUL for instance.
  case controlCharacterInName
  /// The file cannot be read to its end.
  case unreadable
  /// The file has no bytes.
  case empty
  /// The file has more than ``Attachment/largest`` bytes.
  case tooLarge
  /// The bytes are none of ``AttachmentContentType/all``.
  case unknownContent
  /// The bytes begin like this type, and are not a whole file of it.
  case malformed(AttachmentContentType)
  /// The bytes are a file of the first type and could be taken for one of the second.
  case ambiguous(AttachmentContentType, AttachmentContentType)
  /// The bytes are of another type than was said.
  case otherContent(said: AttachmentContentType, found: AttachmentContentType)
  /// The object has ``Attachment/mostOfObject`` files.
  case tooMany

  /// One line: what is wrong and what would be right.
  public var description: String {
    switch self {
    case .kindWithoutAttachments(let kind):
      "an object of the kind \(kind.rawValue) takes no files; only prescriptions and clinical records do"
    case .noName: "the file has no name; give it one of 1 to \(Attachment.longestName) bytes"
    case .longName(let bytes): "the name has \(bytes) bytes; it may have \(Attachment.longestName)"
    case .controlCharacterInName: "the name has a control character; leave it out"
    case .unreadable: "it cannot be read to its end; name a file"
    case .empty: "the file is empty"
    case .tooLarge: "the file is larger than \(Attachment.largest >> 20) MiB; make it smaller"
    case .unknownContent: "the file is no PNG, JPEG, HEIC, TIFF or PDF, whatever its name says"
    case .malformed(let type): "the file begins like \(type), but is not a whole one; is it cut off, or damaged?"
    case .ambiguous(let first, let second):
      "the file is \(first) and could be taken for \(second), too; save it anew with a program that writes only one"
    case .otherContent(let said, let found): "the file is \(found), and not \(said) as was said"
    case .tooMany: "the object has \(Attachment.mostOfObject) files; remove one first"
    }
  }
}
