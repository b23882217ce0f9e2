public import FoundationEssentials
import Glibc
import HealthModel

/// Makes a store of rows that were kept elsewhere (``HealthStore/history(after:limit:bytes:)``), each as it was.
///
/// First what others refer to, then the changes in order, then ``finish()``: only then the file is at its path. For one thread at a
/// time. The list of changes is as long as it was, so an anchor of the old file is either right in this one or refused. Not restored
/// is what the history does not have: the sensors that may be recorded, and what programs were granted. Files of attachments are added
/// by themselves (``addFile(from:digest:)``).
public final class StoreRestoration {
  private let path: String
  private let draft: String
  /// Nil once finished.
  private var connection: Connection?
  private let tables: [String: Table]
  private var last: Int64 = 0
  private var time: Timestamp?
  private let attachments: AttachmentFolder
  /// Those that were not there before.
  private var files: Set<String> = []

  /// Begins with an empty store of this identity.
  ///
  /// - Throws: ``StoreError/Code/invalid`` where something is at `path`: it is never replaced.
  public init(_ path: String, identity: UUID, mode: UInt32 = 0o600) throws(StoreError) {
    self.path = path
    var status = stat()
    guard unsafe lstat(path, &status) != 0 else { throw Self.isThere(path) }
    let draft = try StoreFile.makeDraft(of: path, mode: mode, identity: identity)
    self.draft = draft
    attachments = AttachmentFolder(besides: path, identity: identity, draft: draft)
    tables = Dictionary(
      Schema.allTables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    do throws(StoreError) {
      let connection = try StoreFile.connect(toDraft: draft)
      try connection.execute("BEGIN IMMEDIATE")
      self.connection = connection
    } catch {
      StoreFile.removeDraft(draft)
      throw error
    }
  }

  deinit {
    if connection != nil { removeFiles() }
    connection = nil
    StoreFile.removeDraft(draft)
  }

  private func removeFiles() {
    guard !files.isEmpty, let folder = try? attachments.open() else { return }
    for name in files { attachments.remove(name, in: folder) }
    // Fails where other stores have files in it.
    unsafe rmdir(attachments.path)
  }

  /// Adds a row of `types`, `sources` or `devices`.
  public func add(_ reference: StoredRow) throws(StoreError) {
    guard ["types", "sources", "devices"].contains(reference.table) else {
      throw StoreError(.invalid, "a row of \(reference.table) is nothing that others refer to")
    }
    try insert(reference)
  }

  /// Adds a change with its rows. Numbers that are left out become deletions of nothing, since the list has no hole.
  ///
  /// - Throws: ``StoreError/Code/invalid`` where it is not behind the last one, or has rows of tables or columns that this program
  ///   does not know.
  public func add(_ change: StoredChange) throws(StoreError) {
    let connection = try opened()
    guard change.number > last, change.number - last <= Self.longestHole else {
      throw StoreError(.invalid, "change \(change.number) is not behind change \(last)")
    }
    let first = last + 1
    if change.time ?? time ?? Timestamp(microseconds: 0) != time {
      let made = change.time ?? Timestamp(microseconds: 0)
      try connection.insert([.integer(first), SQLValue(made)], into: Schema.commits)
      time = made
    }
    while last + 1 < change.number {
      last = try connection.changeList.record(StoredChange.nothing, type: nil, source: nil, deleted: true)
    }
    last = try connection.changeList.record(
      change.object, type: change.type?.row, source: change.source?.row, deleted: change.isDeletion)
    for row in change.rows { try insert(row) }
  }

  /// More changes without a row than any history has, which only a damaged number asks for.
  private static let longestHole: Int64 = 1 << 26

  /// Adds the file of an attachment, all that a descriptor has left: where its digest says what it is.
  ///
  /// - Throws: ``StoreError/Code/corrupt(object:)`` where these are other bytes; ``StoreError/Code/attachment(_:)`` where they are
  ///   nothing that could be attached.
  public func addFile(from descriptor: Int32, digest: String) throws(StoreError) {
    _ = try opened()
    let file = try AttachmentDraft(attachments, from: descriptor, patience: nil)
    guard file.digest == digest else {
      throw StoreError(.corrupt(object: "attachment"), "the bytes of an attachment are not those that its digest names")
    }
    let name = attachments.name(ofFile: digest)
    var isNew = true
    if let folder = try attachments.open(), try attachments.open(name, in: folder) != nil { isNew = false }
    try file.publish()
    if isNew { files.insert(name) }
  }

  /// Puts the file at its path.
  public func finish() throws(StoreError) {
    let connection = try opened()
    try connection.addRestoration(ofRows: true)
    try connection.execute("COMMIT")
    guard try connection.emptyWriteAheadLog() else {
      throw StoreError(.locked, "\(draft) is in use; nobody else may open it")
    }
    self.connection = nil
    // link(2) does not replace.
    guard unsafe link(draft, path) == 0 else {
      let code = errno
      removeFiles()
      if code == EEXIST { throw Self.isThere(path) }
      throw StoreFile.cannotCreate(path, code)
    }
    StoreFile.removeDraft(draft)
  }

  private func opened() throws(StoreError) -> Connection {
    guard let connection else { throw StoreError(.closed, "the store was restored before") }
    return connection
  }

  private func insert(_ row: StoredRow) throws(StoreError) {
    guard let table = tables[row.table], row.columns.allSatisfy(table.columns.contains) else {
      throw StoreError(
        .invalid,
        "this program does not know all of the table '\(row.table)'; use the one that wrote it, or a later one")
    }
    try opened().insert(table.columns.map { row[$0] }, into: table)
  }

  static func isThere(_ path: String) -> StoreError {
    StoreError(.invalid, "there is something at \(path) already; move it away, or restore to another place")
  }
}

extension StoredChange {
  /// The object of deletions that delete no object: the nil UUID.
  public static var nothing: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

