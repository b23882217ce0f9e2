internal import FoundationEssentials
internal import HealthModel

/// Open mHealth: an array of data points, each a line; first every rate (`heart-rate` 2.0), then every interval (`rr-interval` 1.0).
package enum OpenMHealthWriter: CollectionWriter {
  package static let format = InterchangeFormat.omh

  package static func begin(_ first: InterchangeRecording, _ buffer: inout PieceBuffer) {}

  /// The identity of each data point begins with the recording's.
  package static func append<Failure: Error>(
    _ recording: InterchangeRecording, isFirst: Bool, _ buffer: inout PieceBuffer,
    to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let name = recording.device.model ?? recording.device.name ?? recording.source.name
    let origin = JSONText.quoted(name)
    let id = recording.id.uuidString.lowercased()
    var count: Int64 = 0
    /// The beginning of a data point, up to its body.
    func begin(_ schema: String, _ version: String, at time: String, _ buffer: inout PieceBuffer) {
      buffer.append(count == 0 && isFirst ? "[\n" : ",\n")
      buffer.append(#"{"header":{"id":""# + id + "-")
      buffer.append(count)
      buffer.append(#"","creation_date_time":""# + time)
      buffer.append(#"","schema_id":{"namespace":"omh","name":""# + schema + #"","version":""# + version)
      buffer.append(#""},"acquisition_provenance":{"source_name":"# + origin + #","modality":"sensed"}},"body":"#)
      count += 1
    }
    for rate in recording.rates {
      let time = rate.time.iso8601()
      begin("heart-rate", "2.0", at: time, &buffer)
      buffer.append(#"{"heart_rate":{"value":"#)
      buffer.append(Int64(rate.beatsPerMinute))
      buffer.append(#","unit":"beats/min"},"effective_time_frame":{"date_time":""# + time + #""}}}"#)
      try buffer.hand(to: receive)
    }
    let perSecond = Int64(recording.heartbeats.timescale)
    var start = ""
    for beat in MeasuredBeats(recording, perSecond: perSecond) {
      let end = beat.time.iso8601(fractionDigits: 6)
      defer { start = end }
      guard let interval = beat.interval else { continue }
      begin("rr-interval", "1.0", at: end, &buffer)
      // Ticks of 1/1024 s have an end behind the point.
      buffer.append(#"{"rr_interval":{"value":"# + "\(Double(interval) * 1000 / Double(perSecond))")
      buffer.append(#","unit":"ms"},"effective_time_frame":{"time_interval":{"start_date_time":""# + start)
      buffer.append(#"","end_date_time":""# + end + #""}}}}"#)
      try buffer.hand(to: receive)
    }
  }

  package static func end(_ buffer: inout PieceBuffer) {
    buffer.append("\n]\n")
  }
}
