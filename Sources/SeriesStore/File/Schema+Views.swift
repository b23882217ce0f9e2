extension Schema {
  /// The interface for other programs: names and columns of these views stay the same, whatever happens to the tables.
  ///
  /// Times are truncated to milliseconds, because strftime would round them. The file has the statements word for word,
  /// which shows whether they are from an earlier program.
  static let views: [(name: String, statement: String)] = generalViews + workoutViews

  private static let generalViews: [(name: String, statement: String)] = [
    (
      "session_list",
      """
      CREATE VIEW session_list AS
        SELECT lower(hex(change.uuid)) AS id, device.name AS device_name, device.local_identifier AS device_address,
          strftime('%Y-%m-%dT%H:%M:%fZ', session.start / 1000 / 1000.0, 'unixepoch') AS start,
          strftime('%Y-%m-%dT%H:%M:%fZ', session.end / 1000 / 1000.0, 'unixepoch') AS end,
          session.end_reason, rate.count AS rates, rate.average, rate.minimum, rate.maximum, rate.most_recent,
          beat.count AS beats, (SELECT count(*) FROM gaps WHERE gaps.session = session.id) AS gaps,
          session.coverage_floor, session.coverage_ceiling,
          \(figure("heartRateVariabilitySDNN")) AS sdnn_ms, \(figure("heartRateVariabilityRMSSD")) AS rmssd_ms,
          \(figure("heartRateVariabilityPNN50")) AS pnn50_percent,
          session.start AS start_us, session.end AS end_us
        FROM sessions AS session JOIN changes AS change ON change.number = session.id
          JOIN devices AS device ON device.id = session.device
          LEFT JOIN samples AS rate ON rate.session = session.id
            AND rate.type IN (SELECT id FROM types WHERE identifier = 'heartRate')
          LEFT JOIN samples AS beat ON beat.session = session.id
            AND beat.type IN (SELECT id FROM types WHERE identifier = 'heartbeatSeries')
      """
    ),
    (
      "sample_list",
      """
      CREATE VIEW sample_list AS
        SELECT lower(hex(change.uuid)) AS id, type.identifier AS type, type.unit, source.identifier AS source,
          device.name AS device_name, device.local_identifier AS device_address,
          strftime('%Y-%m-%dT%H:%M:%fZ', sample.start / 1000 / 1000.0, 'unixepoch') AS start,
          strftime('%Y-%m-%dT%H:%M:%fZ', sample.end / 1000 / 1000.0, 'unixepoch') AS end,
          sample.count, sample.sum, sample.average, sample.minimum, sample.maximum, sample.most_recent,
          lower(hex(session.uuid)) AS session, sample.start AS start_us, sample.end AS end_us,
          type.kind AS kind, sample.value AS value
        FROM samples AS sample JOIN changes AS change ON change.number = sample.id
          JOIN types AS type ON type.id = sample.type JOIN sources AS source ON source.id = sample.source
          LEFT JOIN devices AS device ON device.id = sample.device
          LEFT JOIN changes AS session ON session.number = sample.session
      """
    ),
    (
      "hour_list",
      """
      CREATE VIEW hour_list AS
        SELECT lower(hex(change.uuid)) AS sample, type.identifier AS type, summary.count, summary.sum, summary.minimum,
          summary.maximum, summary.start AS start_us, summary.end AS end_us
        FROM summaries AS summary JOIN samples AS sample ON sample.id = summary.id >> 20
          JOIN changes AS change ON change.number = sample.id JOIN types AS type ON type.id = sample.type
      """
    ),
    (
      "association_list",
      """
      CREATE VIEW association_list AS
        SELECT lower(hex(owner.uuid)) AS owner, CASE role WHEN 0 THEN 'part' WHEN 1 THEN 'basis' WHEN 2 THEN 'collected' ELSE role END
            AS role,
          position, lower(hex(member.uuid)) AS member
        FROM associations JOIN changes AS owner ON owner.number = associations.owner
          JOIN changes AS member ON member.number = associations.member
      """
    ),
    (
      "change_list",
      """
      CREATE VIEW change_list AS
        SELECT number, lower(hex(uuid)) AS id, type.identifier AS type, source.identifier AS source, deleted,
          (SELECT time FROM commits WHERE first <= number ORDER BY first DESC LIMIT 1) AS time_us
        FROM changes LEFT JOIN types AS type ON type.id = changes.type
          LEFT JOIN sources AS source ON source.id = changes.source
      """
    ),
    ("quality_list", QualityText.view),
    (
      "marker_list",
      """
      CREATE VIEW marker_list AS
        SELECT lower(hex(change.uuid)) AS session,
          strftime('%Y-%m-%dT%H:%M:%fZ', marker.time / 1000 / 1000.0, 'unixepoch') AS time, marker.text,
          marker.time AS time_us
        FROM markers AS marker JOIN changes AS change ON change.number = marker.session
      """
    ),
  ]

  /// The single value of a session's sample of that type.
  private static func figure(_ type: String) -> String {
    """
    (SELECT average FROM samples AS figure WHERE figure.session = session.id
            AND figure.type IN (SELECT id FROM types WHERE identifier = '\(type)'))
    """
  }
}

extension Schema {
  /// Workouts and their activities as rows, with the figures of the heart rate.
  ///
  /// Activity types are numbers: with their names in both views the declarations of a file would exceed its first page,
  /// which every program reads at opening.
  static let workoutViews: [(name: String, statement: String)] = [
    (
      "workout_list",
      """
      CREATE VIEW workout_list AS
        SELECT lower(hex(change.uuid)) AS id, part.activity_type, \(partColumns),
          sample.count AS activities, source.identifier AS source, device.name AS device_name,
          part.start AS start_us, part.end AS end_us, part.duration AS duration_us
        FROM workout_parts AS part JOIN samples AS sample ON sample.id = part.workout
          JOIN changes AS change ON change.number = part.workout JOIN sources AS source ON source.id = sample.source
          LEFT JOIN devices AS device ON device.id = sample.device
          \(rates)
        WHERE part.ordinal = 0
      """
    ),
    (
      "activity_list",
      """
      CREATE VIEW activity_list AS
        SELECT lower(hex(change.uuid)) AS workout, part.ordinal AS position, lower(hex(part.uuid)) AS id,
          part.activity_type, \(partColumns),
          part.start AS start_us, part.end AS end_us, part.duration AS duration_us
        FROM workout_parts AS part JOIN changes AS change ON change.number = part.workout
          \(rates)
        WHERE part.ordinal > 0
      """
    ),
  ]

  private static let partColumns = """
    strftime('%Y-%m-%dT%H:%M:%fZ', part.start / 1000 / 1000.0, 'unixepoch') AS start,
          strftime('%Y-%m-%dT%H:%M:%fZ', part.end / 1000 / 1000.0, 'unixepoch') AS end,
          part.location, part.swimming_location, part.lap_length, part.lap_unit, rate.average, rate.minimum, rate.maximum
    """

  private static let rates = """
    LEFT JOIN workout_statistics AS rate ON rate.workout = part.workout AND rate.part = part.ordinal
            AND rate.type IN (SELECT id FROM types WHERE identifier = 'heartRate' AND kind = 'quantity')
    """
}
