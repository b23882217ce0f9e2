/// The times at which a sensor with a steady pace sent its packets, rather than those of their arrival (rule 3 of
/// Documentation/timeline.md).
///
/// Many straps send a notification each second, also without intervals, and the host receives it in a later slot of the
/// link. The packets that waited least show the pace; then the turn of every packet is known. A pace is used where
/// neighbouring blocks of packets agree on it, so that a missing or additional notification spoils two blocks only.
struct SendingGrid {
  /// One for each packet of a session, in microseconds of wall time; nil where no pace shows.
  private(set) var sent: [Int64?]
  /// The time from one notification to the next, in microseconds.
  private(set) var period = 0.0

  init(_ packets: [TimelineCollector.Packet], _ parameters: TimelineParameters) {
    sent = [Int64?](repeating: nil, count: packets.count)
    let links = Self.links(packets)
    guard let longest = links.max(by: { $0.count < $1.count }), longest.count >= 3 * parameters.gridPackets else {
      return
    }
    let first = packets[longest.lowerBound]
    let last = packets[longest.upperBound - 1]
    period = Double(last.arrival &- first.arrival) / Double(last.notification - first.notification)
    guard parameters.gridPeriods ~= period else { return }
    let origin = first.arrival
    // The ends of a link are late by an unknown time; blocks far apart give a better period.
    let blocks = Self.blocks(packets, longest, origin, period, parameters)
    period += Self.slope(blocks)
    let all = links.map { Self.blocks(packets, $0, origin, period, parameters) }
    guard Self.isSteady(all, parameters) else { return }
    for blocks in all {
      for index in blocks.indices where Self.isSteady(blocks, index, parameters) {
        let near = blocks[max(0, index - 1)...min(blocks.count - 1, index + 1)]
        let least = near.reduce(0) { $0 + $1.least } / Double(near.count)
        for packet in blocks[index].packets {
          // A packet that seems to have waited for a whole turn may have another number.
          let turn = Double(packets[packet].notification) * period + least
          let waited = Double(packets[packet].arrival &- origin) - turn
          if waited < period { sent[packet] = packets[packet].arrival - Int64(max(0, waited).rounded()) }
        }
      }
    }
  }

  /// Consecutive packets.
  private struct Block {
    var packets: Range<Int>
    /// Arrival minus number · period for the packet that waited least, in microseconds.
    var least: Double
    /// The number of its first notification.
    var notification: Double
  }

  /// The packets of each link.
  private static func links(_ packets: [TimelineCollector.Packet]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var first = 0
    for index in packets.indices.dropFirst() where packets[index].link != packets[first].link {
      result.append(first..<index)
      first = index
    }
    return packets.isEmpty ? [] : result + [first..<packets.count]
  }

  private static func blocks(
    _ packets: [TimelineCollector.Packet], _ link: Range<Int>, _ origin: Int64, _ period: Double,
    _ parameters: TimelineParameters
  ) -> [Block] {
    let count = link.count / parameters.gridPackets
    return (0..<count).map { index in
      let own = (link.lowerBound + link.count * index / count)..<(link.lowerBound + link.count * (index + 1) / count)
      var least = Double.infinity
      for packet in own where packets[packet].hasOwnArrival {
        least = min(least, Double(packets[packet].arrival &- origin) - Double(packets[packet].notification) * period)
      }
      return Block(packets: own, least: least, notification: Double(packets[own.lowerBound].notification))
    }
  }

  /// The error of the period: the median of the slopes between blocks that are half of all blocks apart.
  private static func slope(_ blocks: [Block]) -> Double {
    let half = max(1, blocks.count / 2)
    let slopes = zip(blocks, blocks.dropFirst(half)).map { ($1.least - $0.least) / ($1.notification - $0.notification) }
      .filter { $0.isFinite }.sorted()
    return slopes.isEmpty ? 0 : slopes[slopes.count / 2]
  }

  /// Whether nearly all blocks agree with the block before them.
  private static func isSteady(_ links: [[Block]], _ parameters: TimelineParameters) -> Bool {
    let steps = links.flatMap { zip($0, $0.dropFirst()).map { abs($1.least - $0.least) } }
    let steady = steps.count { $0 < parameters.gridMicroseconds }
    return Double(steady) >= parameters.steadyShare * Double(steps.count)
  }

  /// Whether a block agrees with its neighbours.
  private static func isSteady(_ blocks: [Block], _ index: Int, _ parameters: TimelineParameters) -> Bool {
    let near = [index - 1, index + 1].filter(blocks.indices.contains)
    return !near.isEmpty
      && near.allSatisfy { abs(blocks[$0].least - blocks[index].least) < parameters.gridMicroseconds }
  }
}
