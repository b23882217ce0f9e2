internal import Glibc
internal import LiveLocks

/// Where the list of tokens is kept: readable by its owner alone, replaced by rename.
struct TokenFile {
  let path: String

  /// The list; an empty one where there is no file.
  func read() throws(LiveFailure) -> TokenList {
    guard let file = unsafe fopen(path, "re") else {
      guard errno == ENOENT else { throw failure("read", LiveFailure.reason(errno)) }
      return TokenList()
    }
    defer { unsafe fclose(file) }
    // More than the longest list has.
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    do throws(TokenList.Failure) {
      return try TokenList(String(decoding: bytes[..<count], as: UTF8.self))
    } catch {
      guard case .damaged(let line) = error else { throw failure("read", LiveFailure.reason(EIO)) }
      throw LiveFailure(.badData, "line \(line) of \(path) is no token; delete that line, or the file")
    }
  }

  func write(_ list: TokenList) throws(LiveFailure) {
    do throws(DraftedFile.Failure) {
      try DraftedFile(path: path).write(list.text, isDurable: true)
    } catch {
      throw failure("written", error.reason)
    }
  }

  private func failure(_ what: String, _ reason: String) -> LiveFailure {
    LiveFailure(.cannotCreate, "\(path) cannot be \(what): \(reason); choose another --state")
  }
}
