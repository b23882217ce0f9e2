import FoundationEssentials

/// A session of a journal. Accessed only under the journal's lock.
final class JournalledSession: JournalledObject {
  var header: CaptureHeader
  let slot: Int
  /// Whether its opening record was written.
  var isOpened: Bool
  var isCommitted = false
  var resumption: RecordBuffer.Resumption
  var namedIn: Int?
  var batchNumber = -1

  var identifier: UUID { header.session }

  init(header: CaptureHeader, slot: Int, isOpened: Bool, resumption: RecordBuffer.Resumption) {
    self.header = header
    self.slot = slot
    self.isOpened = isOpened
    self.resumption = resumption
  }
}
