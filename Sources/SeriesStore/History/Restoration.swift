public import FoundationEssentials
import HealthModel

/// One time at which a store was restored, from a backup or from rows that were kept elsewhere.
public struct Restoration: Hashable, Sendable {
  /// A new one each time.
  public var id: UUID
  /// The number of the last change that the backup had; 0 where it had none. Up to it the history is what it was before, and
  /// behind it a number may be another change than it was.
  public var change: Int64

  /// Whether the store was made of rows that were kept elsewhere (``StoreRestoration``), not of a backup of its file.
  public var isOfRows: Bool { id.uuid.6 >> 4 == 8 }

  /// One time, by its mark.
  public init(id: UUID, change: Int64) {
    self.id = id
    self.change = change
  }
}

extension HealthStore {
  /// When this store was restored from a backup, oldest first; empty where it never was.
  public func restorations() throws(StoreError) -> [Restoration] {
    try opened().read { (connection) throws(StoreError) in try connection.restorations() }
  }
}

extension Connection {
  /// Empty in a file from before there was a table of them, which only a writer makes.
  func restorations() throws(StoreError) -> [Restoration] {
    guard try has(Schema.restorations) else { return [] }
    var statement = try prepare("SELECT uuid, number FROM restorations ORDER BY ordinal")
    var restorations: [Restoration] = []
    while try statement.step() {
      guard let id = UUID(bytes: statement.bytes(0)) else { throw corrupt("the times it was restored") }
      restorations.append(Restoration(id: id, change: statement.integer(1)))
    }
    return restorations
  }

  /// Marks the file as restored as it is now, from a backup or from rows.
  func addRestoration(ofRows: Bool = false) throws(StoreError) {
    let ordinal = try integer("SELECT ifnull(max(ordinal), 0) + 1 FROM restorations")
    var mark = UUID().uuid
    // A UUID whose bits are the maker's own (RFC 9562, version 8).
    if ofRows { mark.6 = mark.6 & 0x0F | 0x80 }
    try insert([.integer(ordinal), SQLValue(UUID(uuid: mark)), .integer(changeList.last())], into: Schema.restorations)
  }
}
