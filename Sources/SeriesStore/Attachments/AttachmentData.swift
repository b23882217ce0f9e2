import Bits
import FoundationEssentials
import Glibc
public import HealthModel

/// The bytes of an attachment, piece by piece.
///
/// They are those of one file from the first to the last piece, also where it is removed meanwhile.
public struct AttachmentData: Sendable {
  /// What it is.
  public let attachment: Attachment
  private let file: Descriptor
  private let path: String
  private var offset = 0
  private var hash = SHA256()

  /// The most bytes of a piece.
  public static let pieceLength = 65_536

  init(_ attachment: Attachment, in folder: AttachmentFolder) throws(StoreError) {
    path = folder.path
    self.attachment = attachment
    // Whoever made this value may have put any text there.
    guard folder.digest(ofName: folder.name(ofFile: attachment.digest)) != nil else { throw Self.damaged(attachment) }
    guard let place = try folder.open(), let file = try folder.open(folder.name(ofFile: attachment.digest), in: place),
      try file.status(folder.path).st_size == attachment.size
    else { throw Self.damaged(attachment) }
    self.file = file
  }

  /// The next piece; nil at the end.
  ///
  /// - Throws: ``StoreError/Code/corrupt(object:)`` instead of the last piece where what was read is not what was attached.
  public mutating func next() throws(StoreError) -> [UInt8]? {
    guard offset < attachment.size else { return nil }
    let piece = try file.read(min(Self.pieceLength, attachment.size - offset), at: offset, path)
    guard !piece.isEmpty else { throw Self.damaged(attachment) }
    hash.add(piece[...])
    offset += piece.count
    guard offset < attachment.size || Hexadecimal.text(hash.digest()) == attachment.digest else {
      throw Self.damaged(attachment)
    }
    return piece
  }

  private static func damaged(_ attachment: Attachment) -> StoreError {
    let name = "attachment \(attachment.id.uuidString.lowercased())"
    return StoreError(
      .corrupt(object: name), "the file of \(name) is missing or damaged; attach it again, or remove the attachment")
  }
}
