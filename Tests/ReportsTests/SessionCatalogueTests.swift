import Captures
import Documents
import FoundationEssentials
import HealthModel
import RecordingSamples
import Reports
import SeriesStore
import Synchronization
import TestSupport
import Testing

@Suite("Sessions by name")
struct SessionCatalogueTests {
  private let files: RecordedFiles
  private let session: RecordedSession
  /// A session that only the journal has, an hour younger.
  private let open = UUID(uuidString: "ABCD0000-1111-4222-8333-444444444444")!

  init() throws {
    files = try RecordedFiles()
    session = try SampleSession.recorded()
  }

  private func fill() async throws -> SessionCatalogue {
    _ = try await files.store.commit(session)
    try files.leaveJournal(of: [open], start: SampleStatus.now + 3_600_000_000)
    return try files.catalogue()
  }

  private func refusal(_ name: String, in catalogue: SessionCatalogue) async -> SessionError? {
    await #expect(throws: SessionError.self) { _ = try await catalogue.session(name) }
  }

  @Test("what is stored and what the journal has are one list, oldest first, each session once")
  func list() async throws {
    let catalogue = try await fill()
    #expect(try await catalogue.list().sessions.map(\.id) == [session.id, open])
    #expect(try await catalogue.stored().map(\.id) == [session.id])
    let again = try RecordedFiles()
    _ = try await again.store.commit(session)
    try again.leaveJournal(of: [session.id])
    #expect(try await again.catalogue().list().sessions.map(\.id) == [session.id], "a commit that was just made")
  }

  @Test("a session is found by its first digits in either case, the newest by the word last, wherever it is")
  func names() async throws {
    let catalogue = try await fill()
    #expect(try await catalogue.session("3F2A").id == session.id)
    #expect(try await catalogue.session("3f2a91bc-1111").id == session.id)
    #expect(try await catalogue.session("last").id == open)
    #expect(try await catalogue.session("abcd").summary.isOpen)
    #expect(try await catalogue.session("3f2a").report().runs.count == 2)
    #expect(try await catalogue.session("abcd").report().runs.count == 1)
    #expect(try await catalogue.session("abcd").beats().beats.count == 3)
  }

  @Test("the word last passes over a session without values, which gives no table either")
  func empty() async throws {
    var empty = session
    empty.id = UUID(uuidString: "EEEE0000-1111-4222-8333-444444444444")!
    (empty.start, empty.end) = (
      session.start.advanced(byMicroseconds: 60_000_000), session.end.advanced(byMicroseconds: 60_000_000)
    )
    (empty.rates, empty.heartbeats, empty.gaps) = ([], HeartbeatSeries(), [])
    _ = try await files.store.commit(empty)
    #expect(await refusal("last", in: try files.catalogue()) == .noneYet(store: files.location.path))
    _ = try await files.store.commit(session)
    let catalogue = try files.catalogue()
    #expect(try await catalogue.session("last").id == session.id)
    #expect(try await catalogue.session("eeee").id == empty.id)
    for format in ExportFormat.allCases {
      await #expect(throws: SessionError.noValues("eeee0000")) {
        try await catalogue.session("eeee", for: format).table(format)
      }
    }
  }

  @Test("the word last means the workout that began last, where it has values")
  func lastWorkout() async throws {
    let catalogue = try await fill()
    guard case .session = try await catalogue.named("last") else { return #expect(Bool(false), "nothing is newer") }
    let source = SourceRevision(identifier: "watch", name: "Watch")
    func save(_ minute: Int64, hasRates: Bool) async throws -> UUID {
      let start = session.start.advanced(byMicroseconds: 7_200_000_000 + minute * 60_000_000)
      let end = start.advanced(byMicroseconds: 1_000_000)
      let workout = Workout(.init(.running), over: try #require(TimeSpan(start: start, end: end)))
      if hasRates {
        var rates = QuantitySeriesBuilder(type: .heartRate, start: start)
        try rates.insert(120, from: start, to: start)
        _ = try await files.store.save(try rates.finish(), as: source)
      }
      _ = try await files.store.save(NewSample(workout), as: source)
      return workout.id
    }
    let measured = try await save(0, hasRates: true)
    _ = try await save(10, hasRates: false)
    guard case .workout(measured) = try await catalogue.named("last") else {
      return #expect(Bool(false), "the newer workout has no values")
    }
    #expect(try await catalogue.session("last").id == open, "a table is of a session")
  }

  @Test("a name that finds nothing says why and what to do")
  func refusals() async throws {
    #expect(await refusal("last", in: try files.catalogue()) == .noneYet(store: files.location.path))
    let catalogue = try await fill()
    #expect(await refusal("ffff", in: catalogue) == .notFound("ffff", store: files.location.path))
    let error = try #require(await refusal("x\u{1B}", in: catalogue))
    #expect(error == .noName("x\u{1B}"))
    #expect(error.message == "'x\u{FFFD}' names no session")
    #expect(error.remedy == "give at least 4 digits of its name, or last; 'sensord sessions' lists them")
    try files.leaveJournal(of: [UUID(uuidString: "3F2A0000-1111-4222-8333-444444444444")!])
    #expect(await refusal("3f2a", in: catalogue) == .ambiguous("3f2a"))
  }

  @Test("a session is exported from the store and from the journal alike")
  func export() async throws {
    let catalogue = try await fill()
    let found = try await catalogue.session("3f2a", for: .beats)
    #expect(found.id == session.id)
    #expect(try await found.table(.beats) == BeatsExport.csv(session.heartbeats))
    let rates = try await found.table(.rates)
    #expect(rates == RatesExport.csv(session.rates, gaps: session.gaps))
    #expect(String(decoding: rates, as: UTF8.self).split(separator: "\n").count == 3)
    let open = try await catalogue.session("last").table(.beats)
    #expect(String(decoding: open, as: UTF8.self).split(separator: "\n").count == 4)
  }

  @Test("the journal is read once for a session, whatever is asked of it then", arguments: ["3f2a", "abcd", "last"])
  func readsOnce(name: String) async throws {
    _ = try await fill()
    let reads = Atomic<Int>(0)
    let catalogue = try SessionCatalogue(
      files.location, store: HealthStore.open(files.location.path, for: .reading), version: "0.1.0"
    ) { (journal) throws(JournalError) in
      reads.add(1, ordering: .relaxed)
      return try JournalReader.read(directory: journal)
    }
    guard case .session(let session) = try await catalogue.named(name) else {
      return #expect(Bool(false), "a session is meant")
    }
    #expect(try await session.report().session.id == session.id)
    #expect(try await session.alterations().isEmpty)
    #expect(try await session.values().rates.count == session.summary.heartRate.count)
    #expect(try await !session.table(.beats).isEmpty)
    _ = try await session.curves()
    #expect(reads.load(ordering: .relaxed) == 1)
  }

  @Test("the usual store may be missing and is empty then; one that was named must be there")
  func missing() async throws {
    let nowhere = StoreLocation(path: files.folder.path + "/none.sqlite")
    let catalogue = try SessionCatalogue(nowhere, isNamed: false, version: "0.1.0")
    #expect(try await catalogue.list().sessions.isEmpty)
    #expect(throws: StoreError.self) { try SessionCatalogue(nowhere, isNamed: true, version: "0.1.0") }
  }
}