  /// The same change under other numbers: its own, and those that its rows refer to.
  ///
  /// Numbers that are not in a list stay as they are.
  public func renumbered(
    to number: Int64, objects: [Int64: Int64] = [:], types: [Int64: Int64] = [:], sources: [Int64: Int64] = [:],
    devices: [Int64: Int64] = [:]
  ) -> StoredChange {
    let before = rows.first?["id"].integer ?? self.number
    var objects = objects
    objects[before] = number
    var change = self
    change.number = number
    change.members = Dictionary(
      members.map { (objects[$0.key] ?? $0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    change.type = type?.replacing("id", by: types)
    change.source = source?.replacing("id", by: sources)
    change.device = device?.replacing("id", by: devices)
    let contents = Dictionary(
      Schema.contents.map { ($0.table.name, $0) }, uniquingKeysWith: { first, _ in first })
    change.rows = rows.map { row in
      switch row.table {
      case "samples", "sessions":
        row.replacing("id", by: objects).replacing("type", by: types).replacing("source", by: sources)
          .replacing("device", by: devices).replacing("session", by: objects)
      case "gaps", "markers": row.replacing("session", by: objects)
      case "metadata_values", "clocks": row.replacing("owner", by: objects)
      case "associations": row.replacing("owner", by: objects).replacing("member", by: objects)
      default:
        contents[row.table].map { content in
          row.replacing(content.key, by: [before: number], shift: content.shift)
            .replacing("type", by: row.table == "workout_statistics" ? types : [:])
        } ?? row
      }
    }
    return change
  }
}

extension StoredRow {
  /// The row's number.
  fileprivate var row: Int64? { self["id"].integer }

  /// The row with another number in a column, above its lowest bits.
  fileprivate func replacing(_ column: String, by numbers: [Int64: Int64], shift: Int64 = 0) -> StoredRow {
    guard let index = columns.firstIndex(of: column), case .integer(let value) = values[index],
      let number = numbers[value >> shift]
    else { return self }
    var row = self
    row.values[index] = .integer(number << shift | value & (1 << shift - 1))
    return row
  }
}

extension SQLValue {
  fileprivate var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
}
