import Bits
import FoundationEssentials
import Glibc

extension StoreCheck {
  /// Names the rows whose checksum is not that of their values, each with the session or sample that it belongs to.
  mutating func lookAtRows() throws(StoreError) {
    var owners = [
      Self.quoted(Schema.samples): "id", Self.quoted(Schema.sessions): "id", Self.quoted(Schema.gaps): "session",
      Self.quoted(Schema.markers): "session", Self.quoted(Schema.clocks): "owner",
      Self.quoted(Schema.metadata): "owner", Self.quoted(Schema.associations): "owner",
    ]
    /// The tables from which a sample's content is read.
    var contents: Set = [Self.quoted(Schema.samples)]
    try look(at: "the list of contents") { (check) throws(StoreError) in
      for table in try check.connection.samples.contentTables() {
        owners[table.name] = "\(table.column) >> \(table.shift)"
        contents.insert(table.name)
      }
    }
    var tables: [SealedTable] = []
    try look(at: "the columns of tables") { (check) throws(StoreError) in tables = try check.sealedTables() }
    for table in tables {
      let isContent = contents.contains(table.name)
      try look(at: "table \(table.plainName)") { (check) throws(StoreError) in
        try check.lookAtRows(of: table, owner: owners[table.name], isContent: isContent)
      }
    }
  }

  private mutating func lookAtRows(
    of table: SealedTable, owner: String?, isContent: Bool
  ) throws(StoreError) {
    var statement = try connection.prepare(
      """
      SELECT \(table.key), \(owner ?? "NULL") FROM \(table.name)
      WHERE checksum IS NOT \(RowChecksum.name)(\(table.columns))
      """)
    while try statement.step() {
      try connection.checkCancellation()
      let row = "row \(statement.text(0) ?? "") of \(table.plainName)"
      guard let number = statement.optionalInteger(1) else {
        add(row, "it is not as it was written")
        continue
      }
      if isContent { changedSamples.insert(number) }
      add(name(ofObject: number), "\(row) is not as it was written")
    }
  }

  private static func quoted(_ table: Table) -> String { SampleTable.quoted(table.name) }

  /// A table whose rows have a checksum, with the columns that the checksum covers and the text that names a row.
  private struct SealedTable {
    var name: String
    var columns = ""
    var key = ""

    var plainName: String { name.filter { $0 != "\"" && $0 != "'" } }
  }

  /// The tables with checksums as the file has them, so that tables of kinds which this program does not know are
  /// verified too. The list of changes has a chain of its own.
  private func sealedTables() throws(StoreError) -> [SealedTable] {
    var statement = try connection.prepare(
      """
      SELECT schema.name, part.name, part.pk FROM sqlite_schema AS schema JOIN pragma_table_info(schema.name) AS part
      WHERE schema.type = 'table' AND schema.name <> '\(Schema.changes.name)' AND part.cid <
        (SELECT cid FROM pragma_table_info(schema.name) WHERE name = '\(Table.checksum)')
      ORDER BY schema.name, part.cid
      """)
    var tables: [SealedTable] = []
    while try statement.step() {
      let name = SampleTable.quoted(statement.text(0) ?? "")
      let column = SampleTable.quoted(statement.text(1) ?? "")
      if tables.last?.name != name { tables.append(SealedTable(name: name)) }
      let last = tables.count - 1
      tables[last].columns += (tables[last].columns.isEmpty ? "" : ", ") + column
      if statement.integer(2) > 0 { tables[last].key += (tables[last].key.isEmpty ? "" : " || ', ' || ") + column }
    }
    for index in tables.indices where tables[index].key.isEmpty { tables[index].key = "rowid" }
    return tables
  }
}

extension StoreCheck {
  /// Statements that find rows which do not belong together, though each row may be as it was written.
  static let relations = [strayRows, missingRows, outsiders]

