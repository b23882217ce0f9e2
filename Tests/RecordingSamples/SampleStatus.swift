internal import Ingestion
package import Reports
internal import Timeline

/// A made-up status.
package enum SampleStatus {
  /// When it was written, in microseconds since 1970 (UTC).
  package static let now: Int64 = 1_795_226_888_000_000

  /// A recorder with a strap that measures and one that is away.
  package static func document() -> StatusDocument {
    var strap = SensorStatus(
      address: SensorAddress("C0:FF:EE:00:00:01")!, name: "Strap \u{1B}[2J", state: .measuring,
      since: now - 61_000_000)
    strap.session = "3f2a91bc-0000-4000-8000-000000000000"
    strap.sessionStart = now - 61_000_000
    strap.beatsPerMinute = 62
    strap.rateAt = now - 500_000
    strap.contact = true
    strap.battery = 81
    strap.notifications = 61
    strap.beats = 63
    strap.gaps = 3
    strap.losses = 2
    strap.provisional = ProvisionalQuality(
      beats: 1250, flagged: 10, recentBeats: 300, recentFlagged: 6, rmssdMilliseconds: 41.25, until: now - 1_000_000)
    let away = SensorStatus(
      address: SensorAddress("C0:FF:EE:00:00:02")!, name: nil, state: .absent, since: now - 600_000_000)
    return StatusDocument(
      version: "0.1.0", processIdentifier: 42, started: now - 600_000_000, updated: now,
      bootMicroseconds: 7_000_000_000, store: "/s/sensord.sqlite",
      status: RecorderStatus(state: .recording, problem: nil, sensors: [strap, away]))
  }
}
