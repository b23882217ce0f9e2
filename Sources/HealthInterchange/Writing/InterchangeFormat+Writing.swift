internal import HealthModel

extension InterchangeFormat {
  /// Who writes it.
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

  /// Who writes several into one file; nil where a file has one.
  var collectionWriter: (any CollectionWriter.Type)? { writer as? any CollectionWriter.Type }

  /// Whether a file can hold several recordings.
  package var holdsSeveral: Bool { collectionWriter != nil }

  /// How names of its files end; those of WFDB's headers.
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

  /// Why this format would have nothing of `recording`; nil where it has something.
  package func refusal(_ recording: InterchangeRecording) -> String? {
    switch self {
    case .fit:
      let first = recording.span.start.microseconds.flooredSeconds - FITProfile.epoch
      // Smaller numbers are seconds since a device was switched on.
      guard first >= 0x1000_0000, first < Int64(UInt32.max) else { return "FIT has no times before July 1998" }
      return Self.emptiness(of: recording)
    case .tcx: return recording.rates.isEmpty ? "TCX has rates, and there is none in it" : nil
    case .rr, .hrvlogger:
      let hasInterval = MeasuredBeats(recording).contains { $0.interval != nil }
      return hasInterval ? nil : "this format has intervals, and there is none in it"
    case .edf:
      guard EDFHeader.canBegin(at: recording.span.start) else { return "EDF has the years from 1985 to 2084" }
      return Self.emptiness(of: recording)
    case .omh:
      let hasInterval = MeasuredBeats(recording).contains { $0.interval != nil }
      return hasInterval || !recording.rates.isEmpty ? nil : "there is neither a rate nor an interval in it"
    case .fhir: return recording.rates.isEmpty ? "FHIR's series are rates, and there is none in it" : nil
    case .apple:
      let hasBeat = MeasuredBeats(recording).contains { _ in true }
      return hasBeat || !recording.rates.isEmpty ? nil : "there is neither a rate nor a beat in it"
    case .wfdb:
      return MeasuredBeats(recording).contains { _ in true }
        ? nil : "WFDB's annotations are beats, and there is none in it"
    }
  }

  private static func emptiness(of recording: InterchangeRecording) -> String? {
    recording.rates.isEmpty && recording.heartbeats.beats.isEmpty ? "there is neither a rate nor a beat in it" : nil
  }
}
