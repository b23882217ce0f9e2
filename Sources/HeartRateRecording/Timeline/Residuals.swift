/// The residual of each packet, arrival (or sending) minus beat time: the input for breaks and maps.
///
/// The beat is the one whose detection released the packet's last beat: `depth` beats later. Latency only adds, so the
/// floor of the residuals shows the sensor's time in the host's. Early packets are left out.
struct Residuals {
  /// A packet whose arrival shows something about the sensor's time.
  struct Point {
    var packet: Int
    /// The time at which the packet was sent, in microseconds of wall time.
    var sent: Int64
    /// The releasing beat.
    var beat: Int
    /// The beat that released the packet's first interval.
    var firstBeat: Int
    /// Sending minus the beat's ticks since the session's first beat, in microseconds, without correction for drift.
    var residual: Int64
  }

  private(set) var points: [Point] = []
  /// The runs, and the points of each of them.
  private(set) var starts: [RunStart] = []
  private(set) var ranges: [Range<Int>] = []
  /// Early packets, in order.
  private(set) var early: [Int] = []
  private let depth: Int

  init(_ intervals: SessionIntervals, depth: Int, starts: [RunStart]) {
    let packets = intervals.packets
    points.reserveCapacity(packets.count)
    var link = 0
    var bounds = intervals.beats(ofLink: 0)
    var surplus = intervals.surplus[...]
    var first = 0
    var batchStart = 0
    var batchEnd = 0
    for index in packets.indices {
      defer { first = packets[index].beatEnd }
      if index >= batchEnd {
        batchStart = index
        batchEnd = index + 1
        while batchEnd < packets.count && packets[batchEnd].isBatched { batchEnd += 1 }
      }
      // A packet that waited while the recorder did not run has no arrival of its own.
      guard packets[index].hasOwnArrival else { continue }
      // Of many packets that came together, all but the last were held back.
      if batchEnd - batchStart > intervals.parameters.largestBatch, index + 1 < batchEnd { continue }
      let own = packets[index].beatEnd - 1
      while bounds.upperBound <= own {
        link += 1
        bounds = intervals.beats(ofLink: link)
      }
      while let next = surplus.first, next.upperBound <= own { surplus.removeFirst() }
      if let next = surplus.first, next.contains(own) { continue }
      let beat = own + depth
      guard beat < bounds.upperBound else { continue }
      points.append(
        Point(
          packet: index, sent: intervals.sendings[index].instant, beat: beat, firstBeat: first + depth,
          residual: intervals.sendings[index].instant - intervals.clock.microseconds(intervals.ticks[beat])))
    }
    self.depth = depth
    divide(at: starts)
    leaveOutEarly(intervals)
  }

  /// Assigns the points to runs.
  mutating func divide(at starts: [RunStart]) {
    self.starts = starts
    ranges = []
    var point = 0
    for index in starts.indices {
      let first = point
      let end = index + 1 < starts.count ? starts[index + 1].beat : Int.max
      while point < points.count && points[point].beat < end { point += 1 }
      ranges.append(first..<point)
    }
  }

  /// Assigns the points to runs after silent losses were found. In each run the floor then has one level, so more
  /// packets prove to be early.
  mutating func divide(atLosses starts: [RunStart], _ intervals: SessionIntervals) {
    guard starts != self.starts else { return }
    divide(at: starts)
    leaveOutEarly(intervals)
  }

  /// One past the last beat of a run.
  func end(ofRun index: Int, _ intervals: SessionIntervals) -> Int {
    index + 1 < starts.count ? starts[index + 1].beat : intervals.rrTicks.count
  }

  /// Finds and removes early packets. A sensor with look-ahead can send too soon. For a sensor that seems to have none,
  /// only what is far too early is left out, and its arrival still bounds its beats. A sensor that batches shows its floor
  /// too seldom to decide.
  private mutating func leaveOutEarly(_ intervals: SessionIntervals) {
    guard depth > 0 || !intervals.isBatching else { return }
    let found = ranges.flatMap { EarlyPackets.find(in: points[$0], depth: depth, intervals.parameters) }
    guard !found.isEmpty else { return }
    if depth > 0 { early = (early + found.map { points[$0].packet }).sorted() }
    var left = found[...]
    var kept: [Point] = []
    kept.reserveCapacity(points.count)
    for index in points.indices {
      if index == left.first { left.removeFirst() } else { kept.append(points[index]) }
    }
    points = kept
    divide(at: starts)
  }
}

/// Finds packets that were sent before their turn (rule 3 of Documentation/timeline.md).
///
/// A sensor with look-ahead releases a beat when it detects a later one. If motion causes a false detection, the beats
/// before it are released too soon. No beat is lost or shifted by that: the packet is an outlier to one side. Such a
/// packet shows nothing about the floor, and its arrival is no upper bound for its beats.
enum EarlyPackets {
  /// The points of a run that lie far below the floor of the points around them, in order.
  static func find(in points: ArraySlice<Residuals.Point>, depth: Int, _ parameters: TimelineParameters) -> [Int] {
    let spreads = depth > 0 ? parameters.earlySpreads : parameters.farEarlySpreads
    let found = Set(belowFloor(of: points, spreads: spreads, parameters))
      .union(belowBothSides(of: points, parameters))
    let candidates = found.sorted()
    return candidates.indices.filter { isSingle($0, candidates, parameters.earlyReach) }.map { candidates[$0] }
  }

