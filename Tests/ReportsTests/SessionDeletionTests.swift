import Captures
import Documents
import FoundationEssentials
import HealthModel
import RecordingSamples
import Reports
import SeriesStore
import Testing
import Timeline

@Suite("Deleting a session everywhere")
struct SessionDeletionTests {
  private let files: RecordedFiles
  private let session: RecordedSession
  private let other = UUID(uuidString: "3F2A0000-1111-4222-8333-444444444444")!

  init() throws {
    files = try RecordedFiles()
    session = try SampleSession.recorded()
  }

  private func delete(
    _ name: String = "3f2a91bc", pause: (Duration) throws -> Void = { _ in Issue.record("nothing is to be waited for") }
  ) async throws -> SessionDeletion.Outcome {
    try await SessionDeletion(of: name).perform(in: files.catalogue(), files.store) { try pause($0) }
  }

  private func refusal(_ name: String = "3f2a91bc") async -> SessionError? {
    await #expect(throws: SessionError.self) { _ = try await delete(name) }
  }

  @Test("without a recorder it goes from the store, the journal and the kept captures, and others stay")
  func everywhere() async throws {
    _ = try await files.store.commit(session)
    try files.leaveJournal(of: [session.id, other])
    for id in [session.id, other] {
      let capture = Capture(header: RecordedFiles.header(id), events: RecordedFiles.events(start: SampleStatus.now))
      _ = try files.archive.keep(capture)
    }
    #expect(try await delete() == .deleted(SessionSummary(session)))
    #expect(try await files.store.sessions().isEmpty)
    #expect(try files.journalled == [other])
    #expect(try files.archive.files().map(\.session) == [other])
  }

  @Test("beside a recorder it waits, a tenth of a second at a time, until the recorder has erased its journal")
  func besideRecorder() async throws {
    _ = try await files.store.commit(session)
    let journal = try files.openJournal(of: session.id)
    try journal.commit(session.id)
    var pauses: [Duration] = []
    let outcome = try await delete { pause in
      pauses.append(pause)
      if pauses.count == 3 { try journal.erase(session.id) }
    }
    #expect(outcome == .deleted(SessionSummary(session)))
    #expect(pauses == Array(repeating: .milliseconds(100), count: 3))
    #expect(try files.journalled.isEmpty)
  }

  @Test("a recorder that does not erase its journal is given up after half a minute; the session is deleted")
  func deafRecorder() async throws {
    _ = try await files.store.commit(session)
    let journal = try files.openJournal(of: session.id)
    var waited = Duration.zero
    let error = await #expect(throws: SessionError.self) { _ = try await delete { waited += $0 } }
    #expect(error == .notErased("3f2a91bc"))
    #expect(waited == .seconds(30))
    #expect(try await files.store.sessions().isEmpty)
    withExtendedLifetime(journal) {}
  }

  @Test("a session that only the journal has goes where no recorder runs")
  func unstored() async throws {
    try files.leaveJournal(of: [session.id, other])
    guard case .deleted(let deleted) = try await delete() else {
      Issue.record("nothing was deleted")
      return
    }
    #expect(deleted.id == session.id)
    #expect(try files.journalled == [other])
  }

  @Test("a session that a recorder has open, or is about to store, is not deleted")
  func beingRecorded() async throws {
    let journal = try files.openJournal(of: session.id)
    #expect(await refusal() == .stillRecorded("3f2a91bc"))
    try journal.append(SensorEvent(.ended(.request), at: BootInstant(microseconds: 5_000_000)), to: session.id)
    #expect(await refusal() == .beingStored("3f2a91bc"))
    #expect(try files.journalled == [session.id])
  }

  @Test("the word last and what can name no session are refused before anything is looked at")
  func names() throws {
    #expect(throws: SessionError.lastNotDeleted) { try SessionDeletion(of: "last") }
    for name in ["", "abc", "nothex", "3f2a91bc-1111-4222-8333-444444444444-5"] {
      #expect(throws: SessionError.noNameToDelete(name)) { try SessionDeletion(of: name) }
    }
  }

  @Test("an unknown name is told with the store that was looked in")
  func unknown() async throws {
    #expect(await refusal("abcd") == .notFound("abcd", store: files.location.path))
  }

  @Test("digits that several sessions begin with delete none of them")
  func ambiguous() async throws {
    _ = try await files.store.commit(session)
    try files.leaveJournal(of: [other])
    #expect(await refusal("3f2a") == .ambiguous("3f2a"))
    #expect(try await files.store.sessions().count == 1 && files.journalled == [other])
  }
}
