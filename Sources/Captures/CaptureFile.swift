import Glibc

/// Reads a capture in any format that is known.
public enum CaptureFile {
  /// Reads the file at `path`; its format is told by its first bytes, never by its name.
  ///
  /// `handle` is the attribute handle of 0x2A37 in a foreign capture that starts after the discovery; it is used for the
  /// connections whose discovery is not in the file.
  ///
  /// - Throws: ``CaptureError`` where nothing at all could be read.
  public static func read(path: String, handle: UInt16? = nil) throws(CaptureError) -> CaptureContents {
    let bytes: [UInt8]
    do throws(SystemError) {
      let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { throw .last }
      bytes = try OpenFile(descriptor: descriptor).readAll()
    } catch {
      throw .unreadable(path: path, errorNumber: error.number)
    }
    return try read(bytes: bytes, handle: handle)
  }

  /// Reads `bytes`, the whole content of a capture file; `handle` is as for ``read(path:handle:)``.
  ///
  /// - Throws: ``CaptureError`` where nothing at all could be read.
  public static func read(bytes: [UInt8], handle: UInt16? = nil) throws(CaptureError) -> CaptureContents {
    try CaptureReader.read(bytes)
  }
}
