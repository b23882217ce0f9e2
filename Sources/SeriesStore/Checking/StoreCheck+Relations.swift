extension StoreCheck {
  /// Rows that name others which are not there: a query would leave them out without a word.
  func strays() throws(StoreError) -> [String] {
    let contents = try connection.samples.contentTables().map { table in
      """
      SELECT '\(table.name.filter { $0 != "\"" && $0 != "'" }) of sample row ' || (\(table.column) >> \(table.shift)),
          'no sample has them'
        FROM \(table.name) WHERE \(table.column) >> \(table.shift) NOT IN (SELECT id FROM samples)
        GROUP BY \(table.column) >> \(table.shift)
      """
    }
    return [Self.strayRows] + contents
  }

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

  /// Sessions with something before their start or after their end; rates have lost their microseconds.
  static let outsiders = """
    WITH named AS (SELECT session.*, lower(hex(change.uuid)) AS name FROM sessions AS session
      LEFT JOIN changes AS change ON change.number = session.id)
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
    """
}
