/// Intervals that the heart cannot have had, because there was not enough time (rule 11 of Documentation/timeline.md).
///
/// Two causes are known: a packet that is delivered twice, and values that are no interval (65,535 for "none"). Equal
/// neighbouring packets alone prove nothing, since real packets may be equal and arrive together; only time decides.
enum SurplusIntervals {
  /// Surplus that shows without a look at latencies: impossible sums of intervals.
  static func impossible(in intervals: SessionIntervals) -> [Range<Int>] {
    var result: [Range<Int>] = []
    for link in intervals.linkStarts.indices {
      let beats = intervals.beats(ofLink: link)
      let repeats = repeats(in: intervals.packets(of: beats), intervals)
      if explainSum(repeats, beats, linkUp: intervals.linkUps[link], intervals) {
        result += repeats.map { intervals.beats(ofPacket: $0) }
      }
      result += overflows(beats, linkUp: intervals.linkUps[link], intervals, except: Set(result.map(\.lowerBound)))
    }
    return result
  }

  /// Packets that equal the one before and came together with it.
  static func repeats(in packets: ClosedRange<Int>, _ intervals: SessionIntervals) -> [Int] {
    let all = intervals.packets
    return packets.dropFirst().filter { index in
      guard all[index].isBatched, all[index].arrival - all[index - 1].arrival < 50_000,
        all[index].rate == all[index - 1].rate
      else { return false }
      let own = intervals.beats(ofPacket: index)
      let before = intervals.beats(ofPacket: index - 1)
      return own.count == before.count && intervals.rrTicks[own] == intervals.rrTicks[before]
    }
  }

  /// Whether the repeats together explain why the intervals of a stretch add up to too much: without them the sum is about
  /// its length.
  private static func explainSum(
    _ repeats: [Int], _ beats: Range<Int>, linkUp: Int64?, _ intervals: SessionIntervals
  ) -> Bool {
    guard !repeats.isEmpty else { return false }
    let packets = intervals.packets(of: beats)
    let first = intervals.packets[packets.lowerBound]
    let last = intervals.packets[packets.upperBound]
    // The first packet may have been held back, so the time counts from when the link came up.
    let length = last.arrival - min(linkUp ?? first.arrival, first.previousArrival ?? first.arrival, first.arrival)
    let sum = intervals.clock.microseconds(intervals.ticks[last.beatEnd - 1] - intervals.ticks[first.beatEnd - 1])
    var repeated: Int64 = 0
    for index in repeats {
      for beat in intervals.beats(ofPacket: index) { repeated += Int64(intervals.rrTicks[beat]) }
    }
    let slack = intervals.parameters.edgeMicroseconds
    return sum - length > slack && sum - intervals.clock.microseconds(repeated) > length - 3 * slack
  }

  /// Packets after which the intervals of a stretch exceed its length, or which fall far below the stretch's floor.
  private static func overflows(
    _ beats: Range<Int>, linkUp: Int64?, _ intervals: SessionIntervals, except known: Set<Int>
  ) -> [Range<Int>] {
    let parameters = intervals.parameters
    let slack = parameters.surplusMicroseconds
    let packets = intervals.packets(of: beats)
    var result: [Range<Int>] = []
    // Arrival minus accepted ticks; the smallest of the last packets is the floor.
    var floor = RecentFloor(size: parameters.stepPackets)
    var ticks: Int64 = 0
    var longest: UInt16 = 0
    var first = beats.lowerBound
    for index in packets {
      let own = first..<intervals.packets[index].beatEnd
      first = own.upperBound
      guard !known.contains(own.lowerBound) else { continue }
      let isFirst = own.lowerBound == beats.lowerBound
      let arrival = intervals.packets[index].arrival
      // The session's first interval began before the recording.
      let counted = isFirst ? own.dropFirst() : own
      var sum = ticks
      for interval in intervals.rrTicks[counted] {
        sum += Int64(interval)
        longest = max(longest, interval)
      }
      var bound = Int64.min
      // A sensor with look-ahead holds back beats from before a long interval.
      if let linkUp { bound = linkUp - slack - min(intervals.clock.microseconds(Int64(longest)), 2 * slack) }
      if floor.count >= parameters.surplusPackets { bound = max(bound, floor.value - slack) }
      if arrival - intervals.clock.microseconds(sum) >= bound {
        ticks = sum
      } else {
        // If a single interval is too long, only that one is surplus; otherwise the whole packet.
        let absurd = counted.filter { intervals.clock.microseconds(Int64(intervals.rrTicks[$0])) > slack }
        let rest = absurd.reduce(sum) { $0 - Int64(intervals.rrTicks[$1]) }
        if !absurd.isEmpty, arrival - intervals.clock.microseconds(rest) >= bound {
          result += absurd.map { $0..<($0 + 1) }
          ticks = rest
        } else {
          result.append(own)
          continue
        }
      }
      floor.insert(arrival - intervals.clock.microseconds(ticks))
    }
    return result
  }

  /// Single packets that were delivered twice: the floor of the residuals falls by what the second one holds.
  static func repeated(in residuals: Residuals, _ intervals: SessionIntervals) -> [Range<Int>] {
    var result: [Range<Int>] = []
    let known = Set(intervals.surplus.map(\.lowerBound))
    for (run, range) in residuals.ranges.enumerated() where !range.isEmpty {
      let points = residuals.points[range]
      let packets = intervals.packets(of: residuals.starts[run].beat..<residuals.end(ofRun: run, intervals))
      let repeats = repeats(in: packets, intervals).filter { !known.contains(intervals.beats(ofPacket: $0).lowerBound) }
      var since = points.startIndex
      for (number, packet) in repeats.enumerated() {
        let beats = intervals.beats(ofPacket: packet)
        let length = intervals.clock.microseconds(beats.reduce(0) { $0 + Int64(intervals.rrTicks[$1]) })
        let place = points.partition { $0.packet >= packet }
        let next = number + 1 < repeats.count ? points.partition { $0.packet >= repeats[number + 1] } : points.endIndex
        let before = points[max(since, place - 2 * intervals.parameters.stepPackets)..<place]
        let after = points[place..<min(next, place + 2 * intervals.parameters.stepPackets)]
        // Packets that come in batches seldom show their floor.
        let least = intervals.isBatching ? intervals.parameters.stepPackets : intervals.parameters.surplusPackets
        guard min(before.count, after.count) >= least,
          let past = before.lazy.map(\.residual).min(), let future = after.lazy.map(\.residual).min()
        else { continue }
        let fall = past - future
        if fall > length / 2, fall < 2 * length {
          result.append(beats)
          since = place
        }
      }
    }
    return result
  }
}

/// The smallest of the last `size` to 2 · `size` values.
struct RecentFloor {
  let size: Int
  private(set) var count = 0
  private var current = Int64.max
  private var previous = Int64.max

  init(size: Int) {
    self.size = size
  }

  var value: Int64 { min(current, previous) }

  mutating func insert(_ value: Int64) {
    if count > 0, count.isMultiple(of: size) { (previous, current) = (current, .max) }
    current = min(current, value)
    count += 1
  }
}

extension ArraySlice where Index == Int {
  /// The index of the first element of the second half, if all of that half's elements stand behind the others.
  fileprivate func partition(_ belongsToSecond: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if belongsToSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
