import FoundationEssentials
import HealthModel

/// Migrates files of layout 1, from before version 0.1.0, to the present layout.
///
/// Programs of that layout check its number only when they open a file. So the tables have other names now: an old
/// program's next write fails, while views under the old names let an open reader go on.
enum LayoutOne {
  /// Migrates a file in one transaction: a failure leaves it unchanged.
  static func migrate(_ connection: Connection) throws(StoreError) {
    // Nothing is deleted here, so nothing has to be overwritten.
    try connection.execute("PRAGMA secure_delete = OFF")
    try connection.transaction { () throws(StoreError) in
      // Checked again within the transaction: another writer may have migrated it.
      guard try connection.integer("PRAGMA user_version") == 1 else { return }
      try Schema.makeTables(on: connection, store: UUID())
      for copy in copies { try connection.execute(copy) }
      try copyChanges(on: connection)
      try copySessions(on: connection)
      try copyErasure(on: connection)
      let last = try connection.changeList.last()
      try addFigures(on: connection)
      if try connection.changeList.last() > last { try connection.changeList.stamp(from: last + 1) }
      try connection.execute(leftovers.map { "DROP VIEW IF EXISTS \($0);" }.joined())
      try connection.execute(views.map { "DROP TABLE \($0.name);" }.joined())
      try connection.execute(Schema.indexes)
      try Schema.makeViews(on: connection)
      for view in views { try connection.execute("CREATE VIEW \(view.name) AS \(view.query)") }
    }
  }

  /// The file migrated to memory as it is now: for readers, who cannot change the file.
  static func copy(of connection: Connection) throws(StoreError) -> Connection {
    let copy = try Connection(copyOf: connection)
    copy.quantityTypes = connection.quantityTypes
    try migrate(copy)
    return copy
  }

  /// The views of layout 1, which would prevent dropping their tables.
  private static let leftovers = ["session_list", "sample_list", "hour_list"]

  private static func copy(_ table: Table, _ query: String) -> String {
    let columns = table.columns.joined(separator: ", ")
    return """
      WITH old (\(columns)) AS (\(query))
      INSERT INTO \(table.name) (\(columns), \(Table.checksum)) SELECT \(columns), \(RowChecksum.name)(\(columns)) FROM old
      """
  }

  /// The number of a sample or a session becomes that of the change that saved it.
  private static let copies = [
    copy(Schema.sources, "SELECT * FROM source"),
    copy(Schema.devices, "SELECT * FROM device"),
    copy(Schema.sensors, "SELECT * FROM sensor ORDER BY rowid"),
    copy(
      Schema.types,
      """
      SELECT id, identifier, CASE identifier WHEN 'heartbeatSeries' THEN 'heartbeatSeries' ELSE 'quantity' END, unit,
        style, style_version FROM type
      """),
    copy(
      Schema.samples,
      """
      SELECT sample.change, type, sample.source, sample.device, session.change, sample.start, sample.end, NULL, count,
        sum, average, minimum, maximum, most_recent, most_recent_start, most_recent_end, duration, sync_identifier,
        sample.sync_version
      FROM sample LEFT JOIN session ON session.id = sample.session ORDER BY sample.change
      """),
    copy(
      HeartbeatSeriesTable.series,
      "SELECT change, timescale, ifnull(gaps, 0) FROM sample WHERE timescale IS NOT NULL"),
    copy(
      HeartbeatSeriesTable.runs,
      """
      SELECT sample.change, ordinal, first, run.count, first_tick, anchor, slope, uncertainty, run.start, run.end
      FROM run JOIN sample ON sample.id = run.sample
      """),
    copy(ChunkTable.chunks, parts(of: "chunk", "payload")),
    copy(
      QuantitySeriesTable.summaries,
      parts(
        of: "summary",
        "part.start, part.end, part.count, part.sum, part.minimum, part.maximum, part.cells")),
    copy(
      Schema.metadata,
      """
      SELECT session.change, key, form, value, unit FROM metadata JOIN session ON session.id = owner WHERE kind = 0
      UNION ALL SELECT sample.change, key, form, value, unit FROM metadata JOIN sample ON sample.id = owner
        WHERE kind = 2 AND NOT (key = 'heartbeatSeries' AND sample.session IS NOT NULL)
      """),
    copy(
      Schema.gaps,
      """
      SELECT session.change, ordinal, reason, detail, gap.start, gap.end, lost
      FROM gap JOIN session ON session.id = gap.session
      """),
  ]

