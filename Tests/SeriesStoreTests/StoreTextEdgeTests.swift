import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// The public functions of the store with every kind of text, name and path: a typed error or an answer, never a trap.
@Suite("Edges of the store: texts, names and paths")
struct StoreTextEdgeTests {
  let folder = TemporaryFolder()
  private let moment = TimeSpan(at: Timestamp(microseconds: 7_000_000))
  private static let texts = [
    "", " ", "a\u{0}b", "'; DROP TABLE samples; --", "\"", "%_", "\u{1F9E1}\u{202E}", "e\u{301}", "\u{FEFF}x", "\n\t",
    String(repeating: "x", count: 5000),
  ]

  @Test(
    "every text comes back as it went: of sources, devices, metadata, sync identities and types, and predicates find it"
  )
  func texts() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    for text in Self.texts {
      let source = SourceRevision(
        identifier: text, name: text, version: text, productType: text, operatingSystemVersion: text)
      let device = Device(
        name: text, manufacturer: text, model: text, hardwareVersion: text, firmwareVersion: text,
        softwareVersion: text, localIdentifier: text, uniqueDeviceIdentifier: text)
      let metadata: Metadata = [text: .text(text), text + "1": .quantity(Quantity(1, Unit(opaque: text)))]
      let part = NewSample(
        CategoryType(identifier: text), .notApplicable, over: moment, device: device, metadata: metadata,
        sync: .init(identifier: text, version: 1))
      let whole = try NewSample(CorrelationType(identifier: text, parts: []), of: [part])
      #expect(try await store.save([whole], as: source) == [.stored])
      let meant = SamplePredicate.and([
        .type(SampleType(identifier: text, kind: .category)), .source(text), .device(text), .hasMetadata(text),
        .metadata(text, .equal, .text(text)), .part(of: whole.id),
      ])
      let found = try await SampleQuery(meant).result(for: store).value
      #expect(found.map(\.id) == [part.id], "\(text.debugDescription)")
      #expect(found.first?.source == source && found.first?.device == device && found.first?.metadata == metadata)
      #expect(found.first?.syncIdentifier == text && found.first?.type == .category(CategoryType(identifier: text)))
      _ = try await SampleQuery(.type(SampleType(identifier: text, kind: SampleKind(rawValue: text)))).result(
        for: store)
      #expect(ChangeAnchor(text) == nil)
      await #expect(throws: StoreError.self) { try await store.session(text) }
      #expect(throws: StoreError.self) { _ = try ReadOnlySQL(folder.store).rows(of: "SELECT \(text)FROM") }
    }
    #expect(try await store.check() == [])
    for text in Self.texts {
      #expect(try await store.delete(.hasMetadata(text), as: text) == 0, "a part stays with its whole")
      #expect(try await store.delete(.source(text), as: text) == 1)
    }
    #expect(try await SampleQuery().result(for: store).value.isEmpty)
  }

  @Test(
    "samples of one value at the ends of time, of integers and of versions are kept, and what is no number is left out")
  func ends() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let program = SourceRevision(identifier: "test", name: "Test")
    let ends = [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for end in ends {
      let span = try #require(TimeSpan(start: Timestamp(microseconds: .min), end: Timestamp(microseconds: end)))
      let sample = NewSample(
        CategoryType(identifier: "end"), CategoryValue(rawValue: end), over: span,
        metadata: [
          "a": .integer(end), "b": .time(span.end), "c": .real(.nan), "d": .quantity(Quantity(.infinity, .meter)),
        ],
        sync: .init(identifier: "\(end)", version: end))
      let whole = try NewSample(CorrelationType(identifier: "ends", parts: []), of: [sample])
      #expect(try await store.save([whole], as: program) == [.stored])
      #expect(try await store.save(sample, as: program) == .unchanged)
      let found = try #require(try await SampleQuery(.identifier([sample.id])).result(for: store).value.first)
      #expect(found.category?.rawValue == end && found.end == span.end && found.syncVersion == end)
      #expect(found.metadata["a"] == .integer(end) && found.metadata["b"] == .time(span.end))
      #expect(found.metadata["c"] == nil, "it would read back as nothing")
      #expect(try await SampleQuery(.value([CategoryValue(rawValue: end)])).result(for: store).value.count == 1)
    }
    #expect(
      try await SampleQuery(.type(.correlation(CorrelationType(identifier: "ends", parts: [])))).result(for: store)
        .value.count == ends.count)
    #expect(try await store.check() == [])
  }

  @Test("a path that leads to no store is an error with a code, whatever it is")
  func paths() {
    let paths = [
      "", "\u{0}", folder.path, folder.path + "/missing/a.sqlite", "/dev/null", String(repeating: "a", count: 10_000),
    ]
    for path in paths {
      for access in [HealthStore.Access.reading, .writing, .recording] {
        #expect(throws: StoreError.self, "\(path.debugDescription)") { try HealthStore.open(path, for: access) }
      }
      #expect(throws: StoreError.self) { _ = try ReadOnlySQL(path) }
      #expect(throws: TimeZoneError.self) { try TimeZoneRules.named("Europe/Berlin", in: path) }
      #expect(throws: TimeZoneError.self) { try TimeZoneRules.named(path) }
    }
  }

  @Test("every call to a closed store is an error that says so, and a live query ends")
  func closed() async throws {
    let store = try HealthStore.open(folder.store, for: .recording)
    let sample = NewSample(.sleepAnalysis, .awake, over: moment)
    await store.close()
    await store.close()
    func expectClosed(_ call: () async throws -> Void) async {
      await #expect { try await call() } throws: { ($0 as? StoreError)?.code == .closed }
    }
    await expectClosed { try await store.save(sample, as: SourceRevision(identifier: "a", name: "a")) }
    await expectClosed { try await store.delete([sample.id], as: "a") }
    await expectClosed { try await store.delete(.all, as: "a") }
    await expectClosed { _ = try await store.quantityTypes() }
    await expectClosed { _ = try await store.noticeChanges() }
    await expectClosed { _ = try await store.check() }
    await expectClosed { _ = try await store.hasVanished() }
    await expectClosed { try await store.reopen() }
    await expectClosed { _ = try await store.allowedSensors() }
    await expectClosed { _ = try await store.sessions() }
    await expectClosed { _ = try await store.readableSessions() }
    await expectClosed { _ = try await store.rates(of: sample.id) }
    await expectClosed { _ = try await store.beats(of: sample.id) }
    await expectClosed { _ = try await store.gaps(of: sample.id) }
    await expectClosed { _ = try await store.knows(sample.id) }
    await expectClosed { _ = try await store.syncVersion(of: sample.id) }
    await expectClosed { try await store.delete(sample.id) }
    await expectClosed { _ = try await store.finishErasing() }
    await expectClosed { _ = try await SampleQuery().result(for: store) }
    await expectClosed { _ = try await QuantityQuery(.heartRate).result(for: store) }
    await expectClosed { _ = try await HeartbeatQuery(sample.id).result(for: store) }
    await expectClosed { _ = try await ChangeQuery(after: .start).result(for: store) }
    for try await _ in SampleQuery().results(for: store) { Issue.record("a closed store answered") }
    // What deletes nothing asks nothing.
    try await store.delete([], as: "a")
  }

  @Test("a sample of one session is not deleted by itself, and names of nothing are not found")
  func names() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let nobody = UUID()
    await #expect { try await store.delete([nobody], as: "a") } throws: { ($0 as? StoreError)?.code == .notFound }
    await #expect { try await store.delete(nobody) } throws: { ($0 as? StoreError)?.code == .notFound }
    await #expect { try await store.rates(of: nobody) } throws: { ($0 as? StoreError)?.code == .notFound }
    #expect(try await !store.knows(nobody))
    for text in Self.texts {
      _ = try? await store.allow(AllowedSensor(address: text, name: text, added: Timestamp(microseconds: .min)))
      _ = try? await store.renameSensor(text, to: text)
      _ = try? await store.removeSensor(text)
      _ = SessionName(text)?.matches(nobody)
    }
    #expect(try await store.check() == [])
  }
}
