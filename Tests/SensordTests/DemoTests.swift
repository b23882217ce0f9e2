import Ingestion
import RecordingSamples
import Reports
import Testing

@testable import sensord

@Suite("Demo")
struct DemoTests {
  @Test("a process that dies after a while is started again at once, however often")
  func restart() {
    var policy = RestartPolicy()
    for _ in 0..<100 {
      #expect(policy.ended(after: .seconds(3), exitStatus: nil) == .restart(after: .milliseconds(200)))
    }
  }

  @Test("a process that never gets going is given up, later and later")
  func giveUp() {
    var policy = RestartPolicy()
    let decisions = (0..<5).map { _ in policy.ended(after: .milliseconds(1), exitStatus: 1) }
    #expect(decisions.prefix(4) == [400, 800, 1_600, 3_200].map { .restart(after: .milliseconds($0)) }[...])
    #expect(decisions.last == .giveUp)
  }

  @Test("one good life makes up for bad starts")
  func recovers() {
    var policy = RestartPolicy()
    for _ in 0..<4 { _ = policy.ended(after: .zero, exitStatus: nil) }
    #expect(policy.ended(after: .seconds(10), exitStatus: nil) == .restart(after: .milliseconds(200)))
    #expect(policy.ended(after: .zero, exitStatus: nil) == .restart(after: .milliseconds(400)))
  }

  @Test("codes that say that a new start would fail again are believed", arguments: [64, 65, 75, 77, 78] as [Int32])
  func final(code: Int32) {
    var policy = RestartPolicy()
    #expect(policy.ended(after: .seconds(10), exitStatus: code) == .giveUp)
  }

  @Test("a bus that went is worth another start", arguments: [0, 1, 69, 74] as [Int32])
  func notFinal(code: Int32) {
    var policy = RestartPolicy()
    #expect(policy.ended(after: .seconds(10), exitStatus: code) == .restart(after: .milliseconds(200)))
  }

  @Test("the live line shows state, rate, beats, gaps, lost links and time left")
  func liveLine() throws {
    let document = SampleStatus.document()
    let now = SampleStatus.now
    #expect(
      DemoLiveLine.text(document.status, secondsLeft: 8, now: now)
        == "Recording · 62 bpm · 63 beats · 3 gaps · 2 lost links · 8 s left")
    #expect(
      DemoLiveLine.text(document.status, secondsLeft: 8, now: now + 10_000_000)
        == "Recording · 62 stale bpm · 63 beats · 3 gaps · 2 lost links · 8 s left")
    #expect(DemoLiveLine.text(nil, secondsLeft: 20, now: now) == "Starting · 20 s left")
    let lost = RecorderStatus(state: .noBus, problem: nil, sensors: [])
    #expect(DemoLiveLine.text(lost, secondsLeft: 3, now: now) == "Waiting for the message bus · 3 s left")
  }

  @Test("the folder of the demo goes with it")
  func folder() throws {
    var folder: DemoFolder? = try DemoFolder(environment: ProcessEnvironment([:]))
    let path = try #require(folder?.path)
    #expect(FileAccess.exists(path + "/bus.conf"))
    folder = nil
    #expect(!FileAccess.exists(path))
  }
}
