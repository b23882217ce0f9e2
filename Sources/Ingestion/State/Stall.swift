import Sensors

/// A time in which the recorder did not run, while what waited meanwhile is read. Pure.
///
/// A value that waited with a time of its own shows when the stall had begun, and one without a time stands behind it.
/// Each open session gets one event with its length.
struct Stall {
  /// On the boot clock: the first sign of it, and when the recorder ran again.
  private(set) var since: BootInstant
  let until: BootInstant
  /// Sensors whose sessions do not have its event yet.
  private var pending: Set<SensorAddress>

  init(since: BootInstant, until: BootInstant, sensors: some Sequence<SensorAddress>) {
    self.since = since
    self.until = until
    pending = Set(sensors)
  }

  /// A value of `sensor` is read that arrived at `instant`.
  ///
  /// - Returns: The stall's event, where it has to stand before that value.
  mutating func valueRead(of sensor: SensorAddress, at instant: BootInstant) -> SensorEvent.Kind? {
    guard instant >= until else {
      since = min(since, instant)
      return nil
    }
    return event(for: sensor)
  }

  /// The stall's event for a sensor's session; nil where it has it.
  mutating func event(for sensor: SensorAddress) -> SensorEvent.Kind? {
    pending.remove(sensor) == nil ? nil : .stalled(microseconds: until.microseconds(since: since))
  }

  /// The line for the log, once all that waited is read.
  var line: LogLine {
    let tenths = until.microseconds(since: since) / 100_000
    return LogLine(.warning, "the recorder did not run for \(tenths / 10).\(tenths % 10) s")
  }
}
