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

  /// The summary of successive cells.
  init(_ cells: some Sequence<SummaryCell>) {
    for cell in cells {
      if count == 0 {
        start = cell.firstStart
        end = cell.maximumEnd
      }
      count += cell.count
      sum += cell.sum
      minimum = min(minimum, cell.minimum)
      maximum = max(maximum, cell.maximum)
      end = max(end, cell.maximumEnd)
      last = cell.last
      lastStart = cell.lastStart
      lastEnd = cell.lastEnd
      duration = duration.addingSaturated(cell.duration)
      weighted += cell.weighted
    }
  }
}
