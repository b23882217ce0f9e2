import HealthModel

/// What statistics need of a quarter of an hour of a quantity series, so that it need not be unpacked.
///
/// The offsets of all present time zones are multiples of a quarter of an hour, so the buckets of any calendar begin where
/// cells do.
struct SummaryCell: Hashable, Sendable {
  /// A quarter of an hour in microseconds: cells begin at multiples of it since 1970.
  static let length: Int64 = 900_000_000
  /// Two values further apart than this have a gap between them: ten seconds, in microseconds.
  static let maximumGap: Int64 = 10_000_000

  var count = 0
  var sum: Double = 0
  var minimum: Double = .infinity
  var maximum: Double = -.infinity
  var first: Double = 0
  /// Microseconds since 1970, as all times here.
  var firstStart: Int64 = 0
  var last: Double = 0
  var lastStart: Int64 = 0
  var lastEnd: Int64 = 0
  /// The latest end of all quantities.
  var maximumEnd: Int64 = 0
  /// The total duration of the quantities, in microseconds.
  var duration: Int64 = 0
  /// The sum of value times duration.
  var weighted: Double = 0
  /// Microseconds between `firstStart` and `maximumEnd` without gaps.
  var covered: Int64 = 0
  /// The integral of the values, each held until the next one, without gaps.
  var held: Double = 0
  /// The integral of straight lines between neighbours, without gaps.
  var trapezoid: Double = 0

  /// The beginning of the quarter of an hour.
  var start: Int64 { Self.floor(firstStart) }

  /// The beginning of the quarter of an hour that contains `time`.
  static func floor(_ time: Int64) -> Int64 {
    let remainder = time % length
    return time &- (remainder < 0 ? remainder + length : remainder)
  }

  /// Whether all its quantities end within its quarter of an hour.
  var isSelfContained: Bool { maximumEnd &- start <= Self.length }

  /// Adds a quantity of the same quarter that starts at or after the previous ones.
  mutating func add(_ value: Double, start: Int64, end: Int64) {
    if count == 0 {
      first = value
      firstStart = start
      maximumEnd = start
    } else {
      let interval = start &- lastStart
      if interval <= Self.maximumGap {
        held += last * Double(interval)
        trapezoid += (last + value) / 2 * Double(interval)
      }
      let bridge = start &- maximumEnd
      if bridge > 0, bridge <= Self.maximumGap { covered &+= bridge }
    }
    count += 1
    sum += value
    minimum = min(minimum, value)
    maximum = max(maximum, value)
    last = value
    lastStart = start
    lastEnd = end
    if end > start {
      duration = duration.addingSaturated(end.subtractingSaturated(start))
      weighted += value * Double(end &- start)
    }
    if end > maximumEnd {
      covered &+= end &- max(start, maximumEnd)
      maximumEnd = end
    }
  }
}
