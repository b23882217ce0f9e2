import FoundationEssentials
import HealthModel

/// The common part of all samples: a row, whose number is that of the change that saved it.
struct SampleTable {
  let connection: Connection

  /// Inserts a sample with its content. Returns its number.
  @discardableResult
  func insert(
    _ content: any SampleContent, as record: SampleRecord, origin: SampleOrigin
  ) throws(StoreError) -> Int64 {
    let figures = try content.figures()
    let type = try connection.types.row(of: record.type)
    let id = try connection.changeList.record(record.uuid, type: type, source: origin.source, deleted: false)
    let summary = figures.summary
    try connection.insert(
      [
        .integer(id), .integer(type), .integer(origin.source), SQLValue(origin.device), SQLValue(origin.session),
        SQLValue(record.start), SQLValue(record.end), SQLValue(figures.value), .integer(Int64(figures.count)),
        SQLValue(figures.sum), SQLValue(figures.average), SQLValue(summary?.minimum), SQLValue(summary?.maximum),
        SQLValue(summary?.last), SQLValue(summary?.lastStart), SQLValue(summary?.lastEnd),
        SQLValue(summary?.duration ?? figures.duration), SQLValue(record.sync?.identifier),
        SQLValue(record.sync?.version),
      ], into: Schema.samples)
    try content.insert(of: id, into: connection)
    return id
  }

  /// The number of the sample whose UUID is ?1.
  static let numberQuery =
    "SELECT id FROM changes JOIN samples ON id = number WHERE \(ChangeList.isObject("?1"))"

  /// The number of the sample with that UUID; nil if it is not in the store.
  func number(of uuid: UUID) throws(StoreError) -> Int64? {
    var statement = try connection.prepare(Self.numberQuery)
    try statement.bind(uuid.bytes, at: 1)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The UUID of a sample; nil if its change is damaged.
  func uuid(of number: Int64) throws(StoreError) -> UUID? {
    var statement = try connection.prepare("SELECT uuid FROM changes WHERE number = ?1")
    try statement.bind(number, at: 1)
    return try statement.step() ? UUID(bytes: statement.bytes(0)) : nil
  }

  /// A sample's row, as read for its kind.
  func row(_ id: Int64) throws(StoreError) -> SampleRow? {
    var statement = try connection.prepare(
      """
      SELECT type, start, end, value, count, sum, average, minimum, maximum, most_recent,
        most_recent_start, most_recent_end, duration
      FROM samples WHERE id = ?1
      """)
    try statement.bind(id, at: 1)
    guard try statement.step(), let type = try connection.types.type(row: statement.integer(0)) else { return nil }
    var summary: SeriesSummary?
    if !statement.isNull(7) {
      summary = SeriesSummary()
      summary?.minimum = statement.real(7)
      summary?.maximum = statement.real(8)
      summary?.last = statement.real(9)
      summary?.lastStart = statement.integer(10)
      summary?.lastEnd = statement.integer(11)
      summary?.duration = statement.integer(12)
    }
    return SampleRow(
      id: id, type: type, start: statement.integer(1), end: statement.integer(2),
      figures: SampleFigures(
        value: statement.optionalInteger(3), count: Int(clamping: max(0, statement.integer(4))),
        sum: statement.optionalReal(5), average: statement.optionalReal(6),
        duration: summary == nil ? statement.optionalInteger(12) : nil, summary: summary))
  }

  /// The error for a damaged sample whose row is known. The error names the sample by its identifier, like all other
  /// output.
  func corrupt(_ number: Int64) -> StoreError {
    let name = (try? uuid(of: number))?.uuidString.lowercased() ?? "row \(number)"
    return connection.corrupt("sample \(name)")
  }
}

/// A sample that is being saved.
struct SampleRecord {
  var uuid: UUID
  var type: SampleType
  var start: Timestamp
  var end: Timestamp
  var sync: SyncIdentity?
}

/// The provenance of a sample: the rows of its session, source and device.
struct SampleOrigin: Hashable {
  var session: Int64?
  var source: Int64
  var device: Int64?
}

/// The columns of a sample's row that depend on its content.
struct SampleFigures: Hashable {
  /// The integer of kinds whose content is one integer, for instance a category's value.
  var value: Int64?
  var count = 1
  var sum: Double?
  var average: Double?
  /// The duration, in microseconds, of kinds that have one but no quantities: that of a workout, without pauses.
  var duration: Int64?
  var summary: SeriesSummary?
}

/// A sample's row, as read for its kind.
struct SampleRow {
  var id: Int64
  var type: SampleType
  var start: Int64
  var end: Int64
  var figures: SampleFigures
}

extension Connection {
  var provenance: ProvenanceTables { ProvenanceTables(connection: self) }
  var types: TypeTable { TypeTable(connection: self) }
  var changeList: ChangeList { ChangeList(connection: self) }
  var metadata: MetadataTable { MetadataTable(connection: self) }
  var samples: SampleTable { SampleTable(connection: self) }
  var associations: AssociationTable { AssociationTable(connection: self) }
  var chunks: ChunkTable { ChunkTable(connection: self) }
  var quantitySeries: QuantitySeriesTable { QuantitySeriesTable(connection: self) }
  var heartbeatSeries: HeartbeatSeriesTable { HeartbeatSeriesTable(connection: self) }
  var workouts: WorkoutTable { WorkoutTable(connection: self) }
  var sessions: SessionTable { SessionTable(connection: self) }
  var clocks: ClockTable { ClockTable(connection: self) }
  var sensors: SensorList { SensorList(connection: self) }
  var anchors: AnchorTable { AnchorTable(connection: self) }
  var grants: GrantTable { GrantTable(connection: self) }
}
