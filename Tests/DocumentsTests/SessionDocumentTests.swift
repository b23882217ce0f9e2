import HealthModel
import RecordingSamples
import SeriesStore
import Support
import Testing

@testable import Documents

@Suite("The documents of a session")
struct SessionDocumentTests {
  @Test("a session has the keys of the design, in its order")
  func json() throws {
    let session = SessionSummary(try SampleSession.recorded())
    #expect(
      JSONValue.object(session.members(isDoubtful: false)).text
        == #"{"id":"3f2a91bc-1111-4222-8333-444444444444","device":{"name":"Strap","address":"C0:FF:EE:00:00:01"},"#
        + #""start":"2026-11-21T02:08:08.000Z","end":"2026-11-21T02:08:29.000Z","endReason":"shutdown","#
        + #""heartRate":{"count":2,"average":62.5,"minimum":61,"maximum":64,"mostRecent":64},"#
        + #""heartbeats":{"count":3,"gaps":1,"runs":2,"leftOut":0,"habit":null,"#
        + #""coverage":{"floor":0.125,"ceiling":0.25}},"gaps":1,"#
        + #""hrv":{"sdnnMilliseconds":12.5,"rmssdMilliseconds":null,"pnn50":null}}"#)
  }

  @Test("a session without rates has a count of 0 and no figures")
  func noRates() throws {
    var recorded = try SampleSession.recorded()
    recorded.rates = []
    let session = SessionSummary(recorded)
    #expect(
      JSONValue.object(session.members(isDoubtful: false)).text.contains(
        #""heartRate":{"count":0,"average":null,"minimum":null,"maximum":null,"mostRecent":null}"#))
  }

  @Test("a session that is still open has neither end nor reason")
  func open() throws {
    let session = SessionSummary(try SampleSession.recorded(endReason: ""))
    #expect(JSONValue.object(session.members(isDoubtful: false)).text.contains(#""end":null,"endReason":null"#))
  }

  private func report(_ recorded: RecordedSession) -> SessionReport {
    SessionReport(
      session: SessionSummary(recorded), heartbeats: recorded.heartbeats, gaps: recorded.gaps,
      markers: recorded.markers)
  }

  @Test("a session in full ends with its quality report and its runs")
  func full() throws {
    var recorded = try SampleSession.recorded()
    recorded.markers = [SessionMarker(time: recorded.start.advanced(byMicroseconds: 1_000_000), text: "Level 2")]
    recorded.metadata = ["title": "Hot dogs", "level": 2]
    let report = report(recorded)
    let ending: [String] = [
      #","quality":{"junk":0,"notifications":3,"artefacts":{},"gapsByCause":{"link":{"count":1,"seconds":18,"#,
      #""estimatedLostBeats":18}},"gaps":[{"reason":"link","detail":"timeout","#,
      #""start":"2026-11-21T02:08:09.000Z","end":"2026-11-21T02:08:27.000Z","estimatedLostBeats":18}]},"#,
      #""metadata":{"level":2,"title":"Hot dogs"},"markers":[{"time":"2026-11-21T02:08:09.000Z","text":"Level 2"}],"#,
      #""runs":[{"index":0,"start":"2026-11-21T02:08:08.000Z","end":"2026-11-21T02:08:09.000Z","beats":2,"#,
      #""uncertaintyMilliseconds":12.5},{"index":1,"start":"2026-11-21T02:08:28.000Z","#,
      #""end":"2026-11-21T02:08:28.000Z","beats":1,"uncertaintyMilliseconds":0}]}"#,
    ]
    #expect(report.json.text.hasSuffix(ending.joined()))
    let refused =
      #""hrvRefused":{"rmssdMilliseconds":"60 s are needed, there are 21","pnn50":"60 s are needed, there are 21"}"#
    #expect(report.json.text.contains(refused))
  }

  @Test("artefacts are counted by kind, gaps by cause")
  func kinds() throws {
    var recorded = try SampleSession.withArtefacts()
    recorded.gaps += [recorded.gaps[0]]
    let report = report(recorded)
    #expect(report.artefacts.map(\.name) == ["ectopic", "rateConflict"])
    #expect(report.artefacts.map(\.beats) == [3, 3])
    #expect(report.gapCauses.map(\.count) == [2])
    #expect(report.json.text.contains(#""artefacts":{"ectopic":3,"rateConflict":3}"#))
  }
}
