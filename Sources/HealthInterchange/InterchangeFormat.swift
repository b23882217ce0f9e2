internal import HealthModel

/// The formats in which recordings leave and come in. The raw values are what people and programs ask by.
package enum InterchangeFormat: String, Hashable, Sendable, CaseIterable {
  /// Garmin's and ANT+'s activity file: rates, intervals, laps and pauses, to the second.
  case fit
  /// Garmin's XML of the Training Center: rates.
  case tcx
  /// A line for each interval, in milliseconds: what Kubios and Elite HRV read and write.
  case rr
  /// The CSV of the app HRV Logger: each interval with its time.
  case hrvlogger
  /// WFDB's header and annotations: each beat at its time, a note at each gap.
  case wfdb
  /// EDF+C: rates as a signal of one a second, beats and gaps as annotations.
  case edf
  /// Open mHealth's data points: rates and intervals.
  case omh
  /// A FHIR Bundle: rates of each second, SDNN, a workout.
  case fhir
  /// Apple Health's `export.xml`: rates of each second, beats, workouts.
  case apple
}

extension InterchangeFormat {
  /// The writer of this format.
  private var writer: any RecordingWriter.Type {
    switch self {
    case .fit: FITWriter.self
    case .tcx: TCXWriter.self
    case .rr: IntervalTextWriter.self
    case .hrvlogger: HRVLoggerWriter.self
    case .wfdb: WFDBWriter.self
    case .edf: EDFWriter.self
    case .omh: OpenMHealthWriter.self
    case .fhir: FHIRWriter.self
    case .apple: AppleWriter.self
    }
  }

  /// The writer of several recordings into one file; nil for a format with one recording in a file.
  var collectionWriter: (any CollectionWriter.Type)? { writer as? any CollectionWriter.Type }

  /// Whether a file can hold several recordings.
  package var holdsSeveral: Bool { collectionWriter != nil }

  /// The ending of the names of files; for WFDB that of headers.
  package var fileEnding: String {
    switch self {
    case .fit: "fit"
    case .tcx: "tcx"
    case .rr: "txt"
    case .hrvlogger: "csv"
    case .wfdb: "hea"
    case .edf: "edf"
    case .omh, .fhir: "json"
    case .apple: "xml"
    }
  }

  /// Writes `recording` in this format, and hands what is written to `receive` piece by piece.
  package func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    try writer.write(recording, to: receive)
  }

  /// The number of rates of `recording` that are not in its file, by reason; empty for a format that has no rates at all, or all of them.
  package func missingRates(_ recording: InterchangeRecording) -> [(count: Int, reason: String)] {
    let hasPauses: Bool
    switch self {
    case .rr, .hrvlogger, .wfdb, .omh: return []
    case .fit, .tcx: hasPauses = true
    case .edf, .fhir, .apple: hasPauses = false
    }
    let pauses = hasPauses ? recording.pauses : TimeStretches()
    let paused = recording.rates.count { pauses.contains($0.time.microseconds) }
    var (written, tooGreat) = (0, 0)
    for one in RateSeconds(recording, withoutPauses: hasPauses) {
      written += 1
      if self == .fit, one.beatsPerMinute > FITProfile.greatestRate { tooGreat += 1 }
    }
    return [
      (recording.rates.count - paused - written, "\(rawValue) has one a second"),
      (paused, "\(rawValue) has none of a pause"),
      (tooGreat, "\(rawValue) has none above \(FITProfile.greatestRate)"),
    ].filter { $0.0 > 0 }
  }

  /// The reason for which this format can have nothing of `recording`; nil where the format has something.
  package func refusal(_ recording: InterchangeRecording) -> String? {
    // No program wrote such a session; a damaged or foreign store may have one.
    guard Timestamp.calendarRange.contains(recording.span.start), Timestamp.calendarRange.contains(recording.span.end)
    else { return "it begins or ends in no year from 1 to 9999" }
    switch self {
    case .fit:
      let first = recording.span.start.microseconds.flooredSeconds - FITProfile.epoch
      // Smaller numbers are seconds since a device was switched on.
      guard first >= 0x1000_0000, first < Int64(UInt32.max) else { return "FIT has no times before July 1998" }
      return Self.emptiness(of: recording) ?? Self.restlessness(of: recording, hasBeats: true)
    case .tcx:
      return recording.rates.isEmpty
        ? "TCX has rates, and there is none in it" : Self.restlessness(of: recording, hasBeats: false)
    case .rr, .hrvlogger:
      let hasInterval = MeasuredBeats(recording).contains { $0.interval != nil }
      return hasInterval ? nil : "this format has intervals, and there is none in it"
    case .edf:
      guard EDFHeader.canBegin(at: recording.span.start) else { return "EDF has the years from 1985 to 2084" }
      return Self.emptiness(of: recording) ?? Self.endlessness(from: recording.span.start, to: recording.span.end)
    case .omh:
      let hasInterval = MeasuredBeats(recording).contains { $0.interval != nil }
      return hasInterval || !recording.rates.isEmpty ? nil : "there is neither a rate nor an interval in it"
    case .fhir:
      guard let first = recording.rates.first, let last = recording.rates.last else {
        return "FHIR's series are rates, and there is none in it"
      }
      return Self.endlessness(from: first.time, to: last.time)
    case .apple:
      let hasBeat = MeasuredBeats(recording).contains { _ in true }
      return hasBeat || !recording.rates.isEmpty ? nil : "there is neither a rate nor a beat in it"
    case .wfdb:
      return MeasuredBeats(recording).contains { _ in true }
        ? nil : "WFDB's annotations are beats, and there is none in it"
    }
  }

  /// The refusal of a recording with nothing outside of the pauses; nil for others.
  private static func restlessness(of recording: InterchangeRecording, hasBeats: Bool) -> String? {
    guard !recording.pauses.isEmpty else { return nil }
    let hasRate = RateSeconds(recording, withoutPauses: true).contains { _ in true }
    let hasBeat = hasBeats && MeasuredBeats(recording, withoutPauses: true).contains { _ in true }
    return hasRate || hasBeat ? nil : "the workout was paused whenever something was measured"
  }

  /// The refusal of a recording that is too long for a format with a value for each second, measured or not; nil for others.
  private static func endlessness(from start: Timestamp, to end: Timestamp) -> String? {
    end.microseconds(since: start) <= 366 * 86_400 * 1_000_000
      ? nil : "this format has a value for each second, and it lasts longer than a year"
  }

  private static func emptiness(of recording: InterchangeRecording) -> String? {
    recording.rates.isEmpty && recording.heartbeats.beats.isEmpty ? "there is neither a rate nor a beat in it" : nil
  }
}
