/// Reads a capture in any format that is known.
public enum CaptureFile {
  /// Reads the file at `path`; its format is told by its first bytes, never by its name.
  ///
  /// - Parameter handle: The attribute handle of 0x2A37 in a foreign capture that starts after the discovery; it is
  ///   used for the connections whose discovery is not in the file.
  /// - Throws: ``CaptureError`` where nothing at all could be read.
  public static func read(path: String, handle: UInt16? = nil) throws(CaptureError) -> CaptureContents {
    throw .notACapture
  }

  /// Reads `bytes`, the whole content of a capture file.
  ///
  /// - Parameter handle: As for ``read(path:handle:)``.
  /// - Throws: ``CaptureError`` where nothing at all could be read.
  public static func read(bytes: [UInt8], handle: UInt16? = nil) throws(CaptureError) -> CaptureContents {
    throw .notACapture
  }
}
