import FoundationEssentials
import HealthModel

extension StoreFile {
  func insertRow(
    _ record: SampleRecord, origin: SampleOrigin, figures: SampleFigures
  ) throws(StoreError) -> Int64 {
    let change = try recordChange(of: record.uuid, object: .sample, deleted: false)
    let type = try identifier(of: record.type)
    let isCumulative = if case .quantity(let type) = record.type { type.style.isCumulative } else { false }
    let summary = figures.summary
    var statement = try connection.prepare(
      """
      INSERT INTO sample (uuid, type, change, session, source, device, start, end, count, sum, average, minimum, maximum,
        most_recent, most_recent_start, most_recent_end, duration, timescale, gaps, sync_identifier, sync_version)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)
      """)
    try statement.bind(record.uuid.bytes, at: 1)
    try statement.bind(type, at: 2)
    try statement.bind(change, at: 3)
    try statement.bind(origin.session, at: 4)
    try statement.bind(origin.source, at: 5)
    try statement.bind(origin.device, at: 6)
    try statement.bind(record.start.microseconds, at: 7)
    try statement.bind(record.end.microseconds, at: 8)
    try statement.bind(Int64(figures.count), at: 9)
    try statement.bind(isCumulative ? summary?.sum : nil, at: 10)
    try statement.bind(figures.average, at: 11)
    try statement.bind(summary?.minimum, at: 12)
    try statement.bind(summary?.maximum, at: 13)
    try statement.bind(summary?.last, at: 14)
    try statement.bind(summary?.lastStart, at: 15)
    try statement.bind(summary?.lastEnd, at: 16)
    try statement.bind(summary?.duration, at: 17)
    try statement.bind(figures.timescale.map(Int64.init), at: 18)
    try statement.bind(figures.gaps.map(Int64.init), at: 19)
    try statement.bind(record.syncIdentifier, at: 20)
    try statement.bind(record.syncVersion, at: 21)
    try statement.run()
    return connection.lastInsertedRow
  }

  /// Saves samples of one source, all or nothing; see ``HealthStore/save(_:as:)``.
  func save(_ samples: [NewSample], as source: SourceRevision) throws(StoreError) -> [CommitOutcome] {
    try connection.transaction { () throws(StoreError) in
      let sourceRow = try identifier(of: source)
      var outcomes: [CommitOutcome] = []
      for sample in samples {
        outcomes.append(try save(sample, source: source, sourceRow: sourceRow))
      }
      return outcomes
    }
  }

  private func save(
    _ sample: NewSample, source: SourceRevision, sourceRow: Int64
  ) throws(StoreError) -> CommitOutcome {
    var outcome = CommitOutcome.stored
    if let sync = sample.sync, let earlier = try earlierVersion(of: sync, source: source) {
      guard sync.version > earlier.version else { return .unchanged }
      try deleteSample(earlier.id, uuid: earlier.uuid)
      outcome = .replaced
    }
    guard try sampleRow(of: sample.id) == nil else {
      throw StoreError(.invalid, "the object \(sample.id.uuidString.lowercased()) is in the store already")
    }
    let device: Int64? = if let device = sample.device { try identifier(of: device) } else { nil }
    let origin = SampleOrigin(session: nil, source: sourceRow, device: device)
    let record = SampleRecord(
      uuid: sample.id, type: sample.type, start: sample.start, end: sample.end,
      syncIdentifier: sample.sync?.identifier, syncVersion: sample.sync?.version)
    let row =
      switch sample.content {
      case .quantities(let chunks): try insert(chunks, as: record, origin: origin)
      case .heartbeats(let series): try insert(series, as: record, origin: origin)
      }
    try insert(sample.metadata, of: row, kind: .sample)
    return outcome
  }

  /// The sample with that sync identifier that the same program saved, in whatever version of the program.
  private func earlierVersion(
    of sync: NewSample.SyncIdentity, source: SourceRevision
  ) throws(StoreError) -> (id: Int64, uuid: UUID, version: Int64)? {
    var statement = try connection.prepare(
      """
      SELECT sample.id, sample.uuid, sample.sync_version FROM sample JOIN source ON source.id = sample.source
      WHERE sample.sync_identifier = ?1 AND source.identifier = ?2
      """)
    try statement.bind(sync.identifier, at: 1)
    try statement.bind(source.identifier, at: 2)
    guard try statement.step(), let uuid = UUID(bytes: statement.bytes(1)) else { return nil }
    return (statement.integer(0), uuid, statement.integer(2))
  }

  private func sampleRow(of uuid: UUID) throws(StoreError) -> Int64? {
    var statement = try connection.prepare("SELECT id FROM sample WHERE uuid = ?1")
    try statement.bind(uuid.bytes, at: 1)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Deletes samples that `source` saved; their bytes are left to ``eraseFreeSpace()``.
  func delete(_ samples: [UUID], as source: String) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      for uuid in samples { try delete(uuid, as: source) }
      try deleteUnusedProvenance()
      try noteErasure()
    }
  }

  /// Deletes the samples of `source` that the predicate means and no session has; how many they were.
  func delete(_ predicate: SamplePredicate, as source: String) throws(StoreError) -> Int {
    try connection.transaction { () throws(StoreError) in
      var samples: [(id: Int64, uuid: UUID?)] = []
      do {
        let condition = try condition(predicate, firstParameter: 2)
        var statement = try connection.prepare(
          """
          SELECT sample.id, sample.uuid FROM \(Self.sampleTables)
          WHERE source.identifier = ?1 AND sample.session IS NULL AND (\(condition.text))
          """)
        try statement.bind(source, at: 1)
        try condition.bind(to: &statement)
        while try statement.step() { samples.append((statement.integer(0), UUID(bytes: statement.bytes(1)))) }
      }
      guard !samples.isEmpty else { return 0 }
      for sample in samples { try deleteSample(sample.id, uuid: sample.uuid) }
      try deleteUnusedProvenance()
      try noteErasure()
      return samples.count
    }
  }

  private func delete(_ uuid: UUID, as source: String) throws(StoreError) {
    let name = uuid.uuidString.lowercased()
    var statement = try connection.prepare(
      """
      SELECT sample.id, source.identifier, sample.session FROM sample JOIN source ON source.id = sample.source
      WHERE sample.uuid = ?1
      """)
    try statement.bind(uuid.bytes, at: 1)
    guard try statement.step() else { throw StoreError(.notFound, "there is no sample \(name)") }
    guard statement.text(1) == source else {
      throw StoreError(.permission, "the sample \(name) was saved by another program, and only that may delete it")
    }
    guard statement.isNull(2) else {
      throw StoreError(.invalid, "the sample \(name) belongs to a session; delete that")
    }
    try deleteSample(statement.integer(0), uuid: uuid)
  }

  /// Removes a sample with all that belongs to it, and records that; one without a readable identifier leaves no tombstone.
  func deleteSample(_ id: Int64, uuid: UUID?) throws(StoreError) {
    let rows = Self.chunkRows(of: id)
    try run("DELETE FROM chunk WHERE id BETWEEN ?1 AND ?2", rows.first, rows.last)
    try run("DELETE FROM summary WHERE id BETWEEN ?1 AND ?2", rows.first, rows.last)
    try run("DELETE FROM run WHERE sample = ?1", id)
    try deleteMetadata(of: id, kind: .sample)
    try run("DELETE FROM sample WHERE id = ?1", id)
    if let uuid { try recordChange(of: uuid, object: .sample, deleted: true) }
  }
}
