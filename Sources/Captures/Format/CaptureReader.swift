/// Reads the project's own text format, captures and journal segments alike (Documentation/capture-format.md).
public enum CaptureReader {
  /// Reads `bytes`, the whole content of a file.
  ///
  /// - Throws: ``CaptureError`` if the bytes are empty, no capture, or of a newer version.
  public static func read(_ bytes: [UInt8]) throws(CaptureError) -> CaptureContents {
    var reader = RecordReader()
    switch TextHeader.read(bytes.span) {
    case .capture(let version, let length):
      _ = reader.read(bytes.span, file: nil, version: version, from: length)
    case .damaged(let reason):
      _ = reader.read(bytes.span, file: nil, from: 0, headerDamage: reason)
    case .newer(let version):
      throw .newerVersion(found: version, supported: TextHeader.version)
    case .cutOff:
      guard !bytes.isEmpty else { throw .empty }
      throw .nothingReadable(CaptureDamage(record: 1, offset: 0, reason: .cutOff))
    case .foreign:
      throw .notACapture
    }
    return CaptureContents(
      format: .sensord, captures: reader.sessions.map(\.capture), damages: reader.damages.first,
      damageCount: reader.damages.count, unknownRecords: reader.unknownRecords.first,
      unknownRecordCount: reader.unknownRecords.count)
  }
}
