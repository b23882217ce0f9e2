import Foundation
import HealthModel
import Testing

@testable import HealthInterchange

@Suite("Own exports are known again")
struct IdentityTests {
  private func read(_ recording: InterchangeRecording, _ format: InterchangeFormat) throws -> RecordedSession {
    let foreign = try #require(ForeignFormat(rawValue: format.rawValue))
    let reading = try Reading(format.bytes(of: recording), foreign)
    #expect(reading.damage == nil)
    #expect(reading.account == ReadingAccount())
    #expect(reading.sessions.count == 1)
    return try #require(reading.sessions.first)
  }

  private func recording() throws -> InterchangeRecording {
    var recording = try MadeUp.withGap()
    recording.source = SourceRevision(identifier: "sensord", name: "sensord", version: "1.2.0")
    recording.device = Device(
      name: "Polar H10 B1234567", manufacturer: "Polar Electro Oy", model: "H10",
      localIdentifier: "C0:FF:EE:00:00:01")
    return recording
  }

  @Test(
    "a session comes in under its own name, as its recorder's, and never takes the place of what was recorded",
    arguments: [InterchangeFormat.fit, .tcx, .wfdb, .apple])
  func session(format: InterchangeFormat) throws {
    let recording = try recording()
    let session = try read(recording, format)
    #expect(session.id == MadeUp.id)
    #expect(session.source == recording.source)
    #expect(session.syncVersion < 0)
    #expect(session.metadata["importedWorkout"] == nil)
    // A strap's address is nobody's business; TCX has one name.
    let device =
      format == .tcx
      ? Device(name: "H10") : Device(name: "Polar H10 B1234567", manufacturer: "Polar Electro Oy", model: "H10")
    #expect(session.device == device)
  }

  @Test("of two copies the one with more values counts as the newer one")
  func versions() throws {
    let (fit, tcx) = (try read(recording(), .fit), try read(recording(), .tcx))
    #expect(fit.id == tcx.id)
    #expect(fit.syncVersion > tcx.syncVersion)
  }

  @Test(
    "a workout's copy says of which, and is no session of that name",
    arguments: [InterchangeFormat.fit, .tcx, .wfdb, .apple])
  func workout(format: InterchangeFormat) throws {
    var recording = try recording()
    recording.isWorkout = true
    let session = try read(recording, format)
    #expect(session.metadata["importedWorkout"] == "3f2a91bc-1111-4222-8333-444444444444")
    #expect(session.id != MadeUp.id)
    #expect(session.id == UUID(madeOf: "sensord import\nworkout\n3F2A91BC-1111-4222-8333-444444444444"))
  }

  @Test(
    "a copy of a workout that leaves again is a copy of the same workout",
    arguments: [InterchangeFormat.fit, .tcx, .wfdb, .apple])
  func copyOfWorkout(format: InterchangeFormat) throws {
    var recording = try recording()
    recording.copiedWorkout = UUID(uuidString: "7C10E5D2-0000-4000-8000-000000000002")
    #expect(try read(recording, format).metadata["importedWorkout"] == "7c10e5d2-0000-4000-8000-000000000002")
  }

  @Test("what another program imported keeps its source; the name of a program of this machine is nobody's to give")
  func sources() throws {
    var recording = try recording()
    recording.source = SourceRevision(identifier: "fit.Garmin.7", name: "Garmin 2697")
    #expect(try read(recording, .fit).source == recording.source)
    recording.source = SourceRevision(identifier: "org.example.Game", name: "Game")
    #expect(try read(recording, .fit).source.identifier.hasPrefix("fit.FIT manufacturer 255."))
    #expect(try read(recording, .wfdb).source.identifier == "wfdb.sensord")
    #expect(try read(recording, .tcx).source.identifier == "tcx.H10")
  }

