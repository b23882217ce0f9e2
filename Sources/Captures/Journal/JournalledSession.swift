/// A session of a journal. Accessed only under the journal's lock.
final class JournalledSession {
  var header: CaptureHeader
  /// The session's slot in the segments of this run.
  let slot: Int
  /// Whether its opening record was written.
  var isOpened: Bool
  /// Whether the store has it.
  var isCommitted = false
  var resumption: RecordBuffer.Resumption
  /// The last segment that names it.
  var namedIn: Int?
  /// The last batch of unsynced records in which it was noted.
  var batchNumber = -1

  init(header: CaptureHeader, slot: Int, isOpened: Bool, resumption: RecordBuffer.Resumption) {
    self.header = header
    self.slot = slot
    self.isOpened = isOpened
    self.resumption = resumption
  }
}
