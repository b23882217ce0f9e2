internal import FoundationEssentials
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

  /// Appends a value for each second from the first to the last; E for a second without a rate.
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

/// The resources around the values.
struct FHIRResources {
  private let recording: InterchangeRecording
  private let device: String?

  init(_ recording: InterchangeRecording) {
    self.recording = recording
    device = recording.device.model ?? recording.device.name ?? recording.device.manufacturer
  }

  /// Everything before the first resource.
  var beginning: String {
    """
    {"resourceType":"Bundle","id":\(JSONText.quoted(recording.id.uuidString.lowercased())),"type":"collection",\
    "timestamp":"\(recording.span.end.iso8601())","entry":[

    """
  }

  /// The Device; the source as a device of its own stands in for an unknown sensor.
  var deviceEntry: String {
    let name = JSONText.quoted(device ?? recording.source.name)
    return """
      {"fullUrl":"\(url("device"))","resource":{"resourceType":"Device",\
      "deviceName":[{"name":\(name),"type":"user-friendly-name"}]}}
      """
  }

  /// The Observation of rates up to its values.
  var rateBeginning: String {
    let first = recording.rates.first?.time.microseconds.flooredSeconds ?? 0
    let last = recording.rates.last?.time.microseconds.flooredSeconds ?? 0
    let span = #"{"start":""# + second(first) + #"","end":""# + second(last) + #""}"#
    return observation("rate", code: "8867-4", "Heart rate", period: span) + """
      ,"valueSampledData":{"origin":{"value":0,"unit":"beats/minute","system":"http://unitsofmeasure.org","code":"/min"},\
      "period":1000,"dimensions":1,"data":"
      """
  }

  /// SDNN of the whole recording; nil where it cannot be computed.
  var variability: String? {
    guard !recording.heartbeats.beats.isEmpty else { return nil }
    let report = VariabilityReport(NNIntervals(recording.heartbeats), in: recording.span)
    guard let figure = try? report.figure(.sdnn), figure.value.isFinite else { return nil }
    return observation(
      "sdnn", code: "80404-7", "R-R interval.standard deviation (Heart rate variability)", period: span)
      + #","valueQuantity":\#(quantity((figure.value * 100).rounded() / 100, "ms", "ms"))}}"#
  }

  /// The group of a workout: what was done, how long, and what was measured meanwhile; nil for a session.
  var workout: String? {
    guard let activity = recording.activity else { return nil }
    let members = [url("rate")] + (variability == nil ? [] : [url("sdnn")])
    let references = members.map { #"{"reference":"\#($0)"}"# }.joined(separator: ",")
    // Without pauses: so long the exercise was.
    let minutes = Double(recording.pauses.microsecondsLeft(of: recording.span) / 1000) / 60_000
    return observation("workout", code: "73985-4", "Exercise activity", period: span)
      + #","valueCodeableConcept":{"text":\#(JSONText.quoted(activity.description))},"#
      + #""hasMember":[\#(references)],"#
      + #""component":[{"code":\#(coding("55411-3", "Exercise duration")),"#
      + #""valueQuantity":\#(quantity((minutes * 1000).rounded() / 1000, "min", "min"))}]}}"#
  }

  private var span: String {
    #"{"start":"\#(recording.span.start.iso8601())","end":"\#(recording.span.end.iso8601())"}"#
  }

  /// An Observation, open for its value. The identifier names the recording.
  private func observation(_ part: String, code: String, _ name: String, period: String) -> String {
    #"{"fullUrl":"\#(url(part))","resource":{"resourceType":"Observation","#
      + #""identifier":[{"use":"secondary","type":{"text":"sensord \#(recording.isWorkout ? "workout" : "session")"},"#
      + #""system":"urn:ietf:rfc:3986","value":"urn:uuid:\#(recording.id.uuidString.lowercased())"}],"#
      + #""status":"final","code":\#(coding(code, name)),"#
      + #""effectivePeriod":\#(period),"device":{"reference":"\#(url("device"))"}"#
  }

  private func coding(_ code: String, _ name: String) -> String {
    #"{"coding":[{"system":"http://loinc.org","code":"\#(code)","display":"\#(name)"}],"text":"\#(name)"}"#
  }

  private func quantity(_ value: Double, _ unit: String, _ code: String) -> String {
    #"{"value":\#(value),"unit":"\#(unit)","system":"http://unitsofmeasure.org","code":"\#(code)"}"#
  }

  private func second(_ seconds: Int64) -> String {
    Timestamp(microseconds: seconds * 1_000_000).iso8601(fractionDigits: 0)
  }

  /// The URL of a part: the same for the same part of the same recording.
  private func url(_ part: String) -> String {
    "urn:uuid:\(UUID(madeOf: "sensord fhir\n\(recording.id.uuidString)\n\(part)").uuidString.lowercased())"
  }
}
