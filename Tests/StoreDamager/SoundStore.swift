import Captures
import FoundationEssentials
import Glibc
import HealthModel
import Ingestion
import SeriesStore
import TestSupport

/// A store that holds some of everything: sessions from captures and a made-up one, quantities single and in series, beats,
/// categories, a correlation, a workout with a route and what was collected, an
/// audiogram, a prescription with an attachment, a kind of a newer program, associations, metadata of every form, what deletions leave, and what a
/// client was granted.
///
/// Only its own identifier, the times of saving, and a client's anchor are others each time.
struct SoundStore {
  let path: String
  private var random = SeededGenerator(seed: 1)

  /// A moment that all of it lies behind.
  static let start = Timestamp(microseconds: 1_789_900_600_436_237)
  private static let watch = Device(name: "Watch", manufacturer: "Maker", localIdentifier: "C0:FF:EE:00:00:02")
  private static let program = SourceRevision(identifier: "diary", name: "Diary", version: "1.0")
  private static let other = SourceRevision(identifier: "scale", name: "Scale")

  /// Makes the store at `path` from sessions of `captures` and what is made up, with `beats` beats in the made-up session.
  static func make(at path: String, captures: [String], beats: Int) async throws {
    var sound = SoundStore(path: path)
    let store = try HealthStore.open(path, for: .recording)
    for capture in captures {
      for found in try CaptureFile.read(path: capture).captures where found.notificationCount > 0 {
        _ = try await store.commit(try RecordedSession(of: found, version: "0.1.0"))
      }
    }
    let doomed = sound.identifier()
    _ = try await store.commit(try sound.session(doomed, beats: 20, from: start))
    _ = try await store.commit(try sound.session(sound.identifier(), beats: beats, from: start))
    let boot = sound.identifier()
    _ = try await store.commit(
      try sound.session(sound.identifier(), beats: beats, from: start.advanced(byMicroseconds: 86_400_000_000)),
      clock: RecordedClock(boot: boot, lead: start.microseconds, belief: .synchronised, isDoubtful: false))
    try await store.remember(.synchronised, at: start.microseconds, in: boot)
    _ = try await store.allow(AllowedSensor(address: "C0:FF:EE:00:00:01", name: "Chest", added: start))
    _ = try await store.allow(AllowedSensor(address: "C0:FF:EE:00:00:03", name: nil, added: start))
    _ = try await store.replaceSensor("C0:FF:EE:00:00:03", by: "C0:FF:EE:00:00:02")
    let samples = try sound.samples()
    try await store.save(samples, as: program)
    let workout = try sound.workout(collected: samples.prefix(2).map(\.id))
    let glasses = try sound.glasses()
    try await store.save(
      [workout, try sound.route(of: workout.id), try sound.audiogram(), glasses, try sound.result()], as: program)
    try await sound.attach(to: glasses.id, in: store)
    try await store.save(try sound.corrected(version: 1), as: other)
    try await store.save(try sound.corrected(version: 2), as: other)
    let gone = sound.identifier()
    try await store.save(try sound.mass(70, gone), as: other)
    try await store.delete([gone], as: other.identifier)
    try await store.delete(doomed)
    try await store.decide(
      [
        grant("heartRate", .read, .allowed), grant("stepCount", .read, .denied), grant("stepCount", .share, .allowed),
      ],
      objects: [ObjectGrant(client: client, type: "bodyMass", object: gone, decided: start)])
    _ = try await store.answer(ChangeQuery(after: .start), of: client, in: scope)
    await store.close()
    try sound.addNewerKind()
  }

  /// A program that was granted something, and what it may read.
  static let client = ClientIdentity(uid: 1000, application: "org.example.Game")
  static let scope = ReadScope(types: ["heartRate"], source: "scale")

  private static func grant(_ type: String, _ permission: Permission, _ decision: Grant.Decision) -> Grant {
    Grant(client: client, type: type, permission: permission, decision: decision, decided: start)
  }

