package import HealthModel

/// Why a series of another program does not begin, take values or end.
package enum ClientSeriesFailure: Error, Hashable, Sendable {
  /// The recorder is starting or stopping.
  case notRecording
  /// No such series is open: it has ended, or ended by itself.
  case notOpen
  /// The values, or the end, are not valid; nothing of this call was kept.
  case invalid(SeriesError)
  /// It is too much, or its metadata cannot be kept; nothing of this call was kept.
  case refused(ClientDataProblem)
  /// The journal cannot be written, because the disk is full for instance; nothing of this call was kept.
  case journal
  /// The series has ended and is not in the store yet. The journal has it, and the recorder tries again.
  case notStored
}
