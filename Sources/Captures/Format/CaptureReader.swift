/// Reads the project's own text format, captures and journal segments alike (Documentation/capture-format.md).
public enum CaptureReader {
  /// Reads `bytes`, the whole content of a file.
  ///
  /// - Throws: ``CaptureError`` if the bytes are empty, no capture, or of a newer version.
  public static func read(_ bytes: [UInt8]) throws(CaptureError) -> CaptureContents {
    var window = FileWindow(bytes)
    return try read(&window, limit: CaptureFile.greatestCount)
  }

  /// Reads a file from its first part on.
  static func read(_ window: inout FileWindow, limit: Int) throws(CaptureError) -> CaptureContents {
    var reader = RecordReader(keepsClientData: false, keepsNameless: true)
    var pass: RecordReader.Pass
    switch TextHeader.read(window.bytes.span) {
    case .capture(let version, let length):
      pass = reader.begin(file: nil, fileLength: window.fileLength, version: version, from: length)
    case .damaged(let reason):
      pass = reader.begin(file: nil, fileLength: window.fileLength, from: 0, headerDamage: reason)
    case .newer(let version):
      throw .newerVersion(found: version, supported: TextHeader.version)
    case .cutOff:
      guard !window.bytes.isEmpty else { throw .empty }
      throw .nothingReadable(CaptureDamage(record: 1, offset: 0, reason: .cutOff))
    case .foreign:
      throw .notACapture
    }
    repeat {
      reader.read(window.bytes.span, &pass)
      try CaptureFile.check(reader.eventCount, limit)
    } while try window.advance(&pass.position)
    reader.endFile(&pass)
    return CaptureContents(
      format: .sensord, captures: reader.sessions.map(\.capture), damages: reader.damages.first,
      damageCount: reader.damages.count, unknownRecords: reader.unknownRecords.first,
      unknownRecordCount: reader.unknownRecords.count)
  }
}
