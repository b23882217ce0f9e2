import Bits
import FoundationEssentials
import Glibc
import HealthModel

/// The files of attachments beside a store: `sensord.attachments` for `sensord.sqlite`.
///
/// The name of each is the store's identity, a hyphen and the SHA-256 of its bytes. So a store that was made in the place of
/// another leaves the other's files alone.
///
/// No link in the folder is followed: the folder and its files are opened by name below an open folder.
struct AttachmentFolder: Sendable {
  let path: String
  /// The store's real path, or that of the draft of a store: the files get its owner and mode.
  private let store: String

  /// The beginning of the name of a file that is being written. The writer holds a lock on the file.
  static let draftMark = ".new-"

  /// The identity of the store as 32 hexadecimal digits.
  private let identity: String

  /// - Parameters:
  ///   - store: The store's real path.
  ///   - identity: The store's own UUID.
  ///   - draft: The path of the store until it is complete.
  init(besides store: String, identity: UUID, draft: String? = nil) {
    self.store = draft ?? store
    self.identity = Hexadecimal.text(identity.bytes)
    path = (store.hasSuffix(".sqlite") ? String(store.dropLast(7)) : store) + ".attachments"
  }

  /// The name of the file of this store with that digest.
  func name(ofFile digest: String) -> String { "\(identity)-\(digest)" }

  /// The digest of a file of this store by its name; nil for every other.
  func digest(ofName name: String) -> String? {
    guard name.hasPrefix(identity + "-") else { return nil }
    let digest = String(name.dropFirst(identity.count + 1))
    return Self.isHexadecimal(digest, count: 64) ? digest : nil
  }

  /// Whether a name is that of a file which this store was writing.
  func isDraft(_ name: String) -> Bool { name.hasPrefix(Self.draftMark + identity + "-") }

  /// Whether a name is that of a file of another store.
  func isForeign(_ name: String) -> Bool {
    let name = name.hasPrefix(Self.draftMark) ? name.dropFirst(Self.draftMark.count) : name[...]
    let parts = name.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    return parts.count == 2 && parts[0] != identity && Self.isHexadecimal(parts[0], count: 32)
  }

  private static func isHexadecimal(_ text: String, count: Int) -> Bool {
    text.utf8.count == count && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  /// Opens the folder; nil where there is no folder.
  func open() throws(StoreError) -> Descriptor? {
    let number = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if number >= 0 { return Descriptor(number) }
    guard errno != ENOENT else { return nil }
    throw .attachments(path, errno)
  }

  /// Opens the folder, and makes it where it is missing: with the owner of the store, and the mode of the store for a
  /// folder.
  func openMaking() throws(StoreError) -> Descriptor {
    if let folder = try open() { return folder }
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .attachments(path, errno) }
    guard let folder = try open() else { throw .attachments(path, ENOENT) }
    adopt(folder, isFolder: true)
    let above = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let number = unsafe Glibc.open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw .attachments(path, errno) }
    try Descriptor(number).sync(path)
    return folder
  }

  /// Gives a new file the store's owner and mode, so that who may read the store may read the file.
  private func adopt(_ file: Descriptor, isFolder: Bool) {
    var status = stat()
    guard unsafe stat(store, &status) == 0 else { return }
    if geteuid() == 0 { fchown(file.number, status.st_uid, status.st_gid) }
    let mode = status.st_mode & 0o660
    fchmod(file.number, isFolder ? mode | (mode & 0o440) >> 2 : mode)
  }

  /// A new file under a name that nobody else uses, locked until it is closed.
  func makeDraft(in folder: Descriptor) throws(StoreError) -> (name: String, file: Descriptor) {
    while true {
      let name = Self.draftMark + identity + "-" + String(UInt64.random(in: 0 ... .max), radix: 16)
      let number = unsafe openat(
        folder.number, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, mode_t(0o600))
      guard number >= 0 else { throw .attachments(path, errno) }
      let file = Descriptor(number)
      // A sweep of the folder between the two calls removes the file as that of a killed program; then another one is
      // made.
      guard flock(number, LOCK_EX | LOCK_NB) == 0, try file.status(path).st_nlink == 1 else { continue }
      adopt(file, isFolder: false)
      return (name, file)
    }
  }

  /// Opens a file for reading; nil where there is no plain file of that name.
  func open(_ name: String, in folder: Descriptor) throws(StoreError) -> Descriptor? {
    let number = unsafe openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else {
      // ELOOP: a link.
      if errno == ENOENT || errno == ELOOP || errno == ENXIO { return nil }
      throw .attachments(path, errno)
    }
    let file = Descriptor(number)
    return try file.status(path).st_mode & S_IFMT == S_IFREG ? file : nil
  }

  /// Removes a name; of a link, only the link.
  func remove(_ name: String, in folder: Descriptor) {
    unsafe unlinkat(folder.number, name, 0)
  }

  /// The names in the folder, sorted.
  func names(in folder: Descriptor) throws(StoreError) -> [String] {
    // closedir closes what it reads from.
    let copy = unsafe openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let entries = unsafe fdopendir(copy) else {
      let code = errno
      if copy >= 0 { close(copy) }
      throw .attachments(path, code)
    }
    defer { unsafe closedir(entries) }
    var names: [String] = []
    while let entry = unsafe readdir(entries) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether a program is writing this draft now.
  func isBeingWritten(_ name: String, in folder: Descriptor) -> Bool {
    guard isDraft(name), let file = try? open(name, in: folder) else { return false }
    return flock(file.number, LOCK_EX | LOCK_NB) != 0
  }
}

