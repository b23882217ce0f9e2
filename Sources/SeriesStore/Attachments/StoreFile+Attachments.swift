import FoundationEssentials
import HealthModel

extension StoreFile {
  /// The folder of the files beside this store.
  func attachmentFolder() throws(StoreError) -> AttachmentFolder {
    var statement = try connection.prepare("SELECT uuid FROM store")
    guard try statement.step(), let identity = UUID(bytes: statement.bytes(0)) else {
      throw connection.corrupt("the store's identity")
    }
    return AttachmentFolder(besides: place.realPath, identity: identity)
  }

  /// Names the file by its digest, then commits what says of it: whoever is killed between the two leaves a file that no row
  /// names, which the next writer removes.
  func add(
    _ attachment: Attachment, _ draft: AttachmentDraft, savedBy source: String?
  ) throws(StoreError) {
    try write { (connection) throws(StoreError) in
      let sample = try HealthStore.place(of: attachment.object, savedBy: source, in: connection)
      guard try connection.attachments.all(of: sample, object: attachment.object).count < Attachment.mostOfObject else {
        throw StoreError(AttachmentError.tooMany)
      }
      try draft.publish()
      try connection.attachments.insert(attachment, of: sample)
    }
  }

  /// Removes files that no row names: those of these digests, or every one, also what a killed program was writing.
  ///
  /// The lock of a writer is held meanwhile, so that nobody is between naming a file and committing its row. What is not called
  /// like a file of this very store stays, and so does everything while a row is damaged: its file must not go for it.
  func sweepAttachments(_ digests: Set<String>? = nil) throws(StoreError) {
    let attachments = try attachmentFolder()
    guard let folder = try attachments.open() else { return }
    let names =
      if let digests {
        digests.sorted().map(attachments.name)
      } else {
        try attachments.names(in: folder).filter { attachments.digest(ofName: $0) != nil || attachments.isDraft($0) }
      }
    guard !names.isEmpty, try connection.integer("PRAGMA user_version") == Schema.version else { return }
    if digests == nil {
      // Mostly there is nothing to do, and nobody is kept waiting.
      guard let known = try connection.attachments.digests() else { return }
      let needed = Set(known.map(attachments.name))
      if names.allSatisfy(needed.contains) { return }
    }
    try connection.execute("BEGIN IMMEDIATE")
    defer { try? connection.execute("COMMIT") }
    guard let known = try connection.attachments.digests() else { return }
    var isChanged = false
    for name in names {
      if let digest = attachments.digest(ofName: name), known.contains(digest) { continue }
      if attachments.isBeingWritten(name, in: folder) { continue }
      attachments.remove(name, in: folder)
      isChanged = true
    }
    if isChanged { try folder.sync(attachments.path) }
  }
}
