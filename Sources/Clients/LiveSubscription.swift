import HealthModel
import Sensors

/// What one client wants and may have of live values.
struct LiveSubscription {
  /// Nil for all.
  let sensors: Set<SensorAddress>?
  /// What the owner allows it to read: rates, and intervals.
  var readsRates: Bool
  var readsBeats: Bool
  /// Kinds of heart events.
  var readsEvents: Set<HeartEvent.Kind>
  private(set) var sequence: UInt64 = 0
  /// Values that it did not get since the last that it got.
  private var missed: UInt64 = 0

  init(sensors: Set<SensorAddress>?, readsRates: Bool, readsBeats: Bool, readsEvents: Set<HeartEvent.Kind> = []) {
    self.sensors = sensors
    self.readsRates = readsRates
    self.readsBeats = readsBeats
    self.readsEvents = readsEvents
  }

  /// Whether such an event of a sensor is for it.
  func covers(_ kind: HeartEvent.Kind, of sensor: SensorAddress) -> Bool {
    readsEvents.contains(kind) && sensors?.contains(sensor) != false
  }

  /// Whether anything that it may read can come.
  var readsAnything: Bool { readsRates || readsBeats || !readsEvents.isEmpty }

  /// Whether values and states of a sensor are for it.
  func covers(_ sensor: SensorAddress) -> Bool {
    (readsRates || readsBeats) && sensors?.contains(sensor) != false
  }

  /// A value that is for it, as it gets it.
  mutating func next(_ value: LiveMeasurement) -> LiveMeasurement {
    sequence += 1
    defer { missed = 0 }
    var own = value
    own.sequence = sequence
    own.missed = missed
    if !readsRates { own.beatsPerMinute = 0 }
    if !readsBeats { own.rrTicks = [] }
    return own
  }

  /// So many values do not reach it.
  mutating func lost(_ count: Int) {
    guard readsRates || readsBeats else { return }
    sequence += UInt64(count)
    missed += UInt64(count)
  }
}
