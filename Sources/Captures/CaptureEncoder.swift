/// Writes the project's own text format (Documentation/capture-format.md).
public enum CaptureEncoder {
  /// The bytes of a file that holds `capture` and nothing else.
  public static func encode(_ capture: Capture) -> [UInt8] {
    var buffer = RecordBuffer()
    buffer.header(.capture)
    buffer.session(capture.header, slot: 1)
    for event in capture.log {
      buffer.event(event, slot: 1)
    }
    return buffer.copy()
  }
}
