/// Intervals that a sensor computes from its rate instead of measuring them (rule 12 of Documentation/timeline.md).
///
/// Some optical sensors put one interval of 61440 / rate into every packet. It looks like a heartbeat and is none: the sum
/// of such intervals is not the time that has passed, and their variability is that of the rate. They are counted and
/// reported; no beats, gaps of beats or variability are made of them.
enum InventedIntervals {
  /// How many of a session's intervals are invented: all or none.
  static func count(in columns: TimelineCollector, _ parameters: TimelineParameters) -> Int {
    var compared = 0
    var matching = 0
    var withOne = 0
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
      if packet.beatEnd - first == 1 { withOne += 1 }
      rates.insert(packet.rate)
    }
    let leastMatching = parameters.inventedShare * Double(compared)
    guard compared >= parameters.fewestInvented, Double(matching) >= leastMatching else { return 0 }
    // A heart that beats evenly (in a trial, say) fits its rate as well, but its intervals add up to the time between its
    // packets.
    let isInvented =
      rates.count >= parameters.manyInventedRates
      || rates.count >= parameters.fewestInventedRates
        && !accountForTime(columns, parameters, oneEach: Double(withOne) >= leastMatching)
    return isInvented ? columns.rrTicks.count : 0
  }

  /// Whether the sum of the intervals is the time between their packets, silences left out.
  ///
  /// At rates near the packets' pace, invented intervals have the right sum by chance. So where nearly all packets hold one
  /// interval (`oneEach`), sum and time must also stay close together throughout: the beats of a packet end within an
  /// interval before it.
  private static func accountForTime(
    _ columns: TimelineCollector, _ parameters: TimelineParameters, oneEach: Bool
  ) -> Bool {
    var sum: Int64 = 0
    var span: Int64 = 0
    var least: Int64 = 0
    var greatest: Int64 = 0
    for (packet, next) in zip(columns.packets, columns.packets.dropFirst())
    where next.arrival - packet.arrival < 3_000_000 {
      span += next.arrival - packet.arrival
      for beat in packet.beatEnd..<next.beatEnd { sum += SensorTicks.microseconds(Int64(columns.rrTicks[beat])) }
      least = min(least, sum - span)
      greatest = max(greatest, sum - span)
    }
    let keepsTogether = greatest - least <= parameters.mostWanderOfIntervals
    return abs(span - sum) <= span / 50 && (keepsTogether || !oneEach)
  }
}
