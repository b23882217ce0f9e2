import BlueZ
import DBus
import Sensors

extension Recorder {
  /// Now; while what waited during a stall is read, the one instant at which the recorder ran again.
  var present: BootInstant {
    loop.stallEnd.map { BootInstant(microseconds: $0) } ?? clock.now()
  }

  /// The recorder did not run. What waits with a time of its own is read first, then every session gets the stall's event; the
  /// loop goes on to read what has no such time, and judges afterwards what is due.
  func stalled(since: Int64, until: Int64) {
    guard isTakingEvents else { return }
    stall = Stall(
      since: BootInstant(microseconds: since), until: BootInstant(microseconds: until), sensors: recordings.addresses)
    bus?.central.assumeIsolated { $0.readWaitingValues() }
    endStall()
  }

  /// Everything that waited with a time of its own was read.
  func endStall() {
    for address in recordings.addresses {
      if let event = stall?.event(for: address) { recordStall(event, of: address) }
    }
    log(stall?.line)
    stall = nil
  }

  /// A value is read while the stall lasts.
  func placeStall(beforeValueOf address: SensorAddress, at instant: BootInstant) {
    if let event = stall?.valueRead(of: address, at: instant) { recordStall(event, of: address) }
  }

  private func recordStall(_ event: SensorEvent.Kind, of address: SensorAddress) {
    guard let stall, let index = recordings.index(of: address), recordings[index].session != nil else { return }
    record(event, of: address, at: stall.until)
  }
}
