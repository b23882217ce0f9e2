/// Decides what is shown: the value of one sensor while it holds, and otherwise the reason for its absence.
///
/// A state machine without a clock: each method is something that happens, at a time that counts from any moment but never goes
/// back. Each returns what is to be shown from now on, nil where nothing changes.
///
/// One sensor is shown: the one that was chosen; without a choice the one that is shown already, as long as it has a value, else
/// one that has.
struct PulseWatch: Sendable {
  /// The time behind a due beat after which a value no longer holds. Outputs have to show that within 3 s, and need a moment for it.
  static let patience: Duration = .milliseconds(2900)

  private struct Sensor {
    var pulse: Pulse
    /// The end of the time for which the value holds; nil without a value.
    var holdsUntil: Duration?
  }

  private let chosen: String?
  private(set) var hasRecorder = false
  private var sensors: [String: Sensor] = [:]
  /// The sensor that is shown.
  private var shown: String?
  /// The pulse that is shown.
  private(set) var pulse = Pulse.none(.noRecorder)
  /// The sensors whose own pulse the last input has changed: of one that measures, each value.
  private(set) var news: [String] = []

  /// - Parameter chosen: The address of the only sensor to show; nil for any.
  init(showing chosen: String? = nil) {
    self.chosen = chosen
  }

  /// The time at which ``passed(to:)`` has to be called if nothing else happens; nil where nothing is due.
  var deadline: Duration? { sensors.values.compactMap(\.holdsUntil).min() }

  /// The sensors that the recorder has named, in order of their addresses; of those, only the chosen one where one is.
  var addresses: [String] { sensors.keys.filter(isWanted).sorted() }

  /// The pulse of one sensor, whichever is shown; nil where the recorder has not named it.
  func pulse(of sensor: String) -> Pulse? { sensors[sensor]?.pulse }

  private func isWanted(_ sensor: String) -> Bool { chosen == nil || chosen == sensor }

  /// Handles an event of the recorder that arrived at `now`.
  mutating func handle(_ event: RecorderEvent, at now: Duration) -> Pulse? {
    news.removeAll(keepingCapacity: true)
    return switch event {
    case .subscribed: subscribed()
    case .lost: lostRecorder()
    case .changed(let sensor, let state): changed(sensor, to: state)
    case .measured(let reading): measured(reading, at: now)
    case .undecided: nil
    }
  }

  /// Handles the beginning of a subscription: the recorder sends values from here on, and first the states of its sensors.
  mutating func subscribed() -> Pulse? {
    hasRecorder = true
    sensors = [:]
    return update()
  }

  /// Handles the loss of the recorder.
  mutating func lostRecorder() -> Pulse? {
    hasRecorder = false
    sensors = [:]
    return update()
  }

  /// Handles a new state of a sensor. A sensor that measures has no value yet.
  mutating func changed(_ sensor: String, to state: SensorState) -> Pulse? {
    guard hasRecorder else { return nil }
    switch state {
    case .measuring:
      if case .value = sensors[sensor]?.pulse { return nil }
      end(sensor, .silent)
    case .silent: end(sensor, .silent)
    case .offSkin: end(sensor, .offSkin)
    case .linkLost: end(sensor, .linkLost)
    }
    return update()
  }

  private mutating func end(_ sensor: String, _ absence: Absence) {
    if isWanted(sensor), sensors[sensor]?.pulse != .none(absence) { news.append(sensor) }
    sensors[sensor] = Sensor(pulse: .none(absence))
  }

  /// Handles a measurement that arrived at `now`.
  mutating func measured(_ reading: Reading, at now: Duration) -> Pulse? {
    guard hasRecorder else { return nil }
    var reading = reading
    if case .value = sensors[reading.sensor]?.pulse {} else { reading.precededByGap = true }
    sensors[reading.sensor] = Sensor(pulse: .value(reading), holdsUntil: now + reading.interval + Self.patience)
    if isWanted(reading.sensor) { news.append(reading.sensor) }
    return update(newValueOf: reading.sensor)
  }

  /// Ends values that no longer hold at `now`.
  mutating func passed(to now: Duration) -> Pulse? {
    news.removeAll(keepingCapacity: true)
    for (address, sensor) in sensors {
      if let until = sensor.holdsUntil, until <= now { end(address, .silent) }
    }
    return update()
  }

  private mutating func update(newValueOf measured: String? = nil) -> Pulse? {
    let before = (pulse, shown)
    shown = selection
    pulse = hasRecorder ? shown.flatMap { sensors[$0]?.pulse } ?? .none(.linkLost) : .none(.noRecorder)
    guard case .value(var reading) = pulse else { return pulse == before.0 ? nil : pulse }
    // Two values in a row may be equal; both are news.
    guard measured == shown || before.1 != shown else {
      pulse = before.0
      return nil
    }
    if case .none = before.0 { reading.precededByGap = true }
    if before.1 != shown { reading.precededByGap = true }
    pulse = .value(reading)
    return pulse
  }

  private var selection: String? {
    if let chosen { return chosen }
    if let shown, case .value = sensors[shown]?.pulse { return shown }
    let addresses = sensors.keys.sorted()
    let measuring = addresses.first { if case .value = sensors[$0]?.pulse { true } else { false } }
    if let measuring { return measuring }
    if let shown, sensors[shown] != nil { return shown }
    // Of sensors without a value, a linked one is more informative.
    return addresses.first { sensors[$0]?.pulse != .none(.linkLost) } ?? addresses.first
  }
}
