import FoundationEssentials
import GATTHeartRate
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

  /// How the sensor stands. `nextTry`: when it is tried to be connected next.
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

  /// Whether it is on the skin; nil where the sensor does not say.
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
