extension LayoutOne {
  /// The tables of layout 1 as views, for readers that have the file open. They hold no data and cannot be written to.
  static let views: [(name: String, query: String)] = [
    ("source", select(Schema.sources)),
    ("device", select(Schema.devices)),
    ("sensor", select(Schema.sensors)),
    ("type", "SELECT id, identifier, unit, style, style_version FROM types"),
    (
      "change",
      """
      SELECT number, uuid, CASE type.kind WHEN 'session' THEN 1 ELSE 2 END AS object, deleted,
        (SELECT time FROM commits WHERE first <= number ORDER BY first DESC LIMIT 1) AS time
      FROM changes LEFT JOIN types AS type ON type.id = changes.type
      """
    ),
    (
      "session",
      """
      SELECT id, change.uuid AS uuid, sync_version, id AS change, session.source AS source, device, start, end,
        end_reason, coverage_floor, coverage_ceiling, \(figure("SDNN")) AS sdnn, \(figure("RMSSD")) AS rmssd,
        \(figure("PNN50")) AS pnn50
      FROM sessions AS session JOIN changes AS change ON change.number = session.id
      """
    ),
    ("gap", select(Schema.gaps)),
    (
      "sample",
      """
      SELECT sample.id AS id, change.uuid AS uuid, sample.type AS type, sample.id AS change, session,
        sample.source AS source, device, start, end, count, sum, average, minimum, maximum, most_recent,
        most_recent_start, most_recent_end, duration, timescale, gaps, sync_identifier, sync_version
      FROM samples AS sample JOIN changes AS change ON change.number = sample.id
        LEFT JOIN heartbeat_series AS series ON series.sample = sample.id
      WHERE sample.type IN (SELECT id FROM types WHERE kind IN ('quantity', 'heartbeatSeries'))
      """
    ),
    ("run", select(HeartbeatSeriesTable.runs)),
    ("chunk", select(ChunkTable.chunks)),
    ("summary", select(QuantitySeriesTable.summaries)),
    (
      "metadata",
      """
      SELECT owner, 0 AS kind, key, form, value, unit FROM metadata_values WHERE owner IN (SELECT id FROM sessions)
      UNION ALL SELECT id, 1, key, form, value, unit FROM (\(QualityText.rows))
      UNION ALL SELECT owner, 2, key, form, value, unit FROM metadata_values WHERE owner IN (SELECT id FROM samples)
      UNION ALL SELECT 0, 3, 'erasure', \(MetadataTable.Form.time.rawValue), erasure, NULL FROM store
        WHERE erasure IS NOT NULL
      """
    ),
  ]

  private static func select(_ table: Table) -> String {
    "SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name)"
  }

  private static func figure(_ name: String) -> String {
    """
    (SELECT average FROM samples WHERE samples.session = session.id
          AND samples.type IN (SELECT id FROM types WHERE identifier = 'heartRateVariability\(name)'))
    """
  }
}