  private mutating func identifier() -> UUID {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return unsafe bytes.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private static func time(_ second: Double) -> Timestamp {
    start.advanced(byMicroseconds: Int64(second * 1e6))
  }

  private mutating func session(_ id: UUID, beats count: Int, from start: Timestamp) throws -> RecordedSession {
    var rates: [HeartRateValue] = []
    for index in 0..<count {
      rates.append(
        HeartRateValue(
          time: start.advanced(byMicroseconds: Int64(index) * 950_000).flooredToMilliseconds,
          beatsPerMinute: UInt16(60 + Int.random(in: 0...40, using: &random)),
          contact: index < count / 2 ? .detected : .notDetected,
          energyKilojoules: index % 10 == 0 ? UInt16(index) : nil))
    }
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: start, slopePartsPerBillion: 9_500, uncertaintyMicroseconds: 12_000))
    for index in 0..<count {
      if index == count / 2 {
        let anchor = start.advanced(byMicroseconds: Int64(count) * 600_000)
        try builder.beginRun(AffineTimeMap(anchor: anchor), firstTick: 77)
      }
      try builder.add(
        rrTicks: UInt32(700 + Int.random(in: 0...200, using: &random)), precededByGap: index == count / 2,
        flags: index == 0 || index == count / 2 ? .firstOfRun : index % 37 == 0 ? .ectopic : [])
    }
    let series = try builder.finish()
    let end = max(rates.last?.time ?? start, series.bounds?.end ?? start)
    let middle = start.advanced(byMicroseconds: Int64(count) * 500_000)
    return RecordedSession(
      id: id, syncVersion: Int64(count),
      device: Device(name: "H10", manufacturer: "Polar", localIdentifier: "C0:FF:EE:00:00:01"),
      source: SourceRevision(identifier: "sensord", name: "sensord", version: "0.1.0"), start: start, end: end,
      endReason: "shutdown", metadata: Self.metadata, rates: rates, heartbeats: series,
      gaps: [
        RecordingGap(reason: "link", detail: "timeout", start: start, end: middle, estimatedLostBeats: 2.5),
        RecordingGap(reason: "silence", start: middle, end: end),
      ],
      markers: [SessionMarker(time: middle, text: "Level 2"), SessionMarker(time: end, text: "♥")],
      coverage: Coverage(floor: 0.96875, ceiling: 1),
      variability: HeartRateVariabilitySummary(sdnnMilliseconds: 51.5, rmssdMilliseconds: 42.25, pnn50: 12.5),
      quality: QualityReport([
        "notifications": .integer(Int64(count)), "junk": 3, "batteryStart": .quantity(Quantity(80, .percent)),
        "latencyMedianMicroseconds": .integer(1200), "disconnect.1": .time(middle), "disconnect.1.reason": "timeout",
      ]))
  }

  private static let metadata: Metadata = [
    "game": "Breath of the Wild", "level": 7, "hard": true, "ratio": 0.5, "begun": .time(start),
    "room": .quantity(Quantity(21.5, .degreeCelsius)),
  ]

  /// One of each kind, and series of each style.
  private mutating func samples() throws -> [NewSample] {
    var samples: [NewSample] = []
    for type in [.stepCount, .heartRate, .environmentalAudioExposure, .oxygenSaturation] as [QuantityType] {
      var builder = QuantitySeriesBuilder(type: type, start: Self.start, device: Self.watch)
      // Over two hours, which are three chunks.
      for index in 0..<240 {
        let start = Self.time(Double(index) * 37)
        let length = type == .oxygenSaturation ? 0 : Int64(index % 5) * 5_000_000
        let value = type == .oxygenSaturation ? 97.123456789 + Double(index % 9) / 7 : Double(40 + index % 50)
        try builder.insert(value, from: start, to: start.advanced(byMicroseconds: length))
      }
      samples.append(try builder.finish(id: identifier(), metadata: type == .stepCount ? Self.metadata : [:]))
    }
    samples.append(try mass(71.25, identifier()))
    var beats = HeartbeatSeriesBuilder(timescale: 1000)
    for index in 0..<30 as Range<Int64> {
      try beats.add(atTicks: index * 800 + index % 7, since: Self.start, precededByGap: index == 9, flags: [])
    }
    if let series = NewSample(heartbeats: try beats.finish(), id: identifier(), device: Self.watch) {
      samples.append(series)
    }
    let night = TimeSpan(start: Self.time(0), end: Self.time(7200)) ?? TimeSpan(at: Self.start)
    samples.append(NewSample(.sleepAnalysis, .asleepUnspecified, over: night, id: identifier(), device: Self.watch))
    let moment = TimeSpan(at: Self.time(60))
    let pressure = try Unit(parsing: "mmHg")
    samples.append(
      try NewSample(
        .bloodPressure,
        of: [
          NewSample(.bloodPressureSystolic, Quantity(120, pressure), over: moment, id: identifier()),
          NewSample(.bloodPressureDiastolic, Quantity(80, pressure), over: moment, id: identifier()),
        ], id: identifier(), metadata: ["arm": "left"]))
    return samples
  }

  /// A run of two intervals with events, metadata and figures.
  private mutating func workout(collected: [UUID]) throws -> NewSample {
    func span(_ start: Double, _ end: Double) -> TimeSpan {
      TimeSpan(start: Self.time(start), end: Self.time(end)) ?? TimeSpan(at: Self.start)
    }
    let lap = WorkoutEvent(.lap, over: span(100, 700), metadata: ["no": 1, "wind": "west"])
    return try NewSample(
      Workout(
        id: identifier(), WorkoutConfiguration(.running, location: .outdoor, lapLength: Quantity(400, .meter)),
        over: span(60, 6000),
        events: [WorkoutEvent(.pause, at: Self.time(3000)), WorkoutEvent(.resume, at: Self.time(3100))],
        activities: [
          WorkoutActivity(
            id: identifier(), .init(.running), over: span(90, 2000), events: [lap], metadata: Self.metadata),
          WorkoutActivity(id: identifier(), .init(.running), over: span(4000, 5000)),
        ], metadata: Self.metadata), collected: collected, device: Self.watch)
  }

  /// Two hours of locations, which are two chunks.
  private mutating func route(of workout: UUID) throws -> NewSample {
    let locations = (0..<5_000).map { index in
      RouteLocation(
        at: Self.time(60 + Double(index)), latitude: 52.5 + Double(index) / 1e5, longitude: 13.4,
        altitude: index % 3 == 0 ? nil : 34.5, speed: 2.75)
    }
    return try NewSample(WorkoutRoute(id: identifier(), of: workout, locations, metadata: ["name": "Park"]))
  }

  private mutating func audiogram() throws -> NewSample {
    let points = [125, 250, 500, 1_000, 2_000, 4_000, 8_000].map { hertz in
      AudiogramSensitivityPoint(hertz: hertz, left: hertz / 400, right: hertz == 500 ? nil : 11.5)
    }
    return try NewSample(Audiogram(points), over: TimeSpan(at: Self.time(77)), id: identifier())
  }

  private mutating func glasses() throws -> NewSample {
    let right = GlassesLensSpecification(
      sphere: -1.25, cylinder: 0.5, axis: 90, prism: .angled(amount: 2, angle: 45), farPupillaryDistance: 31)
    let prescription = GlassesPrescription(rightEye: right, leftEye: GlassesLensSpecification(sphere: 0.75))
    return try NewSample(.glasses(prescription), issued: Self.time(78), expires: Self.time(79), id: identifier())
  }

  /// A file of two pieces.
  private func attach(to object: UUID, in store: HealthStore) async throws {
    let pdf = Array("%PDF-1.4\n".utf8) + [UInt8](repeating: 0x20, count: 70_000) + Array("\nstartxref\n9\n%%EOF\n".utf8)
    let scan = path + ".scan"
    try File.write(pdf, to: scan)
    defer { unsafe unlink(scan) }
    let descriptor = unsafe open(scan, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw File.Failure(path: scan, number: errno) }
    defer { close(descriptor) }
    _ = try await store.addAttachment(
      to: object, name: "scan.pdf", contentType: .pdf, from: descriptor, metadata: Self.metadata)
  }

  private mutating func result() throws -> NewSample {
    let data = Array(#"{"resourceType":"Observation","code":{"text":"Sodium"},"value":140.50}"#.utf8)
    return try NewSample(ImportedRecord(data, fhirVersion: "4.0.1").record, at: Self.time(80), id: identifier())
  }

  private func mass(_ kilograms: Double, _ id: UUID) throws -> NewSample {
    try NewSample(.bodyMass, Quantity(kilograms, .kilogram), over: TimeSpan(at: Self.time(5)), id: id)
  }

  /// A sample that is saved in two versions.
  private mutating func corrected(version: Int64) throws -> NewSample {
    try NewSample(
      .height, Quantity(1.7 + Double(version) / 100, .meter), over: TimeSpan(at: Self.time(9)), id: identifier(),
      sync: SyncIdentity(identifier: "height", version: version))
  }

  /// Two samples of a kind that no program here knows, with a table of their own: as a newer program would save them.
  private mutating func addNewerKind() throws {
    let database = try Database(path)
    try database.execute(
      """
      CREATE TABLE descents (sample INTEGER NOT NULL, place INTEGER NOT NULL, height REAL, checksum INTEGER NOT NULL,
        PRIMARY KEY (sample, place)) WITHOUT ROWID;
      INSERT INTO content_tables VALUES ('descents', 'sample', 0, row_checksum('descents', 'sample', 0));
      INSERT INTO types SELECT max(id) + 1, 'skiDescent', 'descent', '', 'none', 1,
        row_checksum(max(id) + 1, 'skiDescent', 'descent', '', 'none', 1) FROM types
      """)
    let type = try database.integer("SELECT id FROM types WHERE kind = 'descent'")
    let source = try database.integer("SELECT id FROM sources WHERE identifier = 'diary'")
    let first = try database.integer("SELECT max(number) + 1 FROM changes")
    for number in first..<first + 2 {
      let bytes = identifier().uuidString.filter { $0 != "-" }
      let span = "\(Self.start.microseconds), \(Self.time(90).microseconds)"
      let nothing = Array(repeating: "NULL", count: 8).joined(separator: ", ")
      let row = "\(number), \(type), \(source), NULL, NULL, \(span), NULL, 3, \(nothing), NULL, NULL"
      let change = "\(number), x'\(bytes)', \(type), \(source), 0"
      try database.execute(
        """
        INSERT INTO changes SELECT \(change), row_checksum(\(change), checksum) FROM changes ORDER BY number DESC LIMIT 1;
        INSERT INTO samples VALUES (\(row), row_checksum(\(row)));
        """)
      for place in 0..<3 {
        let descent = "\(number), \(place), \(1000.5 + Double(place))"
        try database.execute("INSERT INTO descents VALUES (\(descent), row_checksum(\(descent)))")
      }
    }
    let commit = "\(first), \(Self.time(90).microseconds)"
    try database.execute("INSERT INTO commits VALUES (\(commit), row_checksum(\(commit)))")
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