  /// Rows that refer to samples by their numbers, which change; sample by sample, so that nothing has to be sorted.
  private static func parts(of table: String, _ columns: String) -> String {
    """
    SELECT (sample.change << 20) | (part.id & 0xFFFFF), \(columns)
    FROM sample CROSS JOIN \(table) AS part ON part.id BETWEEN sample.id << 20 AND (sample.id << 20) | 0xFFFFF
    """
  }

  /// Type and source are known for existing objects; objects deleted under layout 1 have none.
  private static func copyChanges(on connection: Connection) throws(StoreError) {
    let session = try connection.types.row(of: .session)
    var changes = try connection.prepare(
      """
      SELECT number, change.uuid, object, deleted, time, sample.type, ifnull(sample.source, session.source)
      FROM change LEFT JOIN sample ON sample.uuid = change.uuid LEFT JOIN session ON session.uuid = change.uuid
      ORDER BY number
      """)
    var time: Int64?
    while try changes.step() {
      let number = changes.integer(0)
      let isSession = changes.integer(2) == 1
      guard let uuid = UUID(bytes: changes.bytes(1)),
        number
          == (try connection.changeList.record(
            uuid, type: isSession ? session : changes.optionalInteger(5), source: changes.optionalInteger(6),
            deleted: changes.integer(3) != 0))
      else { throw connection.corrupt("change \(number)") }
      if changes.integer(4) != time {
        try connection.insert([.integer(number), .integer(changes.integer(4))], into: Schema.commits)
      }
      time = changes.integer(4)
    }
  }

  private static func copySessions(on connection: Connection) throws(StoreError) {
    var sessions = try connection.prepare(
      """
      SELECT id, change, sync_version, source, device, start, end, end_reason, coverage_floor, coverage_ceiling
      FROM session ORDER BY change
      """)
    while try sessions.step() {
      let quality = try quality(of: sessions.integer(0), on: connection)
      let columns = (1..<10).map { sessions.value($0) }
      try connection.insert(columns + [SQLValue(QualityText.pack(quality))], into: Schema.sessions)
    }
  }

  private static func quality(of session: Int64, on connection: Connection) throws(StoreError) -> QualityReport {
    QualityReport(
      try connection.metadata.values(
        "SELECT key, form, value, unit FROM metadata WHERE owner = ?1 AND kind = 1", of: session))
  }

  private static func copyErasure(on connection: Connection) throws(StoreError) {
    let isPending = try connection.integer("SELECT count(*) FROM metadata WHERE owner = 0 AND kind = 3") > 0
    if isPending { try Erasure(connection: connection).note() }
  }

  /// Columns of a session become samples of the session, as in sessions that are saved now.
  private static func addFigures(on connection: Connection) throws(StoreError) {
    var sessions = try connection.prepare(
      """
      SELECT session.id, session.change, session.uuid, sync_version, source, device, start, end, rmssd, pnn50,
        (SELECT change FROM sample WHERE sample.session = session.id AND timescale IS NOT NULL),
        (SELECT change FROM sample WHERE sample.session = session.id
          AND type IN (SELECT id FROM type WHERE identifier = 'heartRateVariabilitySDNN'))
      FROM session ORDER BY change
      """)
    while try sessions.step() {
      guard let uuid = UUID(bytes: sessions.bytes(2)),
        let span = TimeSpan(
          start: Timestamp(microseconds: sessions.integer(6)), end: Timestamp(microseconds: sessions.integer(7)))
      else { throw connection.corrupt("session row \(sessions.integer(0))") }
      let beats = sessions.optionalInteger(10)
      if let beats, let sdnn = sessions.optionalInteger(11) {
        try connection.associations.insert([beats], of: sdnn, as: .basis)
      }
      let algorithm = try quality(of: sessions.integer(0), on: connection).algorithmVersion ?? 0
      let origin = SampleOrigin(
        session: sessions.integer(1), source: sessions.integer(4), device: sessions.integer(5))
      for figure in SessionFigure.all where figure.part != .sdnn {
        guard let value = sessions.optionalReal(figure.part == .rmssd ? 8 : 9) else { continue }
        let identifier = figure.part.identifier(
          in: uuid, syncVersion: sessions.integer(3), algorithmVersion: algorithm, dating: 0)
        try connection.sessions.insert(figure, value, over: span, as: identifier, origin: origin, beats: beats)
      }
    }
  }
}
