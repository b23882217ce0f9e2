@testable import SeriesStore

/// The queries of a program of layout 1, statement for statement, and its writes.
enum OldReader {
  /// All answers as text.
  static func answers(_ connection: Connection) throws -> String {
    var text = ""
    for query in queries {
      var statement = try connection.prepare(query)
      while try statement.step() {
        text += (0..<Int32(statement.columnNames.count)).map { "\(statement.value($0))" }.joined(separator: " ") + "\n"
      }
    }
    return text
  }

  private static let sampleTables = """
    sample JOIN type ON type.id = sample.type JOIN source ON source.id = sample.source
      LEFT JOIN device ON device.id = sample.device LEFT JOIN session ON session.id = sample.session
    """

  /// Rows are numbered anew by the new layout: each question finds by UUID what it names. Reports are in their own order.
  private static let queries = [
    """
    SELECT session.uuid, session.sync_version, session.start, session.end, session.end_reason,
      session.coverage_floor, session.coverage_ceiling, session.sdnn, session.rmssd, session.pnn50,
      rate.count, rate.average, rate.minimum, rate.maximum, rate.most_recent, rate.most_recent_start,
      beat.count, beat.gaps, (SELECT count(*) FROM run WHERE run.sample = beat.id),
      (SELECT count(*) FROM gap WHERE gap.session = session.id), device.name, source.identifier
    FROM session JOIN device ON device.id = session.device JOIN source ON source.id = session.source
      LEFT JOIN sample AS rate ON rate.session = session.id
        AND rate.type IN (SELECT id FROM type WHERE identifier = 'heartRate')
      LEFT JOIN sample AS beat ON beat.session = session.id
        AND beat.type IN (SELECT id FROM type WHERE identifier = 'heartbeatSeries')
    WHERE 1 ORDER BY session.start, session.id
    """,
    "SELECT reason, detail, gap.start, gap.end, lost FROM gap JOIN session ON session.id = gap.session ORDER BY ordinal",
    """
    SELECT sample.uuid, type.identifier, sample.start, sample.end, sample.count, sample.sum,
      sample.average, sample.minimum, sample.maximum, sample.most_recent, sample.most_recent_start,
      sample.most_recent_end, session.uuid, sample.sync_identifier, sample.sync_version, sample.change, timescale
    FROM \(sampleTables) WHERE type.identifier NOT LIKE '%RMSSD' AND type.identifier NOT LIKE '%PNN50'
    ORDER BY sample.change
    """,
    """
    SELECT sample.uuid, chunk.id & 1048575, chunk.payload FROM chunk JOIN sample ON sample.id = chunk.id >> 20
    ORDER BY sample.uuid, chunk.id
    """,
    """
    SELECT sample.uuid, summary.count, summary.sum, summary.cells FROM summary JOIN sample ON sample.id = summary.id >> 20
    ORDER BY sample.uuid, summary.id
    """,
    """
    SELECT first, run.count, first_tick, anchor, slope, uncertainty, run.start, run.end
    FROM run JOIN sample ON sample.id = run.sample ORDER BY sample.uuid, ordinal
    """,
    """
    SELECT key, form, value, unit FROM metadata JOIN session ON session.id = metadata.owner AND kind = 0 ORDER BY key
    """,
    """
    SELECT key, form, value + 0, unit FROM metadata JOIN session ON session.id = metadata.owner AND kind = 1 ORDER BY key
    """,
    """
    SELECT key, value FROM metadata JOIN sample ON sample.id = metadata.owner AND kind = 2
    WHERE sample.session IS NULL OR key = 'divisor' ORDER BY key
    """,
    "SELECT uuid, object, deleted, time FROM change WHERE number <= 6 ORDER BY number",
    "SELECT address, name, added FROM sensor ORDER BY added",
  ]

  /// The first thing that each of its transactions writes.
  static let writes = [
    "INSERT INTO source (identifier, name) VALUES ('a', 'b')",
    "INSERT INTO device (name) VALUES ('a')",
    """
    INSERT INTO change (number, uuid, object, deleted, time)
    VALUES ((SELECT ifnull(max(number), 0) + 1 FROM change), x'00', 1, 0, 0)
    """,
    "DELETE FROM chunk WHERE id BETWEEN 1 AND 2", "DELETE FROM gap WHERE session = 1",
    "INSERT OR REPLACE INTO metadata (owner, kind, key, form, value, unit) VALUES (0, 3, 'erasure', 4, 1, NULL)",
    "DELETE FROM metadata WHERE owner = 0 AND kind = 3 AND key = 'erasure'",
    "UPDATE sensor SET name = 'a' WHERE address = 'b'", "DELETE FROM sensor WHERE address = 'b'",
    """
    INSERT INTO sensor (address, name, added) VALUES ('a', 'b', 0)
    ON CONFLICT (address) DO UPDATE SET name = ?2 WHERE ?2 IS NOT NULL AND name IS NOT ?2
    """,
  ]
}