  /// Rows that refer to missing rows: queries would leave them out without an error.
  private static let strayRows = """
    SELECT 'session ' || ifnull(lower(hex(change.uuid)), 'row ' || session.id), 'its change, device or source is missing'
      FROM sessions AS session LEFT JOIN changes AS change ON change.number = session.id
      WHERE device NOT IN (SELECT id FROM devices) OR session.source NOT IN (SELECT id FROM sources)
        OR session.id > (SELECT ifnull(max(number), 0) FROM changes)
    UNION ALL SELECT 'sample ' || ifnull(lower(hex(change.uuid)), 'row ' || sample.id),
        'its change, type, source, device or session is missing'
      FROM samples AS sample LEFT JOIN changes AS change ON change.number = sample.id
      WHERE sample.type NOT IN (SELECT id FROM types) OR sample.source NOT IN (SELECT id FROM sources)
        OR (device IS NOT NULL AND device NOT IN (SELECT id FROM devices))
        OR (session IS NOT NULL AND session NOT IN (SELECT id FROM sessions))
        OR sample.id > (SELECT ifnull(max(number), 0) FROM changes)
    UNION ALL SELECT 'gaps of session row ' || session, 'no session has them' FROM gaps
      WHERE session NOT IN (SELECT id FROM sessions) GROUP BY session
    UNION ALL SELECT 'metadata of row ' || owner, 'no session or sample has them' FROM metadata_values
      WHERE owner NOT IN (SELECT id FROM sessions) AND owner NOT IN (SELECT id FROM samples) GROUP BY owner
    UNION ALL SELECT 'associations of row ' || owner, 'an owner or member of them is missing' FROM associations
      WHERE owner NOT IN (SELECT id FROM samples) OR member NOT IN (SELECT id FROM samples) GROUP BY owner
    """

  /// Statements that find markers of missing sessions, and missing markers; empty for an earlier file without a table
  /// of markers.
  func strayMarkers() throws(StoreError) -> [String] {
    guard try connection.has(Schema.markers) else { return [] }
    return [
      """
      SELECT 'markers of session row ' || session, 'no session has them' FROM markers
        WHERE session NOT IN (SELECT id FROM sessions) GROUP BY session
      UNION ALL SELECT 'markers of session row ' || session, 'one of them is missing' FROM markers
        GROUP BY session HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1
      """
    ]
  }

  /// Statements that find content of missing samples.
  func strayContents() throws(StoreError) -> [String] {
    try connection.samples.contentTables().map { table in
      """
      SELECT '\(table.name.filter { $0 != "\"" && $0 != "'" }) of sample row ' || (\(table.column) >> \(table.shift)),
          'no sample has them'
        FROM \(table.name) WHERE \(table.column) >> \(table.shift) NOT IN (SELECT id FROM samples)
        GROUP BY \(table.column) >> \(table.shift)
      """
    }
  }

  /// Missing rows to which other rows refer: the object of a change that no later change undid, the change before a
  /// time of saving, and rows that are numbered from 0.
  private static let missingRows = """
    SELECT 'store', 'what it says of itself is missing, or is there more than once' WHERE (SELECT count(*) FROM store) <> 1
    UNION ALL SELECT 'object ' || lower(hex(saved.uuid)), 'it is missing, and nobody deleted it' FROM changes AS saved
      WHERE NOT saved.deleted AND length(saved.uuid) = 16 AND saved.number NOT IN (SELECT id FROM samples)
        AND saved.number NOT IN (SELECT id FROM sessions)
        AND NOT EXISTS (SELECT 1 FROM changes AS later WHERE substr(later.uuid, 1, 4) = substr(saved.uuid, 1, 4)
          AND later.uuid = saved.uuid AND later.number > saved.number)
    UNION ALL SELECT 'object ' || lower(hex(saved.uuid)), 'it is there, and was deleted or replaced' FROM changes AS saved
      WHERE (saved.number IN (SELECT id FROM samples) OR saved.number IN (SELECT id FROM sessions))
        AND (saved.deleted OR EXISTS (SELECT 1 FROM changes AS later
          WHERE substr(later.uuid, 1, 4) = substr(saved.uuid, 1, 4) AND later.uuid = saved.uuid
          AND later.number > saved.number))
    UNION ALL SELECT 'change ' || first, 'it is missing, and the time is known when it was made' FROM commits
      WHERE first > (SELECT ifnull(max(number), 0) FROM changes)
    UNION ALL SELECT 'change 1', 'nothing says when it was made' WHERE EXISTS (SELECT 1 FROM changes)
      AND NOT EXISTS (SELECT 1 FROM commits WHERE first = 1)
    UNION ALL SELECT 'gaps of session row ' || session, 'one of them is missing' FROM gaps
      GROUP BY session HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1
    UNION ALL SELECT 'associations of row ' || owner, 'one of them is missing' FROM associations
      GROUP BY owner, role HAVING min(position) <> 0 OR max(position) <> count(*) - 1
    """

