import FoundationEssentials
import HealthModel
import SeriesStore

/// Everything that a program can ask of a store, with its answers.
struct Questions {
  /// What was answered, or how it failed.
  enum Answer: Equatable {
    /// The hash of what was answered: values of a hundred types would be slow to compare.
    case value(Int)
    case failure(StoreError)
  }

  private typealias Question = (name: String, ask: (HealthStore) async throws(StoreError) -> Int)

  let path: String
  private var questions: [Question] = []
  /// The sessions of the sound store.
  let sessions: [UUID]
  /// A sample of the program `diary`, by itself.
  let single: UUID

  /// Asks a sound store what there is to ask about.
  init(of path: String) async throws {
    self.path = path
    let store = try HealthStore.open(path, for: .reading)
    let summaries = try await store.sessions()
    sessions = summaries.map(\.id)
    let samples = try await SampleQuery().result(for: store).value
    single = samples.first { $0.type.identifier == "bodyMass" }?.id ?? UUID()
    let anchor = try await ChangeQuery(after: .start, limit: 12).result(for: store).value.anchor
    addLists(anchor, samples)
    addClient()
    for session in sessions { add(session: session) }
    for type in try await store.quantityTypes() { try add(type) }
    addSQL()
    await store.close()
  }

  private mutating func add<Value: Hashable>(
    _ name: String, _ ask: @escaping (HealthStore) async throws(StoreError) -> Value
  ) {
    questions.append((name, { (store) throws(StoreError) in try await ask(store).hashValue }))
  }

  private mutating func addLists(_ anchor: ChangeAnchor, _ samples: [HealthSample]) {
    add("sessions") { (store) throws(StoreError) in try await store.readableSessions().sessions }
    add("sensors") { (store) throws(StoreError) in try await store.allowedSensors() }
    add("types") { (store) throws(StoreError) in try await store.quantityTypes() }
    add("last session") { (store) throws(StoreError) in try await store.session("last") }
    add("samples") { (store) throws(StoreError) in try await SampleQuery().result(for: store).value }
    for type in Set(samples.map(\.type)).sorted(by: { $0.identifier < $1.identifier }) {
      add("samples of \(type.identifier)") { (store) throws(StoreError) in
        try await SampleQuery(.type(type), order: [.init(.end, isDescending: true)]).result(for: store).value
      }
    }
    add("samples by predicate") { (store) throws(StoreError) -> [HealthSample] in
      let predicate = SamplePredicate.or([
        .hasMetadata("game"), .and([.source("diary"), .device("C0:FF:EE:00:00:02")]), .count(.greater, 100),
      ])
      return try await SampleQuery(predicate).result(for: store).value
    }
    for sample in samples where sample.type == .heartbeatSeries {
      add("beats of sample \(sample.id)") { (store) throws(StoreError) in
        try await HeartbeatQuery(sample.id).result(for: store).value
      }
    }
    for sample in samples where sample.type == .workoutRoute {
      add("locations of \(sample.id)") { (store) throws(StoreError) in
        try await WorkoutRouteQuery(sample.id).result(for: store).value
      }
    }
    for sample in samples where sample.type == .audiogram {
      add("points of \(sample.id)") { (store) throws(StoreError) in
        try await AudiogramQuery(sample.id).result(for: store).value
      }
    }
    for sample in samples where sample.type == .visionPrescription {
      add("lenses of \(sample.id)") { (store) throws(StoreError) in
        try await VisionPrescriptionQuery(sample.id).result(for: store).value
      }
      add("attachments of \(sample.id)") { (store) throws(StoreError) -> [Int] in
        var files: [Int] = []
        for attachment in try await store.attachments(for: sample.id) {
          files.append(attachment.hashValue)
          var data = try await store.data(of: attachment)
          while let piece = try data.next() { files.append(piece.hashValue) }
        }
        return files
      }
    }
    for sample in samples where sample.type.kind == .clinicalRecord {
      add("record \(sample.id)") { (store) throws(StoreError) in
        try await ClinicalRecordQuery(sample.id).result(for: store).value
      }
      add("name of \(sample.id)") { (store) throws(StoreError) in
        try await store.clinicalRecordNames(of: [sample.id])
      }
    }
    for sample in samples where sample.type.kind == .correlation {
      add("parts of \(sample.id)") { (store) throws(StoreError) in
        try await SampleQuery(.part(of: sample.id)).result(for: store).value
      }
    }
    add("workouts") { (store) throws(StoreError) in try await WorkoutQuery().result(for: store).value }
    add("workouts by figures") { (store) throws(StoreError) -> [UUID] in
      let hard = WorkoutPredicate.statistic(.average, of: .heartRate, .greater, Quantity(50, .countPerMinute))
      return try await store.identifiers(SampleQuery(.workoutActivity(.and([hard, .activityType(.running)]))))
    }
    for sample in samples where sample.type == .workout {
      add("workout \(sample.id)") { (store) throws(StoreError) in try await store.workout(sample.id) }
      add("collected in \(sample.id)") { (store) throws(StoreError) in
        try await SampleQuery(.collected(in: sample.id)).result(for: store).value
      }
    }
    add("all changes") { (store) throws(StoreError) in try await ChangeQuery(after: .start).result(for: store).value }
    add("changes from an anchor") { (store) throws(StoreError) in
      try await ChangeQuery(after: anchor, limit: 30).result(for: store).value
    }
  }

