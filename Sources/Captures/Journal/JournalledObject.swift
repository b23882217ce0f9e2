import FoundationEssentials

/// Something that has records of its own in a journal. Accessed only under the journal's lock.
protocol JournalledObject: AnyObject {
  var identifier: UUID { get }
  /// Its slot in the segments of this run.
  var slot: Int { get }
  /// Whether the store has it.
  var isCommitted: Bool { get set }
  /// The last segment that names it.
  var namedIn: Int? { get set }
  /// The last batch of unsynced records in which it was noted.
  var batchNumber: Int { get set }
}
