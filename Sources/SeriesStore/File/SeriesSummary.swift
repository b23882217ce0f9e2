/// What statistics need to know about a stretch of a quantity series without unpacking it.
struct SeriesSummary: Hashable {
  var count = 0
  var sum: Double = 0
  var minimum: Double = .infinity
  var maximum: Double = -.infinity
  var first: Double = 0
  /// Microseconds since 1970.
  var firstStart: Int64 = 0
  var last: Double = 0
  var lastStart: Int64 = 0
  var lastEnd: Int64 = 0
  /// Microseconds that the quantities last together.
  var duration: Int64 = 0
  /// The sum of value times duration in microseconds.
  var weighted: Double = 0

  /// Adds a quantity that starts at or after the ones before it.
  mutating func add(_ value: Double, start: Int64, end: Int64) {
    if count == 0 {
      first = value
      firstStart = start
    }
    count += 1
    sum += value
    minimum = min(minimum, value)
    maximum = max(maximum, value)
    last = value
    lastStart = start
    lastEnd = end
    let length = end &- start
    duration = duration &+ length
    weighted += value * Double(length)
  }

  /// Adds the stretch that follows.
  mutating func add(_ next: SeriesSummary) {
    guard next.count > 0 else { return }
    guard count > 0 else {
      self = next
      return
    }
    count += next.count
    sum += next.sum
    minimum = min(minimum, next.minimum)
    maximum = max(maximum, next.maximum)
    last = next.last
    lastStart = next.lastStart
    lastEnd = next.lastEnd
    duration = duration &+ next.duration
    weighted += next.weighted
  }
}
