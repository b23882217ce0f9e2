import FoundationEssentials
import HealthModel

extension WorkoutTable {
  /// Computes anew the figures of the workouts whose collected samples this transaction has changed.
  func renewFigures() throws(StoreError) {
    for number in connection.staleWorkouts.sorted() { try renewFigures(of: number) }
    connection.staleWorkouts = []
  }

  private func renewFigures(of number: Int64) throws(StoreError) {
    let found: Stored?
    do throws(StoreError) {
      found = try workout(number, id: UUID())
    } catch {
      // A damaged workout must not prevent deletions; its figures are removed with the samples that they were computed
      // from.
      guard error.isCorrupt else { throw error }
      found = nil
    }
    guard try exist() else { return }
    try connection.run("DELETE FROM workout_statistics WHERE workout = ?1", number)
    guard let workout = found?.workout else { return }
    let quantities = CollectedQuantities(try samples(collectedBy: number, over: workout.span).readable)
    let renewed = workout.with(quantities)
    try insert(renewed.allStatistics, of: number, part: 0)
    for (place, activity) in renewed.activities.enumerated() {
      try insert(activity.allStatistics, of: number, part: Int64(place) + 1)
    }
  }

  private func insert(_ statistics: [WorkoutStatistics], of number: Int64, part: Int64) throws(StoreError) {
    for figures in statistics {
      let span = figures.mostRecentSpan
      try connection.insert(
        [
          .integer(number), .integer(part), .integer(try connection.types.row(of: .quantity(figures.type))),
          .integer(Int64(figures.count)), SQLValue(figures.sum), SQLValue(figures.average), SQLValue(figures.minimum),
          SQLValue(figures.maximum), SQLValue(figures.mostRecent), SQLValue(span?.start.microseconds),
          SQLValue(span?.end.microseconds),
        ], into: Self.statistics)
    }
  }

  /// The quantities that were collected with a workout; nil if some of them cannot be read.
  func collectedQuantities(by number: Int64, over span: TimeSpan) throws(StoreError) -> CollectedQuantities? {
    let (readable, isComplete) = try samples(collectedBy: number, over: span)
    return isComplete ? CollectedQuantities(readable) : nil
  }

  /// The quantity samples that were collected with a workout, with their values near the span, and whether all could be read.
  private func samples(
    collectedBy number: Int64, over span: TimeSpan
  ) throws(StoreError) -> (readable: [WorkoutSample], isComplete: Bool) {
    var statement = try connection.prepare(
      """
      SELECT sample.id, sample.type, \(ProvenanceTables.sourceColumns), \(ProvenanceTables.deviceColumns),
        sample.device IS NOT NULL
      FROM associations JOIN samples AS sample ON sample.id = member JOIN sources AS source ON source.id = sample.source
        LEFT JOIN devices AS device ON device.id = sample.device
      WHERE owner = ?1 AND role = ?2 AND sample.start < ?4 AND sample.end >= ?3
      ORDER BY position
      """)
    try statement.bind(number, at: 1)
    try statement.bind(AssociationTable.Role.collected.rawValue, at: 2)
    try statement.bind(span.start.microseconds, at: 3)
    try statement.bind(span.end.microseconds, at: 4)
    var chunks = try connection.quantitySeries.statement(from: span.start.microseconds, to: span.end.microseconds)
    var samples: [WorkoutSample] = []
    var isComplete = true
    var types: [Int64: SampleType] = [:]
    while try statement.step() {
      try connection.checkCancellation()
      let row = statement.integer(1)
      if types[row] == nil { types[row] = try connection.types.type(row: row) }
      guard let type = types[row], type.kind == .quantity else { continue }
      let device = statement.integer(15) == 0 ? nil : ProvenanceTables.device(in: statement, from: 7)
      do throws(StoreError) {
        samples.append(
          WorkoutSample(
            type, from: DataSource(ProvenanceTables.source(in: statement, from: 2), device),
            quantities: try connection.quantitySeries.track(of: statement.integer(0), from: &chunks)))
      } catch {
        guard error.isCorrupt else { throw error }
        isComplete = false
      }
    }
    return (samples, isComplete)
  }
}
