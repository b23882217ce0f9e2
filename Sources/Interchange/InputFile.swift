internal import Glibc
internal import Recordings

/// A file that is read in pieces, or a pipe.
struct InputFile: ~Copyable {
  private let descriptor: CInt
  private let path: String

  init(path: String) throws(FileError) {
    self.path = path
    // Without waiting for whoever should write into a pipe of that name.
    descriptor = unsafe path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw FileError(errno, "cannot read \(path)", otherwise: .inputOutput) }
  }

  deinit { close(descriptor) }

  /// The next piece; empty at the end. The first has at least 4,096 bytes where the file does.
  func read() throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var filled = 0
    while filled < 4096 {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(errno, "cannot read \(path)", otherwise: .inputOutput) }
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }
}
