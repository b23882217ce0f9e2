import Bits
import FoundationEssentials
import Glibc

extension StoreCheck {
  /// Compares the files of attachments with what the store says of them.
  mutating func lookAtAttachments(_ folder: AttachmentFolder) throws(StoreError) {
    guard let files = try filesOfRows() else { return }
    let place: Descriptor?
    do throws(StoreError) {
      place = try folder.open()
    } catch {
      add("attachments", "their folder cannot be opened")
      return
    }
    guard let place else {
      for file in files.values.flatMap(\.self) { add("attachment \(file.name)", "its file is missing") }
      return
    }
    for (digest, attachments) in files.sorted(by: { $0.key < $1.key }) {
      try connection.checkCancellation()
      guard let problem = try problem(ofFile: digest, size: attachments[0].size, folder, in: place) else { continue }
      for attachment in attachments { add("attachment \(attachment.name)", problem) }
    }
    for name in try folder.names(in: place) where !folder.isBeingWritten(name, in: place) {
      let digest = folder.digest(ofName: name)
      if let digest, files[digest] != nil { continue }
      if digest != nil || folder.isDraft(name) {
        add("attachments", "a file belongs to no object; a program that opens the store to write removes it")
      } else if folder.isForeign(name) {
        add("attachments", "a file in their folder belongs to another store")
      } else {
        add("attachments", "a file in their folder is none of them")
      }
    }
  }

  /// The rows by their digests.
  private func filesOfRows() throws(StoreError) -> [String: [(name: String, size: Int64)]]? {
    guard try connection.attachments.exist() else { return [:] }
    var files: [String: [(name: String, size: Int64)]] = [:]
    var statement = try connection.prepare("SELECT uuid, digest, size FROM attachments ORDER BY sample, uuid")
    while try statement.step() {
      let name = Hexadecimal.text(statement.bytes(0))
      files[Hexadecimal.text(statement.bytes(1)), default: []].append((name, statement.integer(2)))
    }
    return files
  }

  private func problem(
    ofFile digest: String, size: Int64, _ folder: AttachmentFolder, in place: Descriptor
  ) throws(StoreError) -> String? {
    guard let file = try folder.open(folder.name(ofFile: digest), in: place) else { return "its file is missing" }
    guard try file.status(folder.path).st_size == size else { return "its file is not as long as it was" }
    var hash = SHA256()
    var offset = 0
    while true {
      let piece = try file.read(AttachmentData.pieceLength, at: offset, folder.path)
      if piece.isEmpty { break }
      hash.add(piece[...])
      offset += piece.count
      try connection.checkCancellation()
    }
    return Hexadecimal.text(hash.digest()) == digest ? nil : "its file is not as it was attached"
  }
}
