/// The tables of the store's file. Documentation/store-format.md explains each column.
enum Schema {
  /// SQLite's application identifier, which identifies the file as a store: "sens" in ASCII.
  static let applicationIdentifier: Int64 = 0x7365_6E73
  /// The layout, stored in SQLite's `user_version`. The table `store` says which programs may use the file.
  static let version: Int64 = 2
  /// The oldest layout whose programs can read this layout, and the oldest whose programs may write it.
  static let (oldestReader, oldestWriter): (Int64, Int64) = (2, 2)

  /// Settings that must precede the first table.
  ///
  /// Pages of 16 KiB, because chunks of about 4 KB would waste most of the overflow pages of smaller ones.
  static let preparation = """
    PRAGMA page_size = 16384;
    PRAGMA auto_vacuum = NONE;
    """

  /// The tables that all kinds of samples share, and those of the daemon. The tables of a kind are in its
  /// ``SampleContent``.
  static let tables: [Table] = [
    store, sources, devices, types, commits, changes, samples, metadata, associations, contentTables, sensors, sessions,
    gaps, markers, grants, objectGrants, anchors, successors, restorations, clocks, boots,
  ]

  /// The tables of all kinds of samples, and of their attachments.
  static let contents: [ContentTable] = SampleContents.all.flatMap { $0.tables } + AttachmentTable.contents

  /// Every table of this layout.
  static var allTables: [Table] { tables + contents.map(\.table) }

  /// The names of the tables that were added to this layout later: a file that no newer program has opened to write
  /// does not have them.
  static let laterTables: Set<String> = Set(
    [markers, successors, restorations, clocks, boots].map(\.name) + WorkoutTable.contents.map(\.table.name)
      + AudiogramContent.tables.map(\.table.name)
      + VisionPrescriptionContent.tables.map(\.table.name) + ClinicalRecordContent.tables.map(\.table.name)
      + AttachmentTable.contents.map(\.table.name))

