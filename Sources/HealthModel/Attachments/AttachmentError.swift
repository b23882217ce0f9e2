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
