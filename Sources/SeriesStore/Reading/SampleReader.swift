import FoundationEssentials
import HealthModel

/// Answers about samples of any kind.
struct SampleReader {
  let connection: Connection
  /// The scope that the reader may see; nil for a reader who may see everything.
  var scope: ReadScope?

  /// The tables to which a predicate refers. SQLite omits tables from the join that a statement does not use.
  static let tables = tables(of: "samples")

  /// The tables for a predicate on sessions, as if they were samples without a value: a predicate applies to both.
  static let sessionTables: String = {
    let given = ["id", "source", "device", "start", "end"]
    let columns = Schema.samples.columns.map { name in
      switch name {
      case _ where given.contains(name): name
      case "type": "(SELECT id FROM types WHERE kind = '\(SampleKind.session.rawValue)') AS type"
      case "session": "id AS session"
      case "count": "0 AS count"
      default: "NULL AS \(name)"
      }
    }
    return tables(of: "(SELECT \(columns.joined(separator: ", ")) FROM sessions)")
  }()

  /// The tables for a predicate on the samples that a reader may see. These samples come first, since all other rows
  /// are looked up for them.
  static func visibleTables(_ samples: String) -> String { tables(of: samples, join: "CROSS JOIN") }

  /// The join of the tables. The signs prevent SQLite from a search by type or source, which is slower where most
  /// samples match.
  private static func tables(of objects: String, join: String = "JOIN") -> String {
    """
    \(objects) AS sample \(join) types AS type ON type.id = +sample.type
      \(join) sources AS source ON source.id = +sample.source
      LEFT JOIN devices AS device ON device.id = sample.device LEFT JOIN changes AS change ON change.number = sample.id
      LEFT JOIN changes AS session ON session.number = sample.session
    """
  }

  /// The condition that a sample is of the quantity type whose name is ?1, by the index of type, source and time.
  static let isOfQuantityType = """
    sample.type IN (SELECT id FROM types WHERE identifier = ?1 AND kind = 'quantity')
      AND sample.source IN (SELECT id FROM sources)
    """

  func samples(_ query: SampleQuery) throws(StoreError) -> [HealthSample] {
    try samples(query.predicate, suffix: Self.suffix(of: query), [Self.limit(of: query)])
  }

  /// The numbers of the samples that match, in the query's order.
  func numbers(_ query: SampleQuery) throws(StoreError) -> [Int64] {
    let condition = try connection.condition(query.predicate, firstParameter: 2, in: scope)
    var statement = try connection.prepare(
      "SELECT sample.id FROM \(condition.tables) WHERE (\(condition.text))\(Self.suffix(of: query))")
    try statement.bind(Self.limit(of: query), at: 1)
    try condition.bind(to: &statement)
    var numbers: [Int64] = []
    while try statement.step() {
      try connection.checkCancellation()
      numbers.append(statement.integer(0))
    }
    return numbers
  }

  /// The identifiers of the samples that match, in the query's order.
  func identifiers(_ query: SampleQuery) throws(StoreError) -> [UUID] {
    let condition = try connection.condition(query.predicate, firstParameter: 2, in: scope)
    var statement = try connection.prepare(
      "SELECT sample.id, change.uuid FROM \(condition.tables) WHERE (\(condition.text))\(Self.suffix(of: query))")
    try statement.bind(Self.limit(of: query), at: 1)
    try condition.bind(to: &statement)
    var identifiers: [UUID] = []
    while try statement.step() {
      guard let uuid = UUID(bytes: statement.bytes(1)) else { throw connection.samples.corrupt(statement.integer(0)) }
      identifiers.append(uuid)
    }
    return identifiers
  }

  private static func suffix(of query: SampleQuery) -> String {
    let order = query.order.map { "\($0.key.column)\($0.isDescending ? " DESC" : "")" } + ["sample.id"]
    return " ORDER BY \(order.joined(separator: ", ")) LIMIT ?1"
  }

  /// The limit of a query for SQLite, which treats a negative limit as no limit.
  private static func limit(of query: SampleQuery) -> Int64 {
    query.limit.map { Int64(max(0, $0)) } ?? -1
  }

