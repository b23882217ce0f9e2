internal import Glibc
internal import LiveLocks

/// Where the list of tokens is kept: readable by its owner alone, replaced by rename.
struct TokenFile {
  let path: String

  /// The list; an empty one where there is no file.
  func read() throws(LiveFailure) -> TokenList {
    guard let file = unsafe fopen(path, "re") else {
      guard errno == ENOENT else { throw failure("read") }
      return TokenList()
    }
    defer { unsafe fclose(file) }
    // More than the longest list has.
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    do throws(TokenList.Failure) {
      return try TokenList(String(decoding: bytes[..<count], as: UTF8.self))
    } catch {
      guard case .damaged(let line) = error else { throw failure("read") }
      throw LiveFailure(.badData, "line \(line) of \(path) is no token; delete that line, or the file")
    }
  }

  func write(_ list: TokenList) throws(LiveFailure) {
    let draft = path + ".new"
    unsafe unlink(draft)
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("written") }
    let bytes = Array(list.text.utf8)
    let isWritten = unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    let code = errno
    close(descriptor)
    guard isWritten, unsafe rename(draft, path) == 0 else {
      if !isWritten { errno = code }
      throw failure("written")
    }
  }

  private func failure(_ what: String) -> LiveFailure {
    LiveFailure(.cannotCreate, "\(path) cannot be \(what): \(LiveFailure.reason(errno)); choose another --state")
  }
}
