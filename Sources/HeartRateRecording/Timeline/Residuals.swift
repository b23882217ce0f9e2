/// The residual of each packet, arrival (or sending) minus beat time: the input for breaks and maps.
///
/// The beat is the one whose detection released the packet's last beat: `depth` beats later. Latency only adds, so the
/// floor of the residuals shows the sensor's time in the host's. Early packets are left out.
struct Residuals {
  /// A packet whose arrival says something about the sensor's time.
  struct Point {
    var packet: Int
    /// When it was sent, in microseconds of wall time.
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

  /// The same after silent losses were found. In each run the floor has one level, so more packets show that they are
  /// early.
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