  /// The store itself in one row: its identity, and the versions of programs that may use it.
  static let store = Table(
    "store",
    [
      "id INTEGER PRIMARY KEY", "uuid BLOB NOT NULL", "min_reader INTEGER NOT NULL", "min_writer INTEGER NOT NULL",
      "erasure INTEGER",
    ])
  static let sources = Table(
    "sources",
    [
      "id INTEGER PRIMARY KEY", "identifier TEXT NOT NULL", "name TEXT NOT NULL", "version TEXT", "product_type TEXT",
      "operating_system_version TEXT",
    ])
  static let devices = Table(
    "devices",
    [
      "id INTEGER PRIMARY KEY", "name TEXT", "manufacturer TEXT", "model TEXT", "hardware_version TEXT",
      "firmware_version TEXT", "software_version TEXT", "local_identifier TEXT", "unique_device_identifier TEXT",
    ])
  static let types = Table(
    "types",
    [
      "id INTEGER PRIMARY KEY", "identifier TEXT NOT NULL", "kind TEXT NOT NULL", "unit TEXT NOT NULL",
      "style TEXT NOT NULL", "style_version INTEGER NOT NULL",
    ])
  /// The times at which changes were made: those from `first` on, up to the `first` of the next row.
  static let commits = Table("commits", ["first INTEGER PRIMARY KEY", "time INTEGER NOT NULL"])
  /// The checksum of a change continues that of the previous change.
  static let changes = Table(
    "changes",
    [
      "number INTEGER PRIMARY KEY", "uuid BLOB NOT NULL", "type INTEGER", "source INTEGER",
      "deleted INTEGER NOT NULL",
    ])
  /// A sample's `id` is the number of the change that saved it; that change has its UUID.
  static let samples = Table(
    "samples",
    [
      "id INTEGER PRIMARY KEY", "type INTEGER NOT NULL", "source INTEGER NOT NULL", "device INTEGER",
      "session INTEGER", "start INTEGER NOT NULL", "end INTEGER NOT NULL", "value INTEGER", "count INTEGER NOT NULL",
      "sum REAL", "average REAL", "minimum REAL", "maximum REAL", "most_recent REAL", "most_recent_start INTEGER",
      "most_recent_end INTEGER", "duration INTEGER", "sync_identifier TEXT", "sync_version INTEGER",
    ])
  /// Metadata of a sample or a session, by its `id`.
  static let metadata = Table(
    "metadata_values",
    ["owner INTEGER NOT NULL", "key TEXT NOT NULL", "form INTEGER NOT NULL", "value", "unit TEXT"], key: "owner, key")
  static let associations = Table(
    "associations",
    ["owner INTEGER NOT NULL", "role INTEGER NOT NULL", "position INTEGER NOT NULL", "member INTEGER NOT NULL"],
    key: "owner, role, position")
  /// The tables in which kinds store the content of samples. A row belongs to the sample whose `id` is the row's
  /// `key_column` without its lowest `shift` bits. So a program can delete and check kinds that it does not know.
  static let contentTables = Table(
    "content_tables", ["name TEXT NOT NULL", "key_column TEXT NOT NULL", "shift INTEGER NOT NULL"], key: "name")
  static let sensors = Table("sensors", ["address TEXT PRIMARY KEY", "name TEXT", "added INTEGER NOT NULL"])
  /// The former addresses of sensors; `successor` is the present address, however often it has changed.
  static let successors = Table("successors", ["predecessor TEXT PRIMARY KEY", "successor TEXT NOT NULL"])
  /// The times at which the file replaced a lost one, from a backup: `number` is that of its last change then.
  static let restorations = Table(
    "restorations", ["ordinal INTEGER PRIMARY KEY", "uuid BLOB NOT NULL", "number INTEGER NOT NULL"])
  /// A session's `id` is the number of the change that saved it.
  static let sessions = Table(
    "sessions",
    [
      "id INTEGER PRIMARY KEY", "sync_version INTEGER NOT NULL", "source INTEGER NOT NULL", "device INTEGER NOT NULL",
      "start INTEGER NOT NULL", "end INTEGER NOT NULL", "end_reason TEXT NOT NULL", "coverage_floor REAL",
      "coverage_ceiling REAL", "quality TEXT",
    ])
  /// The clock by which a session or a live workout is dated; `owner` is its `id`.
  static let clocks = Table(
    "clocks",
    [
      "owner INTEGER PRIMARY KEY", "boot BLOB", "lead INTEGER", "belief INTEGER NOT NULL", "doubtful INTEGER NOT NULL",
      "dating INTEGER NOT NULL", "shift INTEGER NOT NULL",
    ])
  /// Knowledge of the wall clock of the last boots of the machine.
  static let boots = Table(
    "boots", ["boot BLOB PRIMARY KEY", "lead INTEGER NOT NULL", "belief INTEGER NOT NULL"])
  static let gaps = Table(
    "gaps",
    [
      "session INTEGER NOT NULL", "ordinal INTEGER NOT NULL", "reason TEXT NOT NULL", "detail TEXT",
      "start INTEGER NOT NULL", "end INTEGER NOT NULL", "lost REAL",
    ], key: "session, ordinal")
  /// The points that somebody marked in a session.
  static let markers = Table(
    "markers", ["session INTEGER NOT NULL", "ordinal INTEGER NOT NULL", "time INTEGER NOT NULL", "text TEXT NOT NULL"],
    key: "session, ordinal")
  /// The owner's decisions about programs that reach the store through the daemon; `type` is an identifier.
  static let grants = Table(
    "grants",
    [
      "uid INTEGER NOT NULL", "application TEXT NOT NULL", "type TEXT NOT NULL", "permission TEXT NOT NULL",
      "decision TEXT NOT NULL", "time INTEGER NOT NULL",
    ], key: "uid, application, type, permission")
  /// The samples that such a program may read one by one.
  static let objectGrants = Table(
    "object_grants",
    [
      "uid INTEGER NOT NULL", "application TEXT NOT NULL", "type TEXT NOT NULL", "object BLOB NOT NULL",
      "time INTEGER NOT NULL",
    ], key: "uid, application, type, object")
  /// The positions in the list of changes that such a program knows by random tokens; the greatest `ordinal` is the newest.
  static let anchors = Table(
    "anchors",
    [
      "uid INTEGER NOT NULL", "application TEXT NOT NULL", "ordinal INTEGER NOT NULL", "token BLOB NOT NULL",
      "number INTEGER NOT NULL", "digest INTEGER NOT NULL",
    ], key: "uid, application, ordinal")