  /// Objects that end before they start, and sessions with values before their start or after their end. Rates are
  /// stored in whole milliseconds, so they may start up to a millisecond earlier.
  private static let outsiders = """
    WITH named AS (SELECT session.*, ifnull(lower(hex(change.uuid)), 'row ' || session.id) AS name
      FROM sessions AS session LEFT JOIN changes AS change ON change.number = session.id)
    SELECT 'session ' || name, 'its rates lie outside of it' FROM named AS session
      JOIN samples AS sample ON sample.session = session.id
      JOIN types AS type ON type.id = sample.type AND type.identifier = 'heartRate'
      WHERE sample.start < session.start - (session.start % 1000 + 1000) % 1000 OR sample.end > session.end
    UNION ALL SELECT 'session ' || name, 'its beats lie outside of it' FROM named AS session
      JOIN samples AS sample ON sample.session = session.id
      JOIN types AS type ON type.id = sample.type AND type.kind = 'heartbeatSeries'
      WHERE sample.start < session.start OR sample.end > session.end
    UNION ALL SELECT 'session ' || name, 'its gaps lie outside of it' FROM named AS session
      WHERE EXISTS (SELECT 1 FROM gaps AS gap WHERE gap.session = session.id
        AND (gap.start < session.start OR gap.end > session.end OR gap.end < gap.start))
    UNION ALL SELECT 'session ' || name, 'it ends before it starts' FROM named WHERE end < start
    UNION ALL SELECT 'session ' || name, 'its quality report cannot be read' FROM named
      WHERE quality IS NOT NULL AND NOT json_valid(quality)
    UNION ALL SELECT 'sample ' || ifnull(lower(hex(change.uuid)), 'row ' || sample.id), 'it ends before it starts'
      FROM samples AS sample LEFT JOIN changes AS change ON change.number = sample.id WHERE sample.end < sample.start
    """
}

extension StoreCheck {
  /// Compares the files of attachments with their rows in the store.
  mutating func lookAtAttachments(_ folder: AttachmentFolder) throws(StoreError) {
    guard let files = try filesOfRows() else { return }
    let place: Descriptor?
    do throws(StoreError) {
      place = try folder.open()
    } catch {
      add("attachments", "their folder cannot be opened")
      return
    }
    guard let place else {
      for file in files.values.flatMap(\.self) { add("attachment \(file.name)", "its file is missing") }
      return
    }
    for (digest, attachments) in files.sorted(by: { $0.key < $1.key }) {
      try connection.checkCancellation()
      guard let problem = try problem(ofFile: digest, size: attachments[0].size, folder, in: place) else { continue }
      for attachment in attachments { add("attachment \(attachment.name)", problem) }
    }
    for name in try folder.names(in: place) where !folder.isBeingWritten(name, in: place) {
      let digest = folder.digest(ofName: name)
      if let digest, files[digest] != nil { continue }
      if digest != nil || folder.isDraft(name) {
        add("attachments", "a file belongs to no object; a program that opens the store to write removes it")
      } else if folder.isForeign(name) {
        add("attachments", "a file in their folder belongs to another store")
      } else {
        add("attachments", "a file in their folder is none of them")
      }
    }
  }

  /// The names and sizes in the rows of attachments, by the digests of their files.
  private func filesOfRows() throws(StoreError) -> [String: [(name: String, size: Int64)]]? {
    guard try connection.attachments.exist() else { return [:] }
    var files: [String: [(name: String, size: Int64)]] = [:]
    var statement = try connection.prepare("SELECT uuid, digest, size FROM attachments ORDER BY sample, uuid")
    while try statement.step() {
      let name = Hexadecimal.text(statement.bytes(0))
      files[Hexadecimal.text(statement.bytes(1)), default: []].append((name, statement.integer(2)))
    }
    return files
  }

  private func problem(
    ofFile digest: String, size: Int64, _ folder: AttachmentFolder, in place: Descriptor
  ) throws(StoreError) -> String? {
    guard let file = try folder.open(folder.name(ofFile: digest), in: place) else { return "its file is missing" }
    guard try file.status(folder.path).st_size == size else { return "its file is not as long as it was" }
    var hash = SHA256()
    var offset = 0
    while true {
      let piece = try file.read(AttachmentData.pieceLength, at: offset, folder.path)
      if piece.isEmpty { break }
      hash.add(piece[...])
      offset += piece.count
      try connection.checkCancellation()
    }
    return Hexadecimal.text(hash.digest()) == digest ? nil : "its file is not as it was attached"
  }
}