  @Test(
    "intervals that say nothing of whose they are are known again: all of them, or the first of many",
    arguments: [(ForeignFormat.rr, InterchangeFormat.rr), (.hrvlogger, .hrvlogger)])
  func intervals(foreign: ForeignFormat, format: InterchangeFormat) throws {
    func copy(_ recording: InterchangeRecording) throws -> IntervalCopy {
      let reading = try Reading(format.bytes(of: recording), foreign, start: MadeUp.start)
      let session = try #require(reading.sessions.first)
      return try #require(IntervalCopy(session.heartbeats, foreign))
    }
    func recording(_ ticks: some Sequence<UInt32>) throws -> InterchangeRecording {
      MadeUp.recording(
        seconds: 100, beats: try MadeUp.series([(0.4, [990, 1010]), (8.7, Array(ticks))]), gaps: [(2.4, 8.7)])
    }
    let ticks = (0..<40).map { UInt32(800 + 7 * ($0 % 30)) }
    let (long, short) = (try recording(ticks), try recording(ticks.prefix(5)))
    #expect(try copy(long).isCopy(of: long) && copy(short).isCopy(of: short))
    // Written while it was being recorded, and too early to tell.
    #expect(try copy(recording(ticks.prefix(30))).isCopy(of: long))
    #expect(try !copy(recording(ticks.prefix(29))).isCopy(of: long))
    #expect(try !copy(recording(ticks + [900])).isCopy(of: long))
    #expect(try !copy(recording(ticks.dropLast() + [1003])).isCopy(of: long))
    #expect(try !copy(recording([900] + ticks.dropFirst())).isCopy(of: long))
    let session = try #require(Reading(InterchangeFormat.fit.bytes(of: long), .fit).sessions.first)
    #expect(IntervalCopy(session.heartbeats, .fit) == nil)
  }

  @Test("identifier and version come in again whatever letters they have, and end no instruction")
  func instruction() throws {
    var recording = try recording()
    recording.source.version = "1?><x/>"
    let text = InterchangeFormat.tcx.text(of: recording)
    #expect(text.contains("<?sensord session 3f2a91bc-1111-4222-8333-444444444444 sensord 1%3F%3E%3Cx/%3E?>"))
    #expect(try read(recording, .tcx).source == recording.source)
    recording.source = SourceRevision(
      identifier: "fit.FIT manufacturer 255.7", name: "fit.FIT manufacturer 255.7", version: "1.0 50% bêta")
    for format in [InterchangeFormat.tcx, .apple] { #expect(try read(recording, format).source == recording.source) }
    // As versions before wrote it, and what is no code of a letter.
    let id = "session 3f2a91bc-1111-4222-8333-444444444444"
    #expect(RecordingAnnouncement("\(id) sensord 1.0")?.version == "1.0")
    #expect(RecordingAnnouncement("\(id) fit.5% 1%4 %zz")?.source == "fit.5%")
    #expect(RecordingAnnouncement("\(id) fit.5% 1%4 %zz")?.version == "1%4")
  }

  @Test(
    "identities as texts",
    arguments: [
      ("session 3F2A91BC-1111-4222-8333-444444444444", RecordingIdentity.session(MadeUp.id)),
      ("workout 3f2a91bc-1111-4222-8333-444444444444", .workout(MadeUp.id)), ("session", nil),
      ("session 3f2a91bc", nil),
      ("ride 3f2a91bc-1111-4222-8333-444444444444", nil), ("", nil),
    ])
  func texts(text: String, identity: RecordingIdentity?) {
    #expect(RecordingIdentity(text) == identity)
    if let identity { #expect(identity.text == text.lowercased()) }
  }

  @Test("several recordings of one file come in as several, each under its own name")
  func several() throws {
    let first = try recording()
    var second = first
    second.id = try #require(UUID(uuidString: "AAAAAAAA-1111-4222-8333-444444444444"))
    var bytes: [UInt8] = []
    guard var collection = RecordingCollection(.tcx) else {
      Issue.record("TCX can hold several")
      return
    }
    for one in [first, second] { collection.append(one) { (piece) throws(Never) in bytes += piece } }
    collection.finish { (piece) throws(Never) in bytes += piece }
    #expect(try Reading(bytes, .tcx).sessions.map(\.id) == [first.id, second.id])
    #expect(InterchangeFormat.allCases.filter(\.holdsSeveral) == [.tcx, .omh, .fhir, .apple])
  }

  @Test("EDF and FHIR have the session's name where they have a place for one")
  func written() throws {
    let edf = InterchangeFormat.edf.bytes(of: try recording())
    #expect(
      String(decoding: edf[88..<168], as: UTF8.self)
        .hasPrefix("Startdate 21-NOV-2026 3f2a91bc-1111-4222-8333-444444444444 X H10 "))
    let fhir = InterchangeFormat.fhir.text(of: try recording())
    #expect(fhir.contains(#""system":"urn:ietf:rfc:3986","value":"urn:uuid:3f2a91bc-1111-4222-8333-444444444444""#))
  }
}
