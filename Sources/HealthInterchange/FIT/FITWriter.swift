internal import FoundationEssentials
internal import HealthModel

/// FIT: an activity with a record for each second, intervals behind the record of their second, and the timer stopped over gaps.
///
/// The header has the length, so what is written is made twice: first only counted.
package enum FITWriter: RecordingWriter {
  package static let format = InterchangeFormat.fit

  package static func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var size = 0
    var counted = FITBody(recording)
    counted.write { (piece) throws(Never) in size += piece.count }
    let header = header(size)
    var checksum = FITChecksum()
    checksum.add(header)
    try receive(header)
    var body = FITBody(recording)
    try body.write { (piece) throws(Failure) in
      checksum.add(piece)
      try receive(piece)
    }
    try receive([UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)])
  }

  private static func header(_ size: Int) -> [UInt8] {
    let size = UInt32(clamping: size)
    // 14 bytes, protocol 2.0, profile 21.32.
    var header: [UInt8] = [14, 0x20, 0x54, 0x08]
    for shift in [UInt32(0), 8, 16, 24] { header.append(UInt8(truncatingIfNeeded: size >> shift)) }
    header += ".FIT".utf8
    var checksum = FITChecksum()
    checksum.add(header)
    return header + [UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)]
  }
}