  private mutating func addClient() {
    let (client, scope) = (SoundStore.client, SoundStore.scope)
    add("grants") { (store) throws(StoreError) in try await store.grants() }
    add("grants of objects") { (store) throws(StoreError) in try await store.objectGrants() }
    add("samples in a scope") { (store) throws(StoreError) in try await store.answer(SampleQuery(), in: scope) }
    add("quantities in a scope") { (store) throws(StoreError) in
      try await store.answer(QuantityQuery(.heartRate), in: scope)
    }
    add("changes for a client") { (store) throws(StoreError) -> [[UUID]] in
      let changes = try await store.answer(ChangeQuery(after: .start), of: client, in: scope)
      return [changes.added.map(\.id), changes.deleted.map(\.id)]
    }
  }

  private mutating func add(session: UUID) {
    let name = String(session.uuidString.lowercased().prefix(8))
    add("session \(name)") { (store) throws(StoreError) in try await store.session(name) }
    add("version of \(name)") { (store) throws(StoreError) in try await store.syncVersion(of: session) ?? -1 }
    add("rates of \(name)") { (store) throws(StoreError) in try await store.rates(of: session) }
    add("gaps of \(name)") { (store) throws(StoreError) in try await store.gaps(of: session) }
    add("markers of \(name)") { (store) throws(StoreError) in try await store.markers(of: session) }
    add("beats of \(name)") { (store) throws(StoreError) -> [Int] in
      let series = try await store.beats(of: session)
      return [series.hashValue, Array(series.locatedBeats).hashValue]
    }
    add("variability of \(name)") { (store) throws(StoreError) -> [Double?] in
      let summary = try await store.session(name)
      let series = try await store.beats(of: session)
      guard let span = TimeSpan(start: summary.start, end: summary.end) else { return [] }
      let intervals = NNIntervals(series)
      var figures: [Double?] = []
      for window in [nil, 300_000_000, 60_000_000] as [Int64?] {
        guard let reports = try? VariabilityReport.reports(intervals, in: span, windowMicroseconds: window) else {
          figures.append(nil)
          continue
        }
        for report in reports.prefix(500) {
          figures.append(report.coverage)
          figures += VariabilityMeasure.allCases.map { (try? report.figure($0))?.value }
        }
      }
      return figures
    }
  }

  private mutating func add(_ type: QuantityType) throws {
    let name = type.identifier
    for grouped in [false, true] {
      add("quantities of \(name)\(grouped ? " by sample" : "")") { (store) throws(StoreError) in
        try await QuantityQuery(type, isGroupedBySample: grouped).result(for: store).value
      }
    }
    add("batches of \(name)") { (store) throws(StoreError) -> [QuantityList] in
      var batches: [QuantityList] = []
      for try await batch in QuantityQuery(type).batches(for: store) { batches.append(batch) }
      return batches
    }
    var queries: [(String, StatisticsCollectionQuery)] = []
    let policies: [WeightingPolicy] = [
      .ownDuration, .holdLast(maximumGapMicroseconds: 10_000_000), .trapezoid(maximumGapMicroseconds: 25_000_000),
    ]
    for policy in policies {
      queries.append(("one \(policy)", try .init(type, buckets: .single, policy: policy)))
      let hours = try CalendarInterval(parsing: "1h")
      queries.append(("1h \(policy)", try .init(type, buckets: .natural(hours, zone: .utc), policy: policy)))
    }
    let zone = TimeZoneRules(name: "odd", fixedOffset: 5 * 3600 + 45 * 60 + 7)
    let (from, to) = (SoundStore.start, SoundStore.start.advanced(byMicroseconds: 7_200_000_000))
    let minutes = StatisticsCollectionQuery.Buckets.natural(try CalendarInterval(parsing: "7m"), zone: zone)
    queries.append(("7m", try .init(type, buckets: minutes, from: from, to: to)))
    queries.append(("1mo", try .init(type, buckets: .natural(try CalendarInterval(parsing: "1mo"), zone: zone))))
    let options = StatisticsOptions.all(for: type).union(.separateBySource)
    queries.append(
      ("1d by source", try .init(type, options, buckets: .natural(try CalendarInterval(parsing: "1d"), zone: .utc))))
    for (form, query) in queries {
      add("statistics of \(name), \(form)") { (store) throws(StoreError) in try await query.result(for: store).value }
    }
  }

  private mutating func addSQL() {
    let tables = [
      "session_list", "sample_list", "hour_list", "association_list", "change_list", "quality_list", "rates", "beats",
      "quantities", "locations",
    ]
    for table in tables {
      add("SQL \(table)") { [path] (_) throws(StoreError) -> [[SQLValue]] in
        var rows = try ReadOnlySQL(path).rows(of: "SELECT * FROM \(table)")
        var found: [[SQLValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
      }
    }
  }

  /// The names of the questions, in order.
  var names: [String] { questions.map(\.name) }

  /// The answers of the store, in the order of the questions.
  func answers(of store: HealthStore) async -> [Answer] {
    var answers: [Answer] = []
    for question in questions {
      do throws(StoreError) {
        answers.append(.value(try await question.ask(store)))
      } catch {
        answers.append(.failure(error))
      }
    }
    return answers
  }
}