  /// The points far below the floor of the many blocks around them. That floor is known well, but not where beats were
  /// lost silently: it then has two levels.
  private static func belowFloor(
    of points: ArraySlice<Residuals.Point>, spreads: Int64, _ parameters: TimelineParameters
  ) -> [Int] {
    let blocks = Blocks(points, parameters)
    guard blocks.count >= 2 else { return [] }
    var candidates: [Int] = []
    for index in 0..<blocks.count {
      let around = max(0, index - parameters.floorReach)..<min(blocks.count, index + parameters.floorReach + 1)
      let tenth = blocks.points(around).count / 10
      // The limit is always this far below the twentieth, so most blocks need no closer look.
      let least = blocks.lowest(index) + parameters.earlyMicroseconds
      guard !blocks.holdMore(than: tenth / 2, upTo: least, around) else { continue }
      var values = blocks.lowerParts(around)
      let floor = values.select(tenth / 2)
      // The distribution of latencies begins sharply: the floor may lie below the twentieth by as much as the tenth lies
      // above it.
      let spread = values.select(tenth) - floor
      let limit = floor - spread - max(parameters.earlyMicroseconds, spreads * spread)
      for point in blocks.points(index..<(index + 1)) where points[point].residual < limit { candidates.append(point) }
    }
    return candidates
  }

  /// The points very far below the few before them and the few behind them, each side judged by itself: after a silent
  /// loss only one of the two lies higher. At an end of the run the other side decides.
  private static func belowBothSides(
    of points: ArraySlice<Residuals.Point>, _ parameters: TimelineParameters
  ) -> [Int] {
    let (first, count, reach) = (points.startIndex, points.count, parameters.earlySide)
    guard count > parameters.fewestEarlySide else { return [] }
    // For each place, the limit by the points before it; one place later, reach places later, they are those behind a
    // point.
    var limits = [Int64](repeating: .max, count: count + reach + 1)
    var window = SortedWindow(capacity: reach)
    for place in 1..<limits.count {
      if place > reach { window.remove(points[first + place - reach - 1].residual) }
      if place <= count { window.insert(points[first + place - 1].residual) }
      guard window.count >= parameters.fewestEarlySide else { continue }
      let spread = window[window.count * 2 / 5] - window[window.count / 5]
      limits[place] = window[window.count / 10] - max(parameters.sideEarlyMicroseconds, 2 * spread)
    }
    return (0..<count).filter { place in
      let residual = points[first + place].residual
      return residual < limits[place] && residual < limits[place + 1 + reach]
    }.map { first + $0 }
  }

  /// Whether at most half of the packets around a candidate are candidates. Many candidates together are a floor of their
  /// own.
  private static func isSingle(_ position: Int, _ candidates: [Int], _ reach: Int) -> Bool {
    let place = candidates[position]
    var near = 1
    var other = position - 1
    while other >= 0, place - candidates[other] <= reach { (near, other) = (near + 1, other - 1) }
    other = position + 1
    while other < candidates.count, candidates[other] - place <= reach { (near, other) = (near + 1, other + 1) }
    return near <= reach
  }
}

extension EarlyPackets {
  /// The points of a run in blocks, with the lower part of each block: enough to find the lowest tenth of several blocks
  /// together.
  private struct Blocks {
    let count: Int
    private let range: Range<Int>
    /// The number of values in the lower part of a block.
    private let size: Int
    /// The lower parts, one after the other, each sorted.
    private var values: [Int64] = []

    init(_ points: ArraySlice<Residuals.Point>, _ parameters: TimelineParameters) {
      count = points.count / parameters.floorBlock
      range = points.indices
      size = parameters.floorBlock / 4
      values.reserveCapacity(count * size)
      var lowest = LowestValues(count: size, beyond: Int64.max)
      for index in 0..<count {
        lowest.removeAll()
        for point in self.points(index..<(index + 1)) { lowest.insert(points[point].residual) }
        values += lowest.values
      }
    }

    /// The indices of the points of some blocks.
    func points(_ blocks: Range<Int>) -> Range<Int> {
      (range.lowerBound + range.count * blocks.lowerBound / count)..<(range.lowerBound + range.count * blocks.upperBound
        / count)
    }

    func lowest(_ block: Int) -> Int64 { values[block * size] }

    /// The lower parts of some blocks.
    func lowerParts(_ blocks: Range<Int>) -> [Int64] {
      Array(values[(blocks.lowerBound * size)..<(blocks.upperBound * size)])
    }

    /// Whether more than `rank` of the values of some blocks are no higher than `limit`.
    func holdMore(than rank: Int, upTo limit: Int64, _ blocks: Range<Int>) -> Bool {
      var count = 0
      for value in values[(blocks.lowerBound * size)..<(blocks.upperBound * size)] where value <= limit {
        count += 1
        if count > rank { return true }
      }
      return false
    }
  }
}

extension EarlyPackets {
  /// The values of a window that slides over a series, sorted.
  private struct SortedWindow {
    private var values: [Int64] = []

    init(capacity: Int) { values.reserveCapacity(capacity + 1) }

    var count: Int { values.count }

    subscript(rank: Int) -> Int64 { values[rank] }

    mutating func insert(_ value: Int64) { values.insert(value, at: place(of: value)) }

    /// Removes a value that the window holds.
    mutating func remove(_ value: Int64) { values.remove(at: place(of: value)) }

    /// The first place whose value is not below `value`.
    private func place(of value: Int64) -> Int {
      var (low, high) = (0, values.count)
      while low < high {
        let middle = (low + high) / 2
        if values[middle] < value { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }
}
