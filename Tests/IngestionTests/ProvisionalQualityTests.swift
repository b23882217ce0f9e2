import BlueZ
import BluetoothScript
import Captures
import FoundationEssentials
import HealthModel
import Testing
import Timeline

@testable import Ingestion

@Suite("ProvisionalQuality")
struct ProvisionalQualityTests {
  private static let offset: Int64 = 1_795_000_000_000_000

  /// A strap with a beat a second, of which the one at 40 is early and the one at 90 was missed.
  private static func events(seconds: Int) -> [SensorEvent] {
    var events = [
      SensorEvent(.boot(BootIdentifier(high: 1, low: 2)), at: BootInstant(microseconds: 0)),
      SensorEvent(.clock(wallMinusBootMicroseconds: offset), at: BootInstant(microseconds: 0)),
      SensorEvent(.connected, at: BootInstant(microseconds: 0)),
    ]
    for second in 1...seconds where second != 90 {
      let ticks =
        switch second {
        case 40: 700
        case 41: 1348
        case 91: 2048
        default: [1000, 1010, 1024, 1041, 1048, 1039, 1026, 1008][second % 8]
        }
      events.append(
        SensorEvent(
          .measurement([0x16, 60, UInt8(ticks & 0xFF), UInt8(ticks >> 8)]),
          at: BootInstant(microseconds: Int64(second) * 1_000_000)))
    }
    return events
  }

  private static func quality(seconds: Int) throws -> ProvisionalQuality? {
    var machine = SessionMachine()
    var quality = LiveQuality()
    for event in events(seconds: seconds) {
      _ = machine.handle(event)
      for beat in machine.beats { quality.append(beat) }
    }
    quality.judge()
    return ProvisionalQuality(quality, wallMinusBoot: offset)
  }

  @Test("of a session of less than five minutes it says what is stored in the end")
  func equalsWhatIsStored() throws {
    let quality = try #require(try Self.quality(seconds: 240))
    let header = CaptureHeader(
      session: UUID(), sensor: SensorIdentity(address: SensorAddress("C0:FF:EE:00:00:01"), name: nil), source: "test")
    let session = try RecordedSession(
      of: Capture(header: header, events: Self.events(seconds: 240)), version: "test")
    let flagged = session.heartbeats.beats.count { !$0.flags.subtracting(.firstOfRun).isEmpty }
    #expect(flagged == 2)
    #expect((quality.beats, quality.flagged) == (239, flagged))
    #expect((quality.recentBeats, quality.recentFlagged) == (239, flagged))
    let live = try #require(quality.rmssdMilliseconds)
    let stored = try #require(session.variability.rmssdMilliseconds)
    #expect(abs(live - stored) < 1e-9)
    #expect(quality.until > Self.offset + 238_000_000 && quality.until <= Self.offset + 240_000_000)
  }

  @Test("after five minutes the last ones count for themselves")
  func lastFiveMinutes() throws {
    let quality = try #require(try Self.quality(seconds: 360))
    #expect((quality.beats, quality.flagged) == (359, 2))
    #expect(quality.recentFlagged == 1)
    #expect(290...300 ~= quality.recentBeats)
  }

  @Test("variability of less than a minute is not told")
  func tooShort() throws {
    let quality = try #require(try Self.quality(seconds: 55))
    #expect(quality.rmssdMilliseconds == nil)
    #expect(quality.beats == 55)
    #expect(try Self.quality(seconds: 75)?.rmssdMilliseconds != nil)
  }

  @Test("a session without beats has none")
  func nothing() {
    #expect(ProvisionalQuality(LiveQuality(), wallMinusBoot: 0) == nil)
  }

  @Test("the recorder's status tells it while a session is open, and no longer")
  func status() async throws {
    let strap = RecorderStage.strap
    let stage = try await RecorderStage(
      objects: [RecorderStage.path(strap, 0): MadeUp.object(of: "\(strap)")],
      prepare: { settings, _ in
        settings.judgingInterval = .zero
        settings.awayLimit = .zero
      })
    await stage.witness.line("bluetoothd is there")
    try await stage.link(over: 0)
    await stage.witness.line("\(strap): values come")
    await stage.bluez.packets([0x10, 60, 0, 4], [0x10, 60, 8, 4])
    await stage.witness.wait { $0.status?.sensors.first?.provisional?.beats == 2 }
    try await stage.bluez.unlink(RecorderStage.path(strap, 0))
    await stage.witness.line("session ends (away)")
    await stage.witness.wait { $0.status?.sensors.first.map { $0.session == nil && $0.provisional == nil } == true }
    await stage.end()
  }
}
