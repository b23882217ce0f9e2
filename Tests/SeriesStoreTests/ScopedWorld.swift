import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport

@testable import SeriesStore

/// Two stores that a reader must not tell apart: both have what it may see, and one has much that it may not.
struct ScopedWorld {
  let folder = TemporaryFolder(inMemory: true)
  /// With hidden samples before, between and after the others.
  let full: HealthStore
  /// With what the reader may see only.
  let bare: HealthStore
  let scope: ReadScope
  /// A sample of each kind that the reader must not find, even by its name.
  let hidden: [UUID]
  let hiddenSession: UUID
  /// What the reader may see, in the order of saving.
  let visible: [UUID]

  static let client = ClientIdentity(uid: 1000, application: "org.example.Game")
  static let start = Timestamp(microseconds: 1_789_900_600_000_000)
  private static let game = SourceRevision(identifier: "org.example.Game", name: "Game")

  /// With `ownRates` the reader has saved heart rates itself, which it may not read of others.
  init(hiddenCount: Int64, ownRates: Bool) async throws {
    let full = try HealthStore.open("\(folder.path)/full.sqlite", for: .writing)
    let bare = try HealthStore.open("\(folder.path)/bare.sqlite", for: .writing)
    var random = SeededGenerator(seed: 7)
    func identifier() -> UUID {
      UUID(bytes: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }) ?? UUID()
    }
    var hidden: [UUID] = []
    var visible: [UUID] = []
    let pressure = try Unit(parsing: "mmHg")
    /// Saves what nobody but the full store has.
    func hide(_ round: Int) async throws {
      let span = TimeSpan(at: Self.start.advanced(byMicroseconds: Int64(round) * 900_000_000))
      let ids = (0..<5).map { _ in identifier() }
      let rate = try NewSample(.heartRate, Quantity(61, .countPerMinute), over: span, id: ids[0])
      let beats = try Self.beats(from: span.start, id: ids[1])
      let whole = try NewSample(
        .bloodPressure,
        of: [
          NewSample(.bloodPressureSystolic, Quantity(120, pressure), over: span, id: ids[3]),
          NewSample(.bloodPressureDiastolic, Quantity(80, pressure), over: span, id: ids[4]),
        ], id: ids[2])
      for source in 0..<20 {
        let other = SourceRevision(identifier: "com.example.watch\(round).\(source)", name: "Watch")
        try await full.save(
          try NewSample(.heartRate, Quantity(60, .countPerMinute), over: span, id: identifier()), as: other)
      }
      try await full.save([rate, beats, whole], as: SourceRevision(identifier: "com.example.other", name: "Other"))
      let gone = identifier()
      let other = SourceRevision(identifier: "com.example.other", name: "Other")
      try await full.save(
        try NewSample(.heartRate, Quantity(62, .countPerMinute), over: span, id: gone), as: other)
      try await full.delete([gone], as: other.identifier)
      try Self.multiply(ids[0], by: hiddenCount / 3, in: full.path)
      hidden += ids + [gone]
    }
    /// Saves what both have.
    func show(_ samples: [NewSample], as source: SourceRevision) async throws {
      for store in [full, bare] { try await store.save(samples, as: source) }
      visible += samples.map(\.id)
    }
    try await hide(0)
    let session = try makeSession(id: identifier(), beats: 20)
    _ = try await full.commit(session)
    for round in 0..<3 {
      let span = TimeSpan(at: Self.start.advanced(byMicroseconds: Int64(round) * 3_600_000_000))
      try await show(
        [try Self.steps(from: span.start, id: identifier())],
        as: SourceRevision(identifier: "com.example.phone\(round % 2)", name: "Phone"))
      var own = [
        NewSample(.sleepAnalysis, .awake, over: span, id: identifier(), metadata: ["level": .integer(Int64(round))])
      ]
      if ownRates { own.append(try NewSample(.heartRate, Quantity(70, .countPerMinute), over: span, id: identifier())) }
      try await show(own, as: Self.game)
      try await hide(round + 1)
    }
    let single = identifier()
    try await show(
      [try NewSample(.bodyMass, Quantity(70, .kilogram), over: TimeSpan(at: Self.start), id: single)],
      as: SourceRevision(identifier: "com.example.scale", name: "Scale"))
    let deleted = identifier()
    let passing = NewSample(.sleepAnalysis, .awake, over: TimeSpan(at: Self.start), id: deleted)
    for store in [full, bare] {
      try await store.save(passing, as: Self.game)
      try await store.delete([deleted], as: Self.game.identifier)
    }
    try await hide(9)
    // The last of every index in both stores: SQLite takes two steps less where a range ends with the index.
    let last = UUID(bytes: Array(repeating: 0xFF, count: 16)) ?? UUID()
    try await show(
      [
        try NewSample(.walkingHeartRateAverage, Quantity(80, .countPerMinute), over: TimeSpan(at: Self.start), id: last)
      ],
      as: SourceRevision(identifier: "org.example.zebra", name: "Zebra"))
    self.full = full
    self.bare = bare
    self.hidden = hidden
    self.visible = visible
    hiddenSession = session.id
    scope = ReadScope(
      types: ["stepCount", "height", "walkingHeartRateAverage"], source: Self.game.identifier, objects: [single])
  }

  private static func steps(from start: Timestamp, id: UUID) throws -> NewSample {
    var builder = QuantitySeriesBuilder(type: .stepCount, start: start)
    for index in 0..<90 {
      let start = start.advanced(byMicroseconds: Int64(index) * 60_000_000)
      try builder.insert(Double(index % 9), from: start, to: start.advanced(byMicroseconds: 30_000_000))
    }
    return try builder.finish(id: id)
  }

  private static func beats(from start: Timestamp, id: UUID) throws -> NewSample {
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    for index in 0..<5 as Range<Int64> {
      try builder.add(atTicks: index * 800, since: start, precededByGap: false, flags: [])
    }
    guard let sample = NewSample(heartbeats: try builder.finish(), id: id) else { throw SeriesError.empty }
    return sample
  }

  /// Copies of a sample's rows, quicker than saving each. Nothing here looks at checksums.
  private static func multiply(_ sample: UUID, by count: Int64, in path: String) throws {
    guard count > 0 else { return }
    let connection = try Connection(path, flags: SQLITE_OPEN_READWRITE)
    guard let number = try connection.samples.number(of: sample) else { return }
    let columns = Schema.samples.columns.dropFirst().joined(separator: ", ")
    try connection.execute(
      """
      BEGIN;
      CREATE TEMP TABLE copies (number INTEGER PRIMARY KEY);
      INSERT INTO copies WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        SELECT (SELECT max(number) FROM changes) + i FROM n;
      INSERT INTO samples (id, \(columns), checksum)
        SELECT copies.number, \(columns), checksum FROM copies, samples WHERE samples.id = \(number);
      INSERT INTO changes (number, uuid, type, source, deleted, checksum)
        SELECT copies.number, randomblob(16), type, source, deleted, checksum FROM copies, changes
        WHERE changes.number = \(number);
      COMMIT;
      """)
  }
}
