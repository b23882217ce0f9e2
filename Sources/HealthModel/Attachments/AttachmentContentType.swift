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
