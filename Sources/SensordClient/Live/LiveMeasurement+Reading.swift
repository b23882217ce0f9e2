import DBus
import HealthModel

extension LiveMeasurement {
  /// The arguments of `Live1.Measurement`; nil for others.
  init?(_ body: [Value]) {
    guard body.count == 6, let sensor = body[0].string, let sequence = body[1].uint64, let time = body[2].int64,
      let rate = body[3].uint16, let ticks = body[4].array, let details = body[5].properties
    else { return nil }
    self.init(
      sensor: sensor, sequence: sequence, missed: 0, time: Timestamp(microseconds: time),
      beatsPerMinute: rate == 0 ? nil : rate, rrTicks: ticks.compactMap(\.uint16),
      isOnSkin: details["contact"]?.boolean)
  }
}
