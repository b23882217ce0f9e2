/// Writes the project's own text format (Documentation/capture-format.md).
public enum CaptureEncoder {
  /// The bytes of a file that holds `capture` and nothing else.
  public static func encode(_ capture: Capture) -> [UInt8] {
    []
  }
}