/// A file on its way into the folder: complete and on the disk under a temporary name, which goes unless it was published.
package final class AttachmentDraft: Sendable {
  private let folder: AttachmentFolder
  private let place: Descriptor
  private let name: String
  private let file: Descriptor
  let size: Int
  let digest: String
  let contentType: AttachmentContentType

  /// Copies the rest of `source`, piece by piece, and examines the form of the copy.
  ///
  /// - Throws: ``AttachmentError/unreadable``, also where nothing has come for `patience` milliseconds, and the other
  ///   errors of a file that cannot be attached.
  init(_ folder: AttachmentFolder, from source: Int32, patience: Int32?) throws(StoreError) {
    let place = try folder.openMaking()
    let (name, file) = try folder.makeDraft(in: place)
    do throws(StoreError) {
      let (size, digest) = try Self.copy(source, patience, to: file, folder.path)
      let type = try Self.judge(file, size: size, folder.path)
      try file.sync(folder.path)
      (self.folder, self.place, self.name, self.file) = (folder, place, name, file)
      (self.size, self.digest, contentType) = (size, digest, type)
    } catch {
      folder.remove(name, in: place)
      throw error
    }
  }

  deinit {
    // Without effect after the file was published under another name.
    folder.remove(name, in: place)
  }

  private static func copy(
    _ source: Int32, _ patience: Int32?, to file: Descriptor, _ path: String
  ) throws(StoreError) -> (size: Int, digest: String) {
    var hash = SHA256()
    var size = 0
    var head: [UInt8] = []
    var isJudged = false
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = try Descriptor.read(from: source, into: &buffer, patience)
      if !isJudged {
        head += buffer.prefix(min(count, AttachmentForm.headLength - head.count))
        isJudged = count == 0 || head.count == AttachmentForm.headLength
        // A file of a form that cannot be attached is not copied to its end.
        if isJudged, !head.isEmpty {
          try judged { () throws(AttachmentError) in _ = try AttachmentForm.beginning(head) }
        }
      }
      if count == 0 { break }
      size += count
      guard size <= Attachment.largest else { throw StoreError(AttachmentError.tooLarge) }
      hash.add(buffer.prefix(count))
      try file.write(buffer.prefix(count), path)
    }
    return (size, Hexadecimal.text(hash.digest()))
  }

  private static func judged<Result>(_ body: () throws(AttachmentError) -> Result) throws(StoreError) -> Result {
    do throws(AttachmentError) {
      return try body()
    } catch {
      throw StoreError(error)
    }
  }

  private static func judge(
    _ file: Descriptor, size: Int, _ path: String
  ) throws(StoreError) -> AttachmentContentType {
    let number = file.number
    var failure: StoreError?
    let type = try judged { () throws(AttachmentError) in
      try AttachmentForm.type(size: size) { (offset, count) throws(AttachmentError) in
        var buffer = [UInt8](repeating: 0, count: count)
        var found = 0
        while found < count {
          let more = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe pread(number, bytes.baseAddress.map { unsafe $0 + found }, count - found, off_t(offset + found))
          }
          guard more >= 0 || errno == EINTR else {
            failure = .attachments(path, errno)
            return []
          }
          if more == 0 { break }
          found += max(0, more)
        }
        buffer.removeLast(count - found)
        return buffer
      }
    }
    if let failure { throw failure }
    return type
  }

  /// Renames the file to its final name, also over a file of that name, which has the same bytes. The file is on the
  /// disk when this returns.
  func publish() throws(StoreError) {
    guard unsafe renameat(place.number, name, place.number, folder.name(ofFile: digest)) == 0 else {
      throw .attachments(folder.path, errno)
    }
    try place.sync(folder.path)
  }
}
