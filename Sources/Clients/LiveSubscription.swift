import Sensors

/// What one client gets of live values: which sensors, what of them, and how it keeps up.
struct LiveSubscription {
  /// How long a subscriber may say nothing before it is asked whether it still reads, and how long it may owe the answer.
  static let silence: Int64 = 10_000_000
  static let patience: Int64 = 30_000_000

  /// Nil for all.
  let sensors: Set<SensorAddress>?
  /// What the owner allows it to read: rates, and intervals.
  var readsRates: Bool
  var readsBeats: Bool
  private(set) var sequence: UInt64 = 0
  /// Values that it did not get since the last that it got.
  private var missed: UInt64 = 0
  private var budget: RateLimit
  /// When it last said something.
  private var heard: BootInstant
  /// When it was asked for an answer that it owes.
  private var asked: BootInstant?
  /// It has owed an answer too long.
  private(set) var isPaused = false

  init(
    sensors: Set<SensorAddress>?, readsRates: Bool, readsBeats: Bool, limits: ClientLimits, at now: BootInstant
  ) {
    self.sensors = sensors
    self.readsRates = readsRates
    self.readsBeats = readsBeats
    budget = RateLimit(perSecond: limits.signalsPerSecond)
    heard = now
  }

  /// Whether anything of a sensor is for it.
  func covers(_ sensor: SensorAddress) -> Bool {
    (readsRates || readsBeats) && sensors?.contains(sensor) != false
  }

  /// What a subscriber is to be sent.
  struct Delivery {
    /// Nil where this value is left out.
    var value: LiveMeasurement?
    var isAsked = false
  }

  /// A value that is for it arrived at `now`; `hasRoom` is whether it can be sent.
  mutating func deliver(_ value: LiveMeasurement, hasRoom: Bool, at now: BootInstant) -> Delivery {
    sequence += 1
    if let asked, now.microseconds(since: asked) >= Self.patience { isPaused = true }
    guard hasRoom, !isPaused, budget.take(at: now) else {
      missed += 1
      return Delivery(value: nil)
    }
    var own = value
    own.sequence = sequence
    own.missed = missed
    missed = 0
    if !readsRates { own.beatsPerMinute = 0 }
    if !readsBeats { own.rrTicks = [] }
    var delivery = Delivery(value: own)
    if asked == nil, now.microseconds(since: heard) >= Self.silence {
      asked = now
      delivery.isAsked = true
    }
    return delivery
  }

  /// So many values are gone before they could be delivered.
  mutating func lost(_ count: Int) {
    guard readsRates || readsBeats else { return }
    sequence += UInt64(count)
    missed += UInt64(count)
  }

  /// It has said something. Returns whether it was paused until now.
  mutating func heard(at now: BootInstant) -> Bool {
    heard = now
    asked = nil
    defer { isPaused = false }
    return isPaused
  }
}
