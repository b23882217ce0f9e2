import BlueZ
import DBus
import Sensors

extension Recorder {
  /// A time in which the recorder did not run, while what waited meanwhile is told.
  struct Stall {
    /// Microseconds on the boot clock: the first sign of it, and when it ran again.
    var since: Int64
    var until: Int64
    /// Sensors whose sessions do not know of it yet.
    var untold: Set<SensorAddress>
  }

  /// Now; while what waited during a stall is read, the one instant at which the recorder ran again.
  var present: BootInstant {
    loop.stallEnd.map { BootInstant(microseconds: $0) } ?? clock.now()
  }

  /// The recorder did not run. What waits with a time of its own is heard first, then every session is told of the stall; the
  /// loop goes on to read what has no such time, and judges afterwards what is due.
  func stalled(since: Int64, until: Int64) {
    guard takesEvents else { return }
    stall = Stall(since: since, until: until, untold: Set(channels.keys))
    client?.assumeIsolated { $0.tellWaitingValues() }
    endStall()
  }

  /// Everything that waited with a time of its own was heard.
  func endStall() {
    for address in channels.keys.sorted() { tellStall(to: address) }
    guard let ended = stall.take() else { return }
    let tenths = (ended.until - ended.since) / 100_000
    log(.warning, "the recorder did not run for \(tenths / 10).\(tenths % 10) s")
  }

  /// A value is heard: one that waited with a time of its own shows when the stall had begun, and one without a time stands
  /// behind it.
  func hearDuringStall(of address: SensorAddress, at instant: BootInstant) {
    guard let stall else { return }
    if instant.microseconds < stall.until {
      self.stall?.since = min(stall.since, instant.microseconds)
    } else {
      tellStall(to: address)
    }
  }

  private func tellStall(to address: SensorAddress) {
    guard let stall, self.stall?.untold.remove(address) != nil, channels[address]?.session != nil else { return }
    take(
      .stalled(microseconds: stall.until - stall.since), of: address,
      at: BootInstant(microseconds: stall.until))
  }
}
