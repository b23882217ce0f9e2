/// Arrival minus beat time of each packet, the raw material of runs and maps.
///
/// The beat is the one whose detection released the packet's last beat: `depth` beats later. Latency only adds, so the
/// floor of the residuals is where the sensor's time lies in the host's.
struct Residuals {
  /// One for each packet that has a releasing beat in its own stretch of link.
  struct Point {
    /// Microseconds of wall time.
    var arrival: Int64
    /// The releasing beat.
    var beat: Int
    /// The beat that released the packet's first interval, and when the notification before arrived.
    var firstBeat: Int
    var previousArrival: Int64?
    /// Arrival minus the beat's ticks since the session's first, in microseconds, without the sensor's drift.
    var residual: Int64
  }

  private(set) var points: [Point] = []
  /// The points of each stretch between two run starts.
  private(set) var ranges: [Range<Int>] = []

  init(_ pass: TimelinePass, linkStarts: [TimelinePass.RunStart]) {
    points.reserveCapacity(pass.packets.count)
    var link = 0
    var first = 0
    for packet in pass.packets {
      defer { first = packet.beatEnd }
      let own = packet.beatEnd - 1
      while link + 1 < linkStarts.count && linkStarts[link + 1].beat <= own { link += 1 }
      let end = link + 1 < linkStarts.count ? linkStarts[link + 1].beat : pass.rrTicks.count
      let beat = own + pass.depth.beats
      guard beat < end else { continue }
      points.append(
        Point(
          arrival: packet.arrival, beat: beat, firstBeat: first + pass.depth.beats,
          previousArrival: pass.arrival(before: packet),
          residual: packet.arrival - RunMap.microseconds(ticks: pass.ticks[beat])))
    }
    divide(at: pass.starts)
  }

  /// Sorts the points into runs.
  mutating func divide(at starts: [TimelinePass.RunStart]) {
    ranges = []
    var point = 0
    for index in starts.indices {
      let first = point
      let end = index + 1 < starts.count ? starts[index + 1].beat : Int.max
      while point < points.count && points[point].beat < end { point += 1 }
      ranges.append(first..<point)
    }
  }
}