  /// The samples that match the predicate; `suffix` is appended to the statement, with `arguments` as ?1, ?2 …
  func samples(
    _ predicate: SamplePredicate, suffix: String, _ arguments: [Int64],
    by order: SamplePredicate.Condition.Order = .time
  ) throws(StoreError) -> [HealthSample] {
    let condition = try connection.condition(
      predicate, firstParameter: Int32(arguments.count) + 1, in: scope, by: order)
    var statement = try connection.prepare(
      """
      SELECT sample.id, change.uuid, sample.type, sample.start, sample.end, sample.count, sample.sum,
        sample.average, sample.minimum, sample.maximum, sample.most_recent, sample.most_recent_start,
        sample.most_recent_end, session.uuid, sample.sync_identifier, sample.sync_version, sample.value,
        sample.device, \(ProvenanceTables.sourceColumns), \(ProvenanceTables.deviceColumns)
      FROM \(condition.tables) WHERE (\(condition.text))\(suffix)
      """)
    for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: Int32(index) + 1) }
    try condition.bind(to: &statement)
    var types: [Int64: SampleType] = [:]
    var samples: [HealthSample] = []
    while try statement.step() {
      try connection.checkCancellation()
      let row = statement.integer(0)
      let typeRow = statement.integer(2)
      if types[typeRow] == nil { types[typeRow] = try connection.types.type(row: typeRow) }
      guard let uuid = UUID(bytes: statement.bytes(1)), let type = types[typeRow],
        let span = TimeSpan(
          start: Timestamp(microseconds: statement.integer(3)), end: Timestamp(microseconds: statement.integer(4)))
      else { throw connection.samples.corrupt(row) }
      samples.append(
        HealthSample(
          id: uuid, type: type, source: ProvenanceTables.source(in: statement, from: 18),
          device: statement.isNull(17) ? nil : ProvenanceTables.device(in: statement, from: 23), start: span.start,
          end: span.end, count: Int(statement.integer(5)), value: statement.optionalInteger(16),
          summary: Self.summary(in: statement), metadata: try connection.metadata.values(of: row),
          session: UUID(bytes: statement.bytes(13)), syncIdentifier: statement.text(14),
          syncVersion: statement.optionalInteger(15), change: scope == nil ? row : 0))
    }
    return samples
  }

  private static func summary(in row: borrowing Statement) -> SampleSummary? {
    guard let minimum = row.optionalReal(8), let maximum = row.optionalReal(9),
      let mostRecent = row.optionalReal(10),
      let span = TimeSpan(
        start: Timestamp(microseconds: row.integer(11)), end: Timestamp(microseconds: row.integer(12)))
    else { return nil }
    return SampleSummary(
      sum: row.optionalReal(6), average: row.optionalReal(7), minimum: minimum, maximum: maximum,
      mostRecent: mostRecent, mostRecentSpan: span)
  }

  /// The content of a sample.
  func content<Content>(_ query: ContentQuery<Content>) throws(StoreError) -> Content {
    let name = query.sample.uuidString.lowercased()
    let object = "sample \(name)"
    guard let row = try row(of: query.sample, Content.kind.samples) else {
      throw StoreError(.notFound, "there is no \(Self.noun(of: Content.kind)) \(name)")
    }
    let found: any QueriedContent =
      switch Content.kind {
      case .heartbeats:
        try connection.heartbeatSeries.series(
          of: row.id, count: row.figures.count, start: Timestamp(microseconds: row.start), object: object)
      case .locations:
        try WorkoutRouteContent.locations(of: row.id, count: row.figures.count, object: object, in: connection)
      case .audiogram:
        try AudiogramContent.audiogram(of: row.id, count: row.figures.count, object: object, in: connection)
      case .prescription: try VisionPrescriptionContent.prescription(of: row, object: object, in: connection)
      case .record: try ClinicalRecordContent.record(of: row, object: object, in: connection)
      }
    // No other type has these kinds.
    guard let content = found as? Content else { throw connection.corrupt(object) }
    return content
  }

  private static func noun(of kind: ContentKind) -> String {
    switch kind {
    case .heartbeats: "heartbeat series"
    case .locations: "workout route"
    case .audiogram: "audiogram"
    case .prescription: "prescription"
    case .record: "clinical record"
    }
  }

  /// The row of the sample with that UUID and kind; nil for a missing sample and for one that the reader may not see.
  private func row(of uuid: UUID, _ kind: SampleKind) throws(StoreError) -> SampleRow? {
    guard let number = try number(of: uuid), let row = try connection.samples.row(number), row.type.kind == kind else {
      return nil
    }
    return row
  }

  private func number(of uuid: UUID) throws(StoreError) -> Int64? {
    guard let scope else { return try connection.samples.number(of: uuid) }
    let condition = try connection.condition(.identifier([uuid]), firstParameter: 1, in: scope)
    var statement = try connection.prepare("SELECT sample.id FROM \(condition.tables) WHERE \(condition.text)")
    try condition.bind(to: &statement)
    return try statement.step() ? statement.integer(0) : nil
  }
}
