internal import Glibc
internal import HealthInterchange
internal import Recordings

/// Why a file that should come in cannot be read: the next one may be.
struct UnreadableInput: Error {
  let reason: FileError

  init(_ number: CInt, _ path: String) {
    reason = FileError(number, "cannot read \(path)", otherwise: .inputOutput)
  }
}

/// A file that is read in pieces, or a pipe.
struct InputFile: ~Copyable {
  private let descriptor: CInt
  private let path: String

  /// How many bytes there are; nil for what is no file.
  let size: Int64?

  init(path: String) throws(UnreadableInput) {
    self.path = path
    // Without waiting for whoever should write into a pipe of that name.
    descriptor = unsafe path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw UnreadableInput(errno, path) }
    var status = stat()
    let isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    size = isFile ? Int64(status.st_size) : nil
  }

  deinit { close(descriptor) }

  /// The next piece; empty at the end. The first has at least 4,096 bytes where the file does.
  func read() throws(UnreadableInput) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var filled = 0
    while filled < 4096 {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw UnreadableInput(errno, path) }
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// A reader of any place, for a ZIP file; it may be used as long as this file is open.
  func source() -> ZipArchive.Source {
    { [descriptor] (place, count) throws(FileDamage) in
      guard place >= 0, count >= 0 else { throw FileDamage("byte \(place)", "no file has such a place") }
      var bytes = [UInt8](repeating: 0, count: count)
      var filled = 0
      while filled < count {
        let read = unsafe bytes.withUnsafeMutableBytes { buffer in
          unsafe pread(
            descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(place) + off_t(filled))
        }
        if read < 0, errno == EINTR { continue }
        guard read >= 0 else { throw FileDamage("byte \(place)", "the file cannot be read") }
        if read == 0 { break }
        filled += read
      }
      bytes.removeLast(count - filled)
      return bytes
    }
  }
}
