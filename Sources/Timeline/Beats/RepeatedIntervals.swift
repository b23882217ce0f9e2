/// Intervals that a sensor, or what stands between it and the host, sends once more by habit (rule 12 of
/// Documentation/timeline.md). Each search returns for each interval whether it is one of them.
enum RepeatedIntervals {
  /// The second of each pair of equal packets, where nearly all packets of a stretch come in such pairs and add up to
  /// twice its time: two subscribers, or a repeater. A sensor's packets are equal now and then, and both real.
  static func doubled(in columns: TimelineCollector, _ parameters: TimelineParameters) -> [Bool] {
    let packets = columns.packets
    var isSecond = [Bool](repeating: false, count: packets.count)
    for index in packets.indices.dropFirst() where !isSecond[index - 1] {
      isSecond[index] = equals(packets[index], packets[index - 1], index, columns, parameters)
    }
    let window = parameters.doubledWindow
    guard packets.count >= window, isSecond.count(where: { $0 }) >= parameters.fewestDoubled / 2 else { return [] }
    let isPaired = packets.indices.map { isSecond[$0] || $0 + 1 < packets.count && isSecond[$0 + 1] }
    var result = [Bool](repeating: false, count: columns.rrTicks.count)
    var paired = isPaired[..<window].count { $0 }
    // Windows with enough pairs that overlap are one stretch.
    var stretch: Range<Int>?
    for end in window...packets.count {
      if end > window { paired += (isPaired[end - 1] ? 1 : 0) - (isPaired[end - 1 - window] ? 1 : 0) }
      guard paired >= parameters.fewestDoubled else { continue }
      if let open = stretch, open.upperBound >= end - window {
        stretch = open.lowerBound..<end
      } else {
        stretch.map { mark($0, isSecond, columns, parameters, &result) }
        stretch = (end - window)..<end
      }
    }
    stretch.map { mark($0, isSecond, columns, parameters, &result) }
    return result
  }

  private static func equals(
    _ packet: TimelineCollector.Packet, _ before: TimelineCollector.Packet, _ index: Int, _ columns: TimelineCollector,
    _ parameters: TimelineParameters
  ) -> Bool {
    guard packet.link == before.link, packet.rate == before.rate,
      packet.arrival - before.arrival < parameters.doubledMicroseconds
    else { return false }
    let first = index > 1 ? columns.packets[index - 2].beatEnd : 0
    return columns.rrTicks[first..<before.beatEnd] == columns.rrTicks[before.beatEnd..<packet.beatEnd]
  }

  /// Marks the second packets of a stretch, if its intervals add up to about twice its time, and to more than its time
  /// whatever lies at its ends: a heart or a trial that is even may send equal packets for some seconds.
  private static func mark(
    _ stretch: Range<Int>, _ isSecond: [Bool], _ columns: TimelineCollector, _ parameters: TimelineParameters,
    _ result: inout [Bool]
  ) {
    let (first, last) = (columns.packets[stretch.lowerBound], columns.packets[stretch.upperBound - 1])
    let ticks = columns.rrTicks[first.beatEnd..<last.beatEnd].reduce(0) { $0 + Int64($1) }
    let (sum, length) = (Double(SensorClock.standard.microseconds(ticks)), Double(last.arrival - first.arrival))
    // The beats at both ends may be on either side.
    let edge = Double(parameters.edgeMicroseconds)
    guard abs(sum - 2 * length) < parameters.twiceRange * length + edge, sum > length + edge else { return }
    for index in stretch where isSecond[index] {
      for beat in columns.packets[index - 1].beatEnd..<columns.packets[index].beatEnd { result[beat] = true }
    }
  }

  /// The intervals left out already, and first ones of packets that equal the last one of the packet before and for which
  /// there was no time; all of these where nearly every packet begins so.
  ///
  /// An interval that is sent again where there was no beat ends too early by what the beat still took: at the floor of
  /// the residuals, or below it; and with it the next packets would come before their beats. A true one that is equal by
  /// chance ends anywhere between two packets.
  static func again(
    in columns: TimelineCollector, _ sums: IntervalSums, leftOut: [Bool], _ parameters: TimelineParameters
  ) -> [Bool] {
    let (packets, rrTicks) = (columns.packets, columns.rrTicks)
    let isAlways = Double(sums.repeated) > parameters.alwaysRepeatedShare * Double(sums.packets)
    var result = leftOut.isEmpty ? [Bool](repeating: false, count: rrTicks.count) : leftOut
    var floor = RecentFloor(size: parameters.stepPackets)
    var ticks: Int64 = 0
    var link = -1
    for index in packets.indices {
      let beats = (index > 0 ? packets[index - 1].beatEnd : 0)..<packets[index].beatEnd
      if packets[index].link != link {
        link = packets[index].link
        floor = RecentFloor(size: parameters.stepPackets)
      }
      var sum = ticks
      for beat in beats where !result[beat] { sum += Int64(rrTicks[beat]) }
      let residual = packets[index].arrival - SensorClock.standard.microseconds(sum)
      if beginsWithLast(index, columns), !result[beats.lowerBound] {
        let interval = SensorClock.standard.microseconds(Int64(rrTicks[beats.lowerBound]))
        let isAgain =
          isAlways
          || floor.count > 0
            && (residual < floor.value + interval / parameters.repeatedReach
              || overruns(index, sum, below: floor.value - interval / 2, columns, leftOut: result, parameters))
        if isAgain {
          result[beats.lowerBound] = true
          sum -= Int64(rrTicks[beats.lowerBound])
        }
      }
      ticks = sum
      if !result[beats.lowerBound] || beats.count > 1 {
        floor.insert(packets[index].arrival - SensorClock.standard.microseconds(ticks))
      }
    }
    return result
  }

  /// Whether a packet begins with the last interval of the packet before.
  private static func beginsWithLast(_ index: Int, _ columns: TimelineCollector) -> Bool {
    let first = index > 0 ? columns.packets[index - 1].beatEnd : 0
    return first > 0 && columns.rrTicks[first] == columns.rrTicks[first - 1]
  }

  /// Whether one of the packets behind this one, up to the next that may hold an interval sent again, would come too long
  /// before its beats if all intervals up to this packet took `sum` ticks.
  private static func overruns(
    _ index: Int, _ sum: Int64, below limit: Int64, _ columns: TimelineCollector, leftOut: [Bool],
    _ parameters: TimelineParameters
  ) -> Bool {
    let packets = columns.packets
    var sum = sum
    for next in (index + 1)..<min(index + 1 + parameters.repeatedPackets, packets.count) {
      guard packets[next].link == packets[index].link, !beginsWithLast(next, columns) else { return false }
      for beat in packets[next - 1].beatEnd..<packets[next].beatEnd where !leftOut[beat] {
        sum += Int64(columns.rrTicks[beat])
      }
      if packets[next].arrival - SensorClock.standard.microseconds(sum) < limit { return true }
    }
    return false
  }
}
