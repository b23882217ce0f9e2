import Testing
import Timeline

@testable import Ingestion

@Suite("The link of a sensor that is recorded")
struct SensorLinkTests {
  private let strap = "\(Invented.strap)"
  private var recording = Invented.recording()

  @Test("a link is recorded with the signal that was heard last, and said once")
  mutating func linkUp() {
    recording.signal = -60
    #expect(
      recording.linkUp(over: Invented.hci0)
        == .init(line: LogLine(.info, "\(strap): linked over hci0"), events: [.connected, .signal(dBm: -60)]))
    #expect(recording.adapter == Invented.hci0)
    #expect(recording.signal == nil)
  }

  @Test("a second link is not looked at, neither when it comes nor when it goes")
  mutating func second() {
    _ = recording.linkUp(over: Invented.hci0)
    #expect(recording.linkUp(over: Invented.hci1) == nil)
    #expect(recording.linkDown(over: Invented.hci1, reason: nil) == nil)
    #expect(recording.adapter == Invented.hci0)
  }

  @Test("a lost link is told with its reason, also with one that comes afterwards, once")
  mutating func linkDown() {
    _ = recording.linkUp(over: Invented.hci0)
    #expect(
      recording.linkDown(over: Invented.hci0, reason: "timeout")
        == .init(line: LogLine(.info, "\(strap): link lost (timeout)"), events: [.disconnected(reason: "timeout")]))
    #expect(recording.adapter == nil)
    recording.connecting(true)
    #expect(recording.linkDownReason("remote", over: Invented.hci1) == nil)
    #expect(
      recording.linkDownReason("remote", over: Invented.hci0)
        == .init(
          line: LogLine(.info, "\(strap): the link was lost for this reason: remote"),
          events: [.disconnected(reason: "remote")]))
    #expect(recording.linkDownReason("remote", over: Invented.hci0) == nil)
    #expect(recording.currentState == .connecting)
  }

  @Test("an attempt over another adapter outlasts the link that is lost meanwhile")
  mutating func attemptBesideLink() {
    _ = recording.linkUp(over: Invented.hci0)
    recording.connecting(true)
    #expect(recording.currentState == .linked)
    _ = recording.linkDown(over: Invented.hci0, reason: nil)
    #expect(recording.currentState == .connecting)
    recording.connecting(false)
    #expect(recording.currentState == .absent)
  }

  @Test("a reason that comes when there is a link again is that of none")
  mutating func lateReason() {
    _ = recording.linkUp(over: Invented.hci0)
    _ = recording.linkDown(over: Invented.hci0, reason: nil)
    _ = recording.linkUp(over: Invented.hci0)
    #expect(recording.linkDownReason("remote", over: Invented.hci0) == nil)
  }

  @Test("without bluetoothd there is neither a link nor an attempt at one")
  mutating func serviceGone() {
    recording.connecting(true)
    #expect(recording.serviceGone("bluetoothd gone") == nil)
    #expect(recording.currentState == .absent)
    _ = recording.linkUp(over: Invented.hci0)
    #expect(recording.serviceGone("bluetoothd gone") == .init(events: [.disconnected(reason: "bluetoothd gone")]))
    #expect(recording.adapter == nil)
  }

  @Test("values that stop for longer than a second and a half on a link that is up are a loss", arguments: [1.5, 1.6])
  func silence(_ seconds: Double) {
    var recording = Invented.recording()
    _ = recording.linkUp(over: Invented.hci0)
    recording.unsubscribed(at: Invented.at(10))
    let isLoss = seconds > 1.5
    #expect(
      recording.subscribed(at: Invented.at(10 + seconds)).events
        == (isLoss ? [.disconnected(reason: "not subscribed"), .connected] : []))
    #expect(recording.subscribed(at: Invented.at(60)).events.isEmpty)
  }

  @Test("a silence does not outlast its link")
  mutating func silenceOfOldLink() {
    _ = recording.linkUp(over: Invented.hci0)
    recording.unsubscribed(at: Invented.at(10))
    _ = recording.serviceGone("bus lost")
    recording.unsubscribed(at: Invented.at(11))
    _ = recording.linkUp(over: Invented.hci0)
    #expect(recording.subscribed(at: Invented.at(60)) == .init())
  }

  @Test("why no values come is logged once, and stays until they do")
  mutating func problem() {
    #expect(recording.valuesMissing(because: "far") == LogLine(.warning, "\(strap): far"))
    #expect(recording.valuesMissing(because: "far") == nil)
    #expect(recording.valuesMissing(because: "farther") == LogLine(.warning, "\(strap): farther"))
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).problem == "farther")
    #expect(recording.subscribed(at: Invented.at(1)).line == LogLine(.notice, "\(strap): values come now"))
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).problem == nil)
    #expect(recording.subscribed(at: Invented.at(2)).line == nil)
  }

  @Test("a low battery is logged once, and again after it was changed")
  mutating func battery() {
    let lines = ([40, 15, 14, 16, 30, 15, 31, 10] as [UInt8]).map { recording.battery($0)?.text }
    #expect(
      lines == [
        nil, "\(strap): its battery is low (15 %)", nil, nil, nil, nil, nil, "\(strap): its battery is low (10 %)",
      ])
  }
}
