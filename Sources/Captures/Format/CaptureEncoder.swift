/// Writes the project's own text format (Documentation/capture-format.md).
public enum CaptureEncoder {
  /// The bytes of a file that holds only `capture`.
  public static func encode(_ capture: Capture) -> [UInt8] {
    var buffer = RecordBuffer()
    buffer.header(.capture)
    buffer.session(capture.header, slot: 1)
    var carried = capture.carried[...]
    for (index, event) in capture.log.enumerated() {
      while let record = carried.first, record.eventsBefore <= index {
        buffer.carried(record, slot: 1)
        carried.removeFirst()
      }
      buffer.event(event, slot: 1)
    }
    for record in carried { buffer.carried(record, slot: 1) }
    return buffer.copy()
  }
}
