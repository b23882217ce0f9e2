import HealthModel

/// The summary of a part of a quantity series: the summary columns of a sample, or of one of its chunks.
struct SeriesSummary: Hashable, Sendable {
  var count = 0
  var sum: Double = 0
  var minimum: Double = .infinity
  var maximum: Double = -.infinity
  /// Microseconds since 1970, as all times here.
  var start: Int64 = 0
  /// The latest end of all quantities.
  var end: Int64 = 0
  var last: Double = 0
  var lastStart: Int64 = 0
  var lastEnd: Int64 = 0
  /// The total duration of the quantities, in microseconds.
  var duration: Int64 = 0
  /// The sum of value times duration in microseconds.
  var weighted: Double = 0

  init() {}

  /// The summary of successive cells.
  init(_ cells: some Sequence<SummaryCell>) {
    for cell in cells { add(Self(cell)) }
  }

  /// The summary of successive parts.
  init(_ parts: some Sequence<SeriesSummary>) {
    for part in parts { add(part) }
  }

  private init(_ cell: SummaryCell) {
    (count, sum, minimum, maximum) = (cell.count, cell.sum, cell.minimum, cell.maximum)
    (start, end) = (cell.firstStart, cell.maximumEnd)
    (last, lastStart, lastEnd) = (cell.last, cell.lastStart, cell.lastEnd)
    (duration, weighted) = (cell.duration, cell.weighted)
  }

  private mutating func add(_ next: SeriesSummary) {
    guard count > 0 else {
      self = next
      return
    }
    count += next.count
    sum += next.sum
    minimum = min(minimum, next.minimum)
    maximum = max(maximum, next.maximum)
    end = max(end, next.end)
    (last, lastStart, lastEnd) = (next.last, next.lastStart, next.lastEnd)
    duration = duration.addingSaturated(next.duration)
    weighted += next.weighted
  }
}
