import FoundationEssentials
import GATTHeartRate
import HealthModel
import HeartRateRecording
import Sensors

extension SensorRecording {
  /// When the beats of the open session were judged last, or its beginning; nil where they need not be judged at `now`.
  func judgingDue(at now: BootInstant, every interval: Int64) -> BootInstant? {
    guard let session, let last = session.judgedAt ?? machine.sessionStart, now.microseconds(since: last) >= interval
    else { return nil }
    return last
  }

  /// Looks at the beats of the open session. `offset` is the wall clock's lead over the boot clock, in microseconds.
  mutating func judge(at now: BootInstant, wallMinusBoot offset: Int64) {
    session?.judge(at: now, wallMinusBoot: offset)
  }

  /// Returns the status of the sensor. `nextTry`: the time of the next attempt to connect.
  func status(wallMinusBoot offset: Int64, nextTry: BootInstant?) -> SensorStatus {
    func wall(_ instant: BootInstant) -> Int64 { instant.microseconds + offset }
    var status = SensorStatus(address: address, name: name, state: state, since: wall(stateSince))
    status.session = session?.id.uuidString.lowercased()
    status.sessionStart = machine.sessionStart.map(wall)
    status.beatsPerMinute = machine.beatsPerMinute
    status.rateAt = machine.rateInstant.map(wall)
    status.contact = contact
    status.battery = machine.batteryPercent
    status.notifications = machine.counts.notifications
    status.beats = machine.counts.beats
    status.gaps = machine.counts.gaps
    status.losses = machine.counts.linkLosses
    status.junk = Int(machine.counts.defects.values.reduce(0, +))
    let pending = session?.backlog.loss(upTo: nil)
    status.lostValues = lostValues + (pending?.values ?? 0)
    status.lostMicroseconds = lostMicroseconds + (pending?.microseconds ?? 0)
    status.provisional = session?.provisional
    status.lastDisconnectReason = machine.lastDisconnectReason
    status.problem = problem
    status.nextTry = nextTry.map(wall)
    return status
  }

  /// Whether it is on the skin; nil if the sensor does not report it.
  var contact: Bool? {
    switch machine.contact {
    case .detected: true
    case .notDetected: false
    case .notSupported, nil: nil
    }
  }
}

extension SensorRecording.OpenSession {
  fileprivate mutating func judge(at now: BootInstant, wallMinusBoot offset: Int64) {
    quality.judge()
    judgedAt = now
    provisional = ProvisionalQuality(quality, wallMinusBoot: offset)
  }
}

/// The provisional quality of the beats of an open session. The stored quality comes from the final pass, and may
/// differ.
public struct ProvisionalQuality: Hashable, Sendable {
  /// The beats of the session, and how many of them are flagged.
  public var beats: Int
  public var flagged: Int
  /// The same for the last five minutes.
  public var recentBeats: Int
  public var recentFlagged: Int
  /// The root mean square of successive differences of the last five minutes' NN intervals, in milliseconds; nil where
  /// `sensord hrv` would refuse it for this stretch: less than a minute, or too many holes.
  public var rmssdMilliseconds: Double?
  /// When the last of the beats happened, in microseconds since 1970 (UTC).
  public var until: Int64

  public init(
    beats: Int, flagged: Int, recentBeats: Int, recentFlagged: Int, rmssdMilliseconds: Double?, until: Int64
  ) {
    self.beats = beats
    self.flagged = flagged
    self.recentBeats = recentBeats
    self.recentFlagged = recentFlagged
    self.rmssdMilliseconds = rmssdMilliseconds
    self.until = until
  }
}

extension ProvisionalQuality {
  /// The findings of `quality` at its last judgement, with the wall clock's lead over the boot clock in microseconds;
  /// nil without beats.
  init?(_ quality: LiveQuality, wallMinusBoot offset: Int64) {
    guard let first = quality.firstBeat, let last = quality.lastBeat else { return nil }
    let until = last.microseconds &+ offset
    let recent = quality.recentCounts
    self.init(
      beats: quality.beats, flagged: quality.flagged, recentBeats: recent.beats, recentFlagged: recent.flagged,
      rmssdMilliseconds: Self.rmssd(
        try? quality.recent(wallMinusBoot: offset),
        from: max(first.microseconds &+ offset, until &- LiveQuality.windowMicroseconds), to: until),
      until: until)
  }

  private static func rmssd(_ beats: HeartbeatSeries?, from start: Int64, to end: Int64) -> Double? {
    guard let beats,
      let span = TimeSpan(start: Timestamp(microseconds: start), end: Timestamp(microseconds: end))
    else { return nil }
    return HeartRateVariabilitySummary(of: beats, in: span).rmssdMilliseconds
  }
}
