/// Intervals that a sensor computes from its rate instead of measuring them (rule 12 of Documentation/timeline.md).
///
/// Some optical sensors put one interval of 61440 / rate into every packet. It looks like a heartbeat and is none: the sum of
/// such intervals is not the time that has passed, and their variability is that of the rate. They are told and counted; beats,
/// their gaps and variability are not made of them.
enum InventedIntervals {
  /// How many of a session's intervals are invented: all or none.
  static func count(in columns: TimelineCollector, _ parameters: TimelineParameters) -> Int {
    var compared = 0
    var matching = 0
    var rates: Set<UInt16> = []
    var first = 0
    for packet in columns.packets {
      defer { first = packet.beatEnd }
      guard packet.rate > 0 else { continue }
      compared += 1
      let expected = 61_440 / Int(packet.rate)
      let matches = columns.rrTicks[first..<packet.beatEnd].allSatisfy { abs(Int($0) - expected) <= 1 }
      guard matches else { continue }
      matching += 1
      rates.insert(packet.rate)
    }
    guard compared >= parameters.fewestInvented,
      Double(matching) >= parameters.inventedShare * Double(compared)
    else { return 0 }
    // A heart that is made to beat evenly, as in a trial, fits its rate as well: but its intervals are the time between its packets.
    let isInvented =
      rates.count >= parameters.manyInventedRates
      || rates.count >= parameters.fewestInventedRates && !accountForTime(columns, parameters)
    return isInvented ? columns.rrTicks.count : 0
  }

  /// Whether the intervals' sum is the time between the packets that brought them, silences left out.
  private static func accountForTime(_ columns: TimelineCollector, _ parameters: TimelineParameters) -> Bool {
    var ticks: Int64 = 0
    var span: Int64 = 0
    for (packet, next) in zip(columns.packets, columns.packets.dropFirst())
    where next.arrival - packet.arrival < 3_000_000 {
      span += next.arrival - packet.arrival
      for beat in packet.beatEnd..<next.beatEnd { ticks += Int64(columns.rrTicks[beat]) }
    }
    return abs(span - SensorTicks.microseconds(ticks)) <= span / 50
  }
}
