import Glibc

/// A small file that is replaced by rename: its readers get the old content or the new one, never a part.
struct DraftedFile: Sendable {
  /// The reason for which the file is unchanged.
  struct Failure: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }

    init(code: Int32) { reason = LiveFailure.reason(code) }
  }

  let path: String
  /// The mode of the file, whatever the mask of the process is.
  var mode: mode_t = 0o600

  private var draft: String { path + ".new" }

  /// Replaces the content. A link at the path is replaced and not followed; a pipe, a device or a folder stays as it is.
  ///
  /// - Parameters:
  ///   - text: The whole content.
  ///   - isDurable: Whether a power cut must not undo it.
  /// - Throws: ``Failure``; the draft is gone then.
  func write(_ text: String, isDurable: Bool = false) throws(Failure) {
    try requireReplaceable()
    // A killed program may have left a draft.
    unsafe unlink(draft)
    // Others may make files in a shared folder: what stands there now is neither opened nor followed.
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw errno == EEXIST ? Failure("\(draft) is in the way and cannot be removed") : Failure(code: errno)
    }
    do throws(Failure) {
      defer { close(descriptor) }
      try Self.fill(descriptor, with: Array(text.utf8))
      guard fchmod(descriptor, mode) == 0, !isDurable || fsync(descriptor) == 0, unsafe rename(draft, path) == 0 else {
        throw Failure(code: errno)
      }
    } catch {
      unsafe unlink(draft)
      throw error
    }
  }

  private static func fill(_ descriptor: Int32, with bytes: [UInt8]) throws(Failure) {
    let count = unsafe Glibc.write(descriptor, bytes, bytes.count)
    // A disk that stores only a part of so little is full.
    guard count == bytes.count else { throw Failure(code: count < 0 ? errno : ENOSPC) }
  }

  private func requireReplaceable() throws(Failure) {
    var status = stat()
    // A file that cannot be looked at cannot be made either, and says so there.
    guard unsafe lstat(path, &status) == 0 else { return }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFLNK: return
    case S_IFDIR: throw Failure("it is a folder")
    case S_IFIFO: throw Failure("it is a pipe and no file")
    default: throw Failure("it is a device or a socket and no file")
    }
  }
}
