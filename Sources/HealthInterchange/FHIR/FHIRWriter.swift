internal import HealthModel

/// FHIR (R4): a Bundle with the device, the rate of each second as SampledData, SDNN, and of a workout the group of these.
///
/// Intervals are not in it: SampledData has one value for each period.
package enum FHIRWriter: CollectionWriter {
  package static let format = InterchangeFormat.fhir

  package static func begin(_ first: InterchangeRecording, _ buffer: inout PieceBuffer) {
    buffer.append(FHIRResources(first).beginning)
  }

  package static func append<Failure: Error>(
    _ recording: InterchangeRecording, isFirst: Bool, _ buffer: inout PieceBuffer,
    to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let resources = FHIRResources(recording)
    buffer.append((isFirst ? "" : ",\n") + resources.deviceEntry)
    buffer.append(",\n" + resources.rateBeginning)
    try append(recording, &buffer, to: receive)
    buffer.append(#""}}}"#)
    if let variability = resources.variability { buffer.append(",\n" + variability) }
    if let workout = resources.workout { buffer.append(",\n" + workout) }
  }

  package static func end(_ buffer: inout PieceBuffer) {
    buffer.append("\n]}\n")
  }

  /// A value for each second from the first to the last; E where there is none.
  private static func append<Failure: Error>(
    _ recording: InterchangeRecording, _ buffer: inout PieceBuffer, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var next: Int64?
    for rate in RateSeconds(recording) {
      if let next {
        var second = next
        while second < rate.second {
          buffer.append(" E")
          second += 1
          try buffer.hand(to: receive)
        }
        buffer.append(byte: 0x20)
      }
      buffer.append(Int64(rate.beatsPerMinute))
      next = rate.second + 1
      try buffer.hand(to: receive)
    }
  }
}
