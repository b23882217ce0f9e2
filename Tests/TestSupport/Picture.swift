import Glibc

/// A picture that can be attached, of any length.
public enum Picture {
  /// A PNG of one point; what fills it up to `length` bytes (57 at the least) are zeros of its `IDAT`.
  public static func png(length: Int = 100) -> [UInt8] {
    head(length) + [UInt8](repeating: 0, count: length - 57) + tail
  }

  /// The same as a file with a hole, which takes no room.
  ///
  /// - Returns: The open file, for the caller to close; its name is gone.
  public static func sparse(length: Int, at path: String) -> Int32 {
    let number = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    unsafe unlink(path)
    let (head, tail) = (head(length), tail)
    _ = unsafe pwrite(number, head, head.count, 0)
    _ = unsafe pwrite(number, tail, tail.count, off_t(length - tail.count))
    return number
  }

  private static func head(_ length: Int) -> [UInt8] {
    let data = UInt32(length - 57)
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 1, 2, 3, 4]
      + (0..<4).map { UInt8(truncatingIfNeeded: data >> (24 - 8 * $0)) } + Array("IDAT".utf8)
  }

  private static let tail: [UInt8] = [1, 2, 3, 4, 0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
}