  /// The index of changes by the first four bytes of a UUID: an index of all sixteen would be the largest part of a
  /// small sample. No other index of an expression is permitted in a file.
  static let expressionIndex = "CREATE INDEX change_uuid ON changes (substr(uuid, 1, 4))"

  /// The indexes. With those by type, source and identifier a reader who may see a part of the store gets answers
  /// without a look at the rest.
  static let indexes = """
    \(expressionIndex);
    CREATE INDEX change_type ON changes (type);
    CREATE INDEX change_source ON changes (source);
    CREATE INDEX type_identifier ON types (identifier);
    CREATE INDEX source_identifier ON sources (identifier);
    CREATE INDEX sample_time ON samples (type, source, start, end);
    CREATE INDEX sample_session ON samples (session) WHERE session IS NOT NULL;
    CREATE UNIQUE INDEX sample_sync ON samples (sync_identifier, source) WHERE sync_identifier IS NOT NULL;
    CREATE INDEX association_member ON associations (member);
    CREATE INDEX session_start ON sessions (start);
    """

  /// Every index of this layout, with its table and the text that declares it.
  static let allIndexes: [(name: String, table: String, text: String)] = {
    let texts = indexes.split(separator: ";").map { String($0.drop { $0.isWhitespace }) }.filter { !$0.isEmpty }
    return (texts + contents.flatMap(\.indexes)).map { text in
      let words = text.split(separator: " ")
      let word = { (mark: Substring) in String(words[words.firstIndex(of: mark).map { $0 + 1 } ?? 0]) }
      return (word("INDEX"), word("ON"), text)
    }
  }()
}

/// A table of the file: its columns, followed by the checksum of each row.
struct Table: Sendable {
  let name: String
  /// The columns except the checksum, in order.
  let columns: [String]
  /// The statement that creates the table, without its indexes.
  let creation: String
  /// The statement that inserts a row; ?1, ?2 … are the values of the columns.
  let insertion: String

  /// A table with columns as SQL declares them. With `key` it is stored in that key's order, without row numbers.
  init(_ name: String, _ declarations: [String], key: String? = nil) {
    self.name = name
    columns = declarations.map { String($0.prefix { $0 != " " }) }
    let lines = declarations + ["\(Self.checksum) INTEGER NOT NULL"] + (key.map { ["PRIMARY KEY (\($0))"] } ?? [])
    creation = "CREATE TABLE \(name) (\(lines.joined(separator: ", ")))\(key == nil ? "" : " WITHOUT ROWID")"
    let places = declarations.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    insertion = """
      INSERT INTO \(name) (\(columns.joined(separator: ", ")), \(Self.checksum))
      VALUES (\(places), \(RowChecksum.name)(\(places)))
      """
  }

  /// The last column of every table: ``RowChecksum`` of those before it.
  static let checksum = "checksum"
}

extension Connection {
  /// Inserts a row with a value for each column except the checksum.
  func insert(_ values: [SQLValue], into table: Table) throws(StoreError) {
    var statement = try prepare(table.insertion)
    for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index) + 1) }
    try statement.run()
  }

  /// Whether the file has this table, which an earlier program of the same layout may not have made.
  func has(_ table: Table) throws(StoreError) -> Bool {
    try integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(table.name)'") > 0
  }

  /// The number of the next row of a table whose key is `id`.
  func nextRow(of table: Table) throws(StoreError) -> Int64 {
    try integer("SELECT ifnull(max(id), 0) + 1 FROM \(table.name)")
  }
}
