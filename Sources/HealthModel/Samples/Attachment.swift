public import FoundationEssentials

/// A file that belongs to an object: everything about the file except its bytes.
public struct Attachment: Hashable, Sendable, Identifiable {
  /// The identifier of the attachment.
  public let id: UUID
  /// The identifier of the object that the file belongs to.
  public let object: UUID
  /// The name that a program gave it: text from elsewhere, never a path. See ``validate(name:)``.
  public let name: String
  /// The media type of the bytes.
  public let contentType: AttachmentContentType
  /// The length of the file in bytes.
  public let size: Int
  /// SHA-256 of the bytes (FIPS 180-4) as 64 lower-case hexadecimal digits.
  public let digest: String
  /// The time at which the file was added.
  public let added: Timestamp
  /// Further metadata.
  public let metadata: Metadata

  /// An attachment with the given parts, which are not checked.
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

  /// Throws unless a file may have that name.
  ///
  /// Any text of 1 to 255 bytes that has no control character: a slash, two points or marks of writing direction are text like
  /// any other, since the name is never used as a path, and is escaped before it is shown on a screen.
  public static func validate(name: String) throws(AttachmentError) {
    guard !name.isEmpty else { throw .noName }
    let bytes = name.utf8.count
    guard bytes <= longestName else { throw .longName(bytes: bytes) }
    guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw .controlCharacterInName
    }
  }
}

/// The media type of an attachment's file, as its bytes show.
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

/// A reason why a file cannot be attached. Neither the name nor the bytes are quoted.
@nonexhaustive
public enum AttachmentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Objects of this kind have no files: see ``SampleKind/takesAttachments``.
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
  /// The bytes are of no type in ``AttachmentContentType/all``.
  case unknownContent
  /// The bytes begin like this type, and are not a whole file of it.
  case malformed(AttachmentContentType)
  /// The bytes are a file of the first type and could be mistaken for one of the second.
  case ambiguous(AttachmentContentType, AttachmentContentType)
  /// The bytes are of another type than the declared one.
  case otherContent(said: AttachmentContentType, found: AttachmentContentType)
  /// The object has ``Attachment/mostOfObject`` files.
  case tooMany

  /// One line for a person: the mistake and its remedy.
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
