import GATTHeartRate
import HealthModel
import Sensors

extension SessionMachine {
  /// Handles a measurement: it begins a session, continues one, or ends one and begins the next.
  mutating func receive(_ bytes: [UInt8], at instant: BootInstant, into transition: inout SessionTransition) {
    let header: HeartRateMeasurement.Header
    do {
      header = try HeartRateMeasurement.Header(decoding: bytes.span)
    } catch {
      guard isRecording else { return }
      counts.notifications += 1
      counts.defects[PayloadDefect(error), default: 0] += 1
      return
    }
    // Some sensors without contact detection send a rate of 0 for "no signal".
    let isOnSkin = header.rrCount > 0 || (header.contact != .notDetected && header.beatsPerMinute > 0)
    if let sessionStart {
      if instant.microseconds(since: sessionStart) >= limits.lengthMicroseconds || eventCount >= limits.eventCount {
        transition.end = close(.rolled, at: instant)
        transition.beginning = open(at: instant, isLinked: true)
      }
    } else {
      // Otherwise a strap that lies on a table would fill the store with sessions of five minutes.
      guard isOnSkin || !waitsForSkin else { return }
      transition.beginning = open(at: instant, isLinked: false)
    }
    isRestarting = false
    // Also where the record of its end is damaged.
    isPaused = false
    restartWall = nil
    awaySince = nil
    lastMeasurement = instant
    contact = header.contact
    if header.beatsPerMinute > 0 {
      beatsPerMinute = header.beatsPerMinute
      rateInstant = instant
      bringsRate = true
    }
    if isOnSkin {
      if phase == .contactLost { live.breakRun() }
      enter(.measuring, since: instant)
    } else {
      enter(.contactLost, since: instant)
    }
    live.append(header, bytes.span, at: instant)
    gaps.append(header, isOnSkin: isOnSkin, live.beats, at: instant.microseconds)
    count(header, byteCount: bytes.count)
  }

  private mutating func count(_ header: HeartRateMeasurement.Header, byteCount: Int) {
    counts.notifications += 1
    counts.beats += header.rrCount
    counts.runs = live.runs
    counts.gaps = gaps.count
    PayloadDefect.forEach(in: header, byteCount: byteCount) { counts.defects[$0, default: 0] += 1 }
  }
}
