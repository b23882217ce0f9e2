/// A heart rate that holds now, or the reason for its absence. Every output of the hub shows this.
enum Pulse: Hashable, Sendable {
  /// The sensor measures, and its next beat is not overdue.
  case value(Reading)
  /// There is no value that could be shown.
  case none(Absence)

  /// The state in one word: `measuring`, or the reason for the absence of a value.
  var state: String {
    switch self {
    case .value: "measuring"
    case .none(let absence): absence.rawValue
    }
  }
}

/// The reason for which there is no value.
enum Absence: String, Hashable, Sendable, CaseIterable {
  /// The sensor is linked, and sends nothing or no rate.
  case silent
  /// The sensor reports that it is not on the skin.
  case offSkin
  /// There is no link to a sensor.
  case linkLost
  /// No recorder answers, or the recorder ends.
  case noRecorder
}

/// A measurement of a sensor with a rate.
package struct Reading: Hashable, Sendable {
  /// The sensor's Bluetooth address.
  var sensor: String
  /// The time of arrival at the recorder, in microseconds of 1970.
  var microseconds: Int64
  /// The rate, which is not 0.
  var beatsPerMinute: UInt16
  /// The intervals between beats in 1/1024 s, oldest first.
  var rrTicks: [UInt16] = []
  /// Whether values are missing before this one: no line may be drawn to it, and no interval formed with the beat before.
  var precededByGap = false

  /// The last interval in milliseconds, to the nearest; nil where the sensor sent none.
  var lastIntervalMilliseconds: Int? { rrTicks.last.map { (Int($0) * 1000 + 512) / 1024 } }

  /// The time from this measurement until the next beat is due.
  var interval: Duration {
    if let last = rrTicks.last { return .microseconds(Int64(last) * 1_000_000 / 1024) }
    return .microseconds(60_000_000 / Int64(beatsPerMinute))
  }
}

/// The pulse that the outputs show, with the number of the change that led to it.
struct Shown: Hashable, Sendable {
  var pulse: Pulse
  /// The sensor whose pulse it is, for who sees all of them; nil for the pulse that the hub shows.
  var sensor: String?
  /// The number of the change since the hub's start, from 1: a slow reader sees a hole. 0 before the first change.
  var sequence: UInt64
}

/// An event of the recorder.
package enum RecorderEvent: Sendable {
  /// The recorder sends values from here on.
  case subscribed
  /// The recorder has gone, or ends.
  case lost
  /// A sensor has another state.
  case changed(sensor: String, SensorState)
  /// A sensor sent a measurement with a rate.
  case measured(Reading)
  /// The owner has not decided whether the hub may read; nil once that is decided. The command with which the owner allows it.
  case undecided(String?)

  /// The event of a measurement as the recorder hands it on: a reading, or the state of a sensor that sent no rate.
  ///
  /// - Parameters:
  ///   - sensor: The sensor's Bluetooth address.
  ///   - microseconds: The time of arrival at the recorder, in microseconds of 1970.
  ///   - beatsPerMinute: Nil where the sensor sent no rate, or this program may not read rates.
  ///   - rrTicks: The intervals between beats in 1/1024 s, oldest first.
  ///   - isOnSkin: Nil where the sensor does not detect contact.
  ///   - missed: The number of values before this one that did not arrive here.
  /// - Returns: A reading or a state.
  package static func measurement(
    of sensor: String, microseconds: Int64, beatsPerMinute: UInt16?, rrTicks: [UInt16], isOnSkin: Bool?, missed: UInt64
  ) -> RecorderEvent {
    if isOnSkin == false { return .changed(sensor: sensor, .offSkin) }
    guard let beatsPerMinute, beatsPerMinute > 0 else { return .changed(sensor: sensor, .silent) }
    return .measured(
      Reading(
        sensor: sensor, microseconds: microseconds, beatsPerMinute: beatsPerMinute, rrTicks: rrTicks,
        precededByGap: missed > 0))
  }
}

/// The state of a sensor, as the recorder reports it.
package enum SensorState: Hashable, Sendable {
  /// The sensor sends values.
  case measuring
  /// The sensor is linked and sends no values.
  case silent
  /// The sensor is not on the skin.
  case offSkin
  /// There is no link to the sensor.
  case linkLost
}
