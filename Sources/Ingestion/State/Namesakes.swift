import Sensors

/// Near sensors that are not listed and have the full name of a listed one: perhaps the same strap, whose address has changed with its
/// battery. Pure.
///
/// A name is no proof, since anybody can choose any: it is only reported to the owner, who may decide. A name that
/// several near sensors have is no hint.
struct Namesakes {
  /// As many near sensors as are remembered; in a hall with more the hint is not worth its cost.
  static let capacity = 64
  /// The time after its last advertisement for which a sensor counts as near.
  static let nearFor: Duration = .seconds(300)
  /// The shortest time between two lines in the log about one sensor.
  static let logInterval: Duration = .seconds(86_400)

  private var near: [SensorAddress: (name: String, at: BootInstant)] = [:]
  /// When the log has last named a namesake of a listed sensor.
  private var logged: [SensorAddress: BootInstant] = [:]

  var isEmpty: Bool { near.isEmpty }

  /// An advertisement of a sensor that is not listed.
  mutating func heard(_ address: SensorAddress, name: String?, at now: BootInstant) {
    guard let name, !name.isEmpty else { return forget(address) }
    if near[address] == nil, near.count >= Self.capacity {
      near = near.filter { now.duration(since: $0.value.at) < Self.nearFor }
      guard near.count < Self.capacity else { return }
    }
    near[address] = (name, now)
  }

  /// bluetoothd knows the sensor no longer, or it is listed now.
  mutating func forget(_ address: SensorAddress) {
    near[address] = nil
  }

  /// The one near sensor with one of these names; nil where there is none, or more than one.
  func namesake(of names: [String], at now: BootInstant) -> SensorAddress? {
    guard !near.isEmpty, !names.isEmpty else { return nil }
    let matches = near.filter { names.contains($0.value.name) && now.duration(since: $0.value.at) < Self.nearFor }
    return matches.count == 1 ? matches.first?.key : nil
  }

  /// The line for the log, once a day for each listed sensor. Without the name, which anybody may have chosen.
  mutating func line(_ listed: SensorAddress, namesake: SensorAddress, at now: BootInstant) -> LogLine? {
    if let last = logged[listed], now.duration(since: last) < Self.logInterval { return nil }
    logged[listed] = now
    return LogLine(
      .notice,
      "\(listed): away, and a sensor with its name is near as \(namesake); "
        + "if it is the same one, its address has changed: sensord devices replace \(listed) \(namesake)")
  }
}
