/// A session that a journal knows. It is reached under the journal's lock only.
final class JournalledSession {
  var header: CaptureHeader
  /// The number that stands for it in the segments of this run.
  let slot: Int
  /// Whether its opening record was written.
  var isOpened: Bool
  /// Whether the store has it.
  var isCommitted = false
  var resumption: RecordBuffer.Resumption
  /// The segment that names it last.
  var namedIn: Int?
  /// The tail in which it was noted last.
  var tailNumber = -1

  init(header: CaptureHeader, slot: Int, isOpened: Bool, resumption: RecordBuffer.Resumption) {
    self.header = header
    self.slot = slot
    self.isOpened = isOpened
    self.resumption = resumption
  }
}
