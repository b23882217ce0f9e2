/// The smallest arrival minus beat time of the last one to two minutes: a live estimate of a run's offset.
///
/// Latency only ever adds, so the smallest residual is nearest to the truth. Old values are forgotten, so that it follows
/// the sensor's drift and unannounced losses of intervals.
struct ResidualFloor: Sendable {
  private var bucketStart: Int64 = 0
  private var current = Int64.max
  private var previous = Int64.max

  private static let bucketMicroseconds: Int64 = 60_000_000

  /// Microseconds; meaningless before the first ``insert(_:at:)``.
  var value: Int64 { min(current, previous) }

  mutating func insert(_ residual: Int64, at microseconds: Int64) {
    if current == .max || microseconds &- bucketStart > Self.bucketMicroseconds {
      previous = current
      current = residual
      bucketStart = microseconds
    } else {
      current = min(current, residual)
    }
  }
}
