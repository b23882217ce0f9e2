import FoundationEssentials
import Glibc
import StoreSamples
import TestSupport
import Testing

@testable import HealthModel
@testable import SeriesStore

@Suite("Restoring a store from its rows")
struct StoreRestorationTests {
  let folder = TemporaryFolder(inMemory: true)
  private let program = SourceRevision(identifier: "a", name: "A")
  private static let start = Timestamp(microseconds: 1_714_920_600_436_000)

  /// What is refused has this code.
  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do { try body() } catch { return (error as? StoreError)?.code }
    return nil
  }

  private func history(of store: HealthStore) async throws -> StoredChanges {
    try await store.history(after: .start, limit: 100_000, bytes: 1 << 30)
  }

  /// What changes refer to, each once.
  private func references(of changes: [StoredChange]) -> [StoredRow] {
    var seen: Set<StoredRow> = []
    return changes.flatMap { [$0.type, $0.source, $0.device].compactMap(\.self) }.filter { seen.insert($0).inserted }
  }

  private func begun(_ history: StoredChanges, at path: String) throws -> StoreRestoration {
    let restoration = try StoreRestoration(path, identity: history.store)
    for reference in references(of: history.changes) { try restoration.add(reference) }
    return restoration
  }

  private func restore(_ history: StoredChanges, to path: String) throws {
    let restoration = try begun(history, at: path)
    for change in history.changes { try restoration.add(change) }
    try restoration.finish()
  }

  private func rows(of table: Table, in path: String) throws -> [[SQLValue]] {
    let sql = try ReadOnlySQL(path)
    var rows = try sql.rows(of: "SELECT * FROM \(table.name)")
    var found: [[SQLValue]] = []
    while let row = try rows.next() { found.append(row) }
    return found
  }

  /// Sessions saved, replaced, deleted and saved again, and a workout that has collected a sample which is deleted.
  private func addSessions(to store: HealthStore) async throws {
    let (kept, gone, returned) = (UUID(), UUID(), UUID())
    func save(_ id: UUID, version: Int64 = 1, returning: Bool = false) async throws {
      try await SampleSessions.save(
        id, version: version, start: Self.start, sensor: "C0:FF:EE:00:00:01", returning: returning, into: store)
    }
    for id in [kept, gone, returned] { try await save(id) }
    try await save(kept, version: 2)
    for id in [gone, returned] { try await SampleSessions.delete(id, from: store) }
    try await save(returned, returning: true)
    var marked = try makeSession()
    marked.markers = [SessionMarker(time: marked.start, text: "♥")]
    _ = try await store.commit(marked)
    let collected = try [90.0, 150].map { rate in
      try NewSample(.heartRate, Quantity(rate, .countPerMinute), over: TimeSpan(at: Self.start))
    }
    let span = try #require(TimeSpan(start: Self.start, end: Self.start.advanced(byMicroseconds: 60_000_000)))
    let workout = Workout(id: UUID(), WorkoutConfiguration(.running), over: span, metadata: ["name": "Park"])
    try await store.save(collected + [NewSample(workout, collected: collected.map(\.id))], as: program)
    try await store.delete([collected[1].id], as: program.identifier)
    let locations = (0..<20).map { index in
      RouteLocation(
        at: Self.start.advanced(byMicroseconds: Int64(index) * 1_000_000), latitude: 52.5, longitude: 13.4,
        altitude: 34.5, speed: 2.75)
    }
    let hearing = Audiogram([AudiogramSensitivityPoint(hertz: 1_000, left: 10, right: nil)])
    try await store.save(
      [
        NewSample(WorkoutRoute(id: UUID(), of: workout.id, locations, metadata: [:])),
        NewSample(hearing, over: TimeSpan(at: Self.start)),
      ], as: program)
  }

  @Test(
    "a store of samples of all kinds, corrections and deletions is restored row by row, with its numbers and anchors")
  func everything() async throws {
    let seed = ProcessInfo.processInfo.environment["SENSORD_SEED"].flatMap { UInt64($0) }
    let first = seed ?? .random(in: 0...1 << 40)
    for seed in first..<first + (seed == nil ? 10 * UInt64(Trials.factor) : 1) {
      let folder = TemporaryFolder(inMemory: true)
      let store = try HealthStore.open(folder.store, for: .writing)
      try FutureContent.prepare(folder.store)
      var program = RandomProgram(in: store, seed: seed)
      #expect(try await program.run(steps: 12) == nil, "SENSORD_SEED=\(seed)")
      try await addSessions(to: store)
      var history = try await history(of: store)
      // Rows of a table that only a newer program knows stay behind.
      for index in history.changes.indices { history.changes[index].rows.removeAll { $0.table == "descents" } }
      let path = "\(folder.path)/restored.sqlite"
      try restore(history, to: path)
      let restored = try HealthStore.open(path, for: .writing)
      #expect(try await self.history(of: restored) == history, "SENSORD_SEED=\(seed)")
      #expect(try await restored.check() == [], "SENSORD_SEED=\(seed)")
      // Each row with its checksum. What is nobody's any more need not come.
      for table in Schema.allTables where table.name != Schema.contentTables.name {
        let (before, after) = (try rows(of: table, in: folder.store), try rows(of: table, in: path))
        if table.name == Schema.restorations.name {
          // The mark of a new line of history, which only the restored store has.
          #expect(before.isEmpty && after.count == 1, "SENSORD_SEED=\(seed)")
          continue
        }
        let isReferred = ["sources", "devices", "types"].contains(table.name)
        #expect(
          isReferred ? Set(after).isSubset(of: Set(before)) : Set(after) == Set(before) && after.count == before.count,
          "\(table.name), SENSORD_SEED=\(seed)")
      }
      // Whoever followed the one can go on with the other, from wherever that was.
      var anchor = ChangeAnchor.start
      while true {
        let (one, other) = (
          try await store.history(after: anchor, limit: 1), try await restored.history(after: anchor, limit: 1)
        )
        #expect(one.anchor == other.anchor && one.last == other.last, "SENSORD_SEED=\(seed)")
        #expect(one.altered.map(\.object) == other.altered.map(\.object), "SENSORD_SEED=\(seed)")
        guard one.hasMore, one.anchor == other.anchor else { break }
        anchor = one.anchor
      }
      await restored.close()
      await store.close()
    }
  }

  @Test("a restored store takes what comes next like the former one")
  func continued() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await addSessions(to: store)
    let path = "\(folder.path)/restored.sqlite"
    try restore(try await history(of: store), to: path)
    let restored = try HealthStore.open(path, for: .recording)
    let before = try await history(of: restored).last
    let id = UUID()
    try await SampleSessions.save(id, start: Self.start, sensor: "C0:FF:EE:00:00:01", into: restored)
    let changes = try await history(of: restored).changes.dropFirst(Int(before))
    #expect(changes.count == 6 && changes.first?.object == id && changes.first?.number == before + 1)
    // The strap, the program and the types are those that are there.
    #expect(try rows(of: Schema.devices, in: path).count == rows(of: Schema.devices, in: folder.store).count)
    #expect(try rows(of: Schema.types, in: path).count == rows(of: Schema.types, in: folder.store).count)
    #expect(try await restored.check() == [])
  }

  @Test("what is left out becomes a deletion of nothing, and an anchor behind it is refused as one of another copy")
  func holes() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    for number in 1...8 as ClosedRange<Int64> {
      try await store.save(
        NewSample(.sleepAnalysis, .awake, over: TimeSpan(at: Self.start.advanced(byMicroseconds: number))), as: program)
    }
    var history = try await history(of: store)
    let anchors = [
      try await store.history(after: .start, limit: 3).anchor, try await store.history(after: .start, limit: 6).anchor,
    ]
    history.changes.removeAll { [4, 5].contains($0.number) }
    let path = "\(folder.path)/restored.sqlite"
    try restore(history, to: path)
    let restored = try HealthStore.open(path, for: .writing)
    let changes = try await self.history(of: restored).changes
    #expect(changes.map(\.number) == Array(1...8) && changes.filter { !$0.isDeletion } == history.changes)
    #expect(changes.filter(\.isDeletion).map(\.object) == [StoredChange.nothing, StoredChange.nothing])
    #expect(try await restored.history(after: anchors[0], limit: 1).changes.map(\.number) == [4])
    await #expect {
      _ = try await restored.history(after: anchors[1], limit: 1)
    } throws: {
      ($0 as? StoreError)?.code == .lostAnchor
    }
    #expect(try await restored.check() == [])
  }

  @Test("nothing is replaced: neither a store, nor an empty file, nor a link, nor what came there meanwhile")
  func occupied() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await addSessions(to: store)
    let history = try await history(of: store)
    await store.close()
    let bytes = folder.bytes(of: "store.sqlite")
    let empty = try folder.write("empty.sqlite", "")
    let link = "\(folder.path)/link.sqlite"
    #expect(unsafe symlink("\(folder.path)/nowhere", link) == 0)
    let names = folder.names
    for path in [folder.store, empty, link] {
      #expect(code { _ = try StoreRestoration(path, identity: history.store) } == .invalid, "\(path)")
    }
    #expect(
      folder.names == names && folder.bytes(of: "store.sqlite") == bytes && folder.bytes(of: "empty.sqlite") == [])
    #expect(code { try restore(history, to: "\(folder.path)/no/store.sqlite") } == .cannotCreate)

    let path = "\(folder.path)/late.sqlite"
    do {
      let restoration = try begun(history, at: path)
      for change in history.changes { try restoration.add(change) }
      try folder.write("late.sqlite", "mine")
      #expect(code { try restoration.finish() } == .invalid)
    }
    #expect(folder.bytes(of: "late.sqlite") == Array("mine".utf8))
    #expect(folder.names == (names + ["late.sqlite"]).sorted())
  }

  @Test("what is cut off in the middle leaves no store, and the next attempt makes one")
  func cutOff() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await addSessions(to: store)
    let history = try await history(of: store)
    let path = "\(folder.path)/restored.sqlite"
    let names = folder.names
    for count in [0, 1, history.changes.count / 2, history.changes.count] {
      do {
        let restoration = try begun(history, at: path)
        for change in history.changes.prefix(count) { try restoration.add(change) }
        #expect(unsafe access(path, F_OK) != 0, "\(count)")
        // What a killed program would leave: it is no store of anybody's.
        let draft = try #require(folder.names.first { $0.hasPrefix("restored.sqlite.new-") && !$0.contains("-wal") })
        try folder.write("left-\(count)", folder.bytes(of: draft))
      }
      #expect(folder.names.filter { !$0.hasPrefix("left-") } == names, "\(count)")
      let left = try HealthStore.open("\(folder.path)/left-\(count)", for: .reading)
      #expect(try await left.history(after: .start, limit: 1).last == 0, "\(count)")
    }
    // Beside such a draft.
    try folder.write("restored.sqlite.new-1", folder.bytes(of: "left-1"))
    try restore(history, to: path)
    let restored = try HealthStore.open(path, for: .reading)
    #expect(try await self.history(of: restored) == history)
    #expect(folder.mode(of: "restored.sqlite") == 0o600)
  }

  @Test("what no store has is refused by name, and nothing is made")
  func refused() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await addSessions(to: store)
    try FutureContent.prepare(folder.store)
    try await store.save(
      NewSample(
        FutureContent(), of: SampleType(identifier: "skiDescent", kind: FutureContent.kind),
        over: TimeSpan(at: Self.start), id: UUID(), device: nil, metadata: [:], sync: nil), as: program)
    let history = try await history(of: store)
    let path = "\(folder.path)/restored.sqlite"
    #expect {
      try restore(history, to: path)
    } throws: {
      guard let error = $0 as? StoreError else { return false }
      return error.code == .invalid && error.message.contains("'descents'")
    }
    let whole = try #require(history.changes.first { !$0.rows.isEmpty })
    do {
      let restoration = try begun(history, at: path)
      var change = whole
      change.rows[0].columns[1] = "colour"
      #expect(code { try restoration.add(change) } == .invalid)
    }
    do {
      let restoration = try begun(history, at: path)
      try restoration.add(history.changes[0])
      #expect(code { try restoration.add(history.changes[0]) } == .invalid)
      var far = history.changes[1]
      far.number = Int64.max
      #expect(code { try restoration.add(far) } == .invalid)
      #expect(code { try restoration.add(whole.rows[0]) } == .invalid)
    }
    #expect(unsafe access(path, F_OK) != 0)
    let known = history.changes.dropLast()
    let restoration = try StoreRestoration(path, identity: history.store)
    for reference in references(of: Array(known)) { try restoration.add(reference) }
    for change in known { try restoration.add(change) }
    try restoration.finish()
    #expect(code { try restoration.finish() } == .closed)
    #expect(code { try restoration.add(history.changes[0]) } == .closed)
  }

  @Test("under other numbers every row refers to what it did")
  func renumbered() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await addSessions(to: store)
    let history = try await history(of: store)
    func moved(_ rows: [StoredRow?], by distance: Int64) -> [Int64: Int64] {
      var numbers: [Int64: Int64] = [:]
      for row in rows { if case .integer(let number)? = row?["id"] { numbers[number] = number + distance } }
      return numbers
    }
    let types = moved(history.changes.map(\.type), by: 3)
    let sources = moved(history.changes.map(\.source), by: 5)
    let devices = moved(history.changes.map(\.device), by: 9)
    let objects = Dictionary(uniqueKeysWithValues: history.changes.map { ($0.number, $0.number + 70) })
    var moved = history
    moved.changes = history.changes.map { change in
      change.renumbered(
        to: change.number + 70, objects: objects, types: types, sources: sources, devices: devices)
    }
    let path = "\(folder.path)/restored.sqlite"
    try restore(moved, to: path)
    let restored = try HealthStore.open(path, for: .reading)
    #expect(try await restored.check() == [])
    #expect(try await self.history(of: restored).changes.dropFirst(70) == moved.changes[...])
    let (one, other) = (
      try await SampleQuery(order: [.init(.change)]).result(for: store).value,
      try await SampleQuery(order: [.init(.change)]).result(for: restored).value
    )
    #expect(one.map(\.change) == other.map { $0.change - 70 })
    #expect(
      one.map { sample in
        var sample = sample
        sample.change += 70
        return sample
      } == other)
    for session in try await store.sessions() {
      #expect(try await store.beats(of: session.id) == restored.beats(of: session.id))
      #expect(try await store.gaps(of: session.id) == restored.gaps(of: session.id))
    }
  }

  @Test("a file of an attachment is restored by its digest; other bytes are refused, and what is cut off leaves none")
  func files() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let lens = GlassesPrescription(rightEye: nil, leftEye: GlassesLensSpecification(sphere: 1))
    let glasses = try NewSample(.glasses(lens), issued: Self.start)
    try await store.save([glasses], as: program)
    let bytes =
      Array("%PDF-1.4\n".utf8) + [UInt8](repeating: 0x20, count: 70_000) + Array("\nstartxref\n9\n%%EOF\n".utf8)
    func opened(_ bytes: [UInt8]) throws -> Int32 {
      unsafe Glibc.open(try folder.write("scan-\(bytes.count)", bytes), O_RDONLY)
    }
    let scan = try opened(bytes)
    defer { close(scan) }
    let attachment = try await store.addAttachment(to: glasses.id, name: "scan.pdf", from: scan)
    let history = try await history(of: store)
    let path = "\(folder.path)/restored.sqlite"
    func files() -> [String] { TemporaryFolder.names("\(folder.path)/restored.attachments") }

    do {
      let restoration = try begun(history, at: path)
      for wrong in [bytes + [0x20], Array("plain text".utf8), []] {
        let descriptor = try opened(wrong)
        defer { close(descriptor) }
        let code = code { try restoration.addFile(from: descriptor, digest: attachment.digest) }
        #expect(code != nil && files() == [], "\(wrong.count)")
      }
      lseek(scan, 0, SEEK_SET)
      try restoration.addFile(from: scan, digest: attachment.digest)
      #expect(files().count == 1)
    }
    // It was not finished.
    #expect(!folder.names.contains { $0.hasPrefix("restored") })

    do {
      let restoration = try begun(history, at: path)
      for change in history.changes { try restoration.add(change) }
      lseek(scan, 0, SEEK_SET)
      try restoration.addFile(from: scan, digest: attachment.digest)
      try restoration.finish()
      #expect(code { try restoration.addFile(from: scan, digest: attachment.digest) } == .closed)
    }
    let restored = try HealthStore.open(path, for: .writing)
    #expect(try await restored.check() == [])
    #expect(try await restored.attachments(for: glasses.id) == [attachment])
    var data = try await restored.data(of: attachment)
    var found: [UInt8] = []
    while let piece = try data.next() { found += piece }
    #expect(found == bytes)
    #expect(folder.mode(of: "restored.attachments/\(files()[0])") == 0o600)
  }
}
