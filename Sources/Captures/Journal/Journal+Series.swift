public import FoundationEssentials
import Synchronization

/// Series of other programs: in the journal before their insertion is answered, so that they outlive the program, the recorder
/// and, from the next sync on, the power.
extension Journal {
  /// Begins a series: writes its description and metadata, with one write.
  ///
  /// - Throws: ``JournalError`` with `notWritten`; the series is not known then, also where too many were begun.
  public func open(
    _ series: ClientSeries, metadata: [String: CaptureMetadataValue] = [:]
  ) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.open(series, metadata: metadata)
    }
  }

  /// Appends values, heartbeats or the end of a series, with one write; with the end also its last metadata.
  ///
  /// - Throws: ``JournalError`` with `unknownSession`, or with `notWritten`: nothing of this record is in the journal.
  public func append(
    _ record: ClientSeriesRecord, metadata: [String: CaptureMetadataValue] = [:], toSeries series: UUID
  ) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.append(record, metadata: metadata, to: series)
    }
  }
}
