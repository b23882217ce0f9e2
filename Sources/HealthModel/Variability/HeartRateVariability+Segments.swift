/// The figures of long recordings, over segments of five minutes (Task Force 1996, table 1).
///
/// Segments follow each other from the start; an interval belongs to the segment in which it ends. The Task Force does not
/// mention missing intervals. Here a segment counts if NN intervals fill at least half of it, so that gaps and the end of a
/// recording do not make segments of a few beats.
extension HeartRateVariability {
  /// The standard deviation of the segments' mean NN intervals; needs two segments, with either divisor.
  public func sdann(_ divisor: Divisor = .sample) throws(VariabilityRefusal) -> Figure {
    let segments = segments()
    guard segments.count >= 2 else { throw .tooFewSegments(needed: 2, available: segments.count) }
    return Self.deviation(segments.map(Self.mean), divisor)
  }

  /// The mean of the segments' SDNN. `divisor` is that of each segment's SDNN; the figure's divisor is the number of
  /// segments.
  public func sdnnIndex(_ divisor: Divisor = .sample) throws(VariabilityRefusal) -> Figure {
    let deviations = segments().filter { $0.count >= divisor.minimumCount }.map { Self.deviation($0, divisor).value }
    guard !deviations.isEmpty else { throw .tooFewSegments(needed: 1, available: 0) }
    return Figure(value: Self.mean(deviations), count: deviations.count, divisor: deviations.count)
  }

  /// The intervals of each segment that counts.
  private func segments() -> [[Double]] {
    let length = 300.0
    var segments: [[Double]] = []
    var current: [Double] = []
    var border = start + length
    for (interval, end) in zip(intervals.seconds, intervals.ends) {
      if end >= border {
        segments.append(current)
        current = []
        border = start + (((end - start) / length).rounded(.down) + 1) * length
      }
      current.append(interval)
    }
    segments.append(current)
    return segments.filter { $0.reduce(0, +) >= length / 2 }
  }
}
