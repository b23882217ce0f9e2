/// Reads the project's own text format, captures and journal segments alike (Documentation/capture-format.md).
public enum CaptureReader {
  /// Reads `bytes`, the whole content of a file.
  ///
  /// - Throws: ``CaptureError`` where the bytes are empty, no capture, or of a newer version.
  public static func read(_ bytes: [UInt8]) throws(CaptureError) -> CaptureContents {
    throw .notACapture
  }
}
