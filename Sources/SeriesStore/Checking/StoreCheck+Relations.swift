extension StoreCheck {
  /// Statements that find what does not belong together, though each row may be as it was written.
  static let relations = [strayRows, missingRows, outsiders]

  /// Rows that name others which are not there: a query would leave them out without a word.
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

  /// The same of markers, which a file from before there were any has no table of.
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

  /// The same of what samples hold.
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

  /// Rows that others say were there: the object of a change that nothing undid, the change before a time of saving, and what is
  /// counted from 0.
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

  /// What ends before it starts, and sessions with something before their start or after their end; rates have lost their
  /// microseconds.
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
