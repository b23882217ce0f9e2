extension Schema {
  /// Workouts and their activities as rows, with the figures of the heart rate.
  ///
  /// Activity types are numbers: names of all in both views would take the declarations of a file beyond its first page, which
  /// everybody reads at opening.
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
