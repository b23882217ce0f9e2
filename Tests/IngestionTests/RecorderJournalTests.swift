import Captures
import Sensors
import Synchronization
import Testing

@testable import Ingestion

@Suite("The recorder whose journal refuses values", .timeLimit(.minutes(5)))
struct RecorderJournalTests {
  @Test("what the status learns of a session while its journal refuses a value is kept")
  func noUpdateIsLost() async throws {
    let stage = try await LoneRecorder { $0.judgingInterval = .milliseconds(1500) }
    let events = stage.recorder.events(.status)
    // The journal will know no such session any more, and refuse what comes: the store cannot have it either.
    _ = try? await stage.run { recorder in
      for second in [100.0, 101, 102, 103] {
        stage.setTime(second)
        if second == 102, let index = recorder.recordings.index(of: LoneRecorder.strap),
          let session = recorder.recordings[index].session
        {
          try? recorder.files?.journal.commit(session.id)
        }
        recorder.record(.measurement([0x10, 60, 0, 4]), of: LoneRecorder.strap, at: Invented.at(second))
      }
    }
    var judged: [Int] = []
    for await event in events {
      guard case .status(let status) = event.kind else { continue }
      judged += status.sensors.compactMap { $0.provisional?.beats }
    }
    #expect(judged.count >= 2)
    #expect(Set(judged).count == 1, "judged twice within the interval: \(judged)")
  }

  @Test("what a session lost up to its end is published before that end, as the session's")
  func lossAtTheEnd() async throws {
    let stage = try await LoneRecorder()
    let events = stage.recorder.events(.sessions)
    _ = try? await stage.run { recorder in
      for second in [100.0, 101, 102] {
        stage.setTime(second)
        if second == 101, let index = recorder.recordings.index(of: LoneRecorder.strap),
          let session = recorder.recordings[index].session
        {
          try? recorder.files?.journal.commit(session.id)
        }
        recorder.record(.measurement([0x10, 60, 0, 4]), of: LoneRecorder.strap, at: Invented.at(second))
      }
    }
    var seen: [RecorderEvent] = []
    for await event in events { seen.append(event) }
    let lost = try #require(
      seen.firstIndex { if case .lost(values: 2, microseconds: _) = $0.kind { true } else { false } })
    let end = try #require(seen.firstIndex { if case .sessionEnded = $0.kind { true } else { false } })
    #expect(lost < end)
    #expect(seen[lost].session != nil && seen[lost].session == seen[end].session)
  }
}
