/// Heart rates over time as a screen can show them: for each column the smallest and the greatest, and the gaps, which no line crosses.
///
/// A column is 1 s wide, and twice as wide whenever there would be too many: the memory is constant, no extreme is lost, and
/// equal rates make an equal curve, whether they come one by one from a sensor or all at once from a recording.
package struct RateCurve: Hashable, Sendable {
  /// The greatest number of columns; each is two points at most.
  package static let mostColumns = 2000
  /// The longest time for which a rate counts in ``held``, in milliseconds, as in `HeartRateZones`.
  private static let longestHold: Int64 = 10_000
  /// The greatest rate with a place of its own in ``held``, in beats a minute.
  private static let greatestRate = 250
  /// Milliseconds by which a clock may go back without beginning another curve.
  private static let jitter: Int64 = 2000

  /// A source that is slower has gaps, in milliseconds.
  private static let longestSpacing: Int64 = 600_000

  struct Column: Hashable, Sendable {
    /// The times of the first rate and the last, in milliseconds of 1970.
    var start: Int64
    var end: Int64
    var lowest: Double
    var highest: Double
    var count: Int
    var sum: Double
    /// Whether a gap lies between the column before and this one.
    var followsGap: Bool
  }

  private(set) var columns: [Column] = []
  /// The width of a column in milliseconds.
  private(set) var width: Int64 = 1000
  /// The number of gaps, also of those that lie within a column, and their time in milliseconds.
  private(set) var gaps = 0
  private(set) var missing: Int64 = 0
  /// Milliseconds at each whole number of beats a minute.
  private(set) var held = [Int64](repeating: 0, count: greatestRate + 1)
  /// The last rate, in beats a minute.
  private var lastRate = 0.0
  /// The usual time between two rates of the source, in milliseconds.
  private let spacing: Int64

  /// An empty curve of a source that usually has a rate every `spacing` milliseconds.
  init(spacing: Int64 = 1000) {
    self.spacing = spacing
  }

  /// The curve of stored rates in beats a minute, at times in milliseconds of 1970, in their order.
  package init(_ rates: [(time: Int64, rate: Double)]) {
    let steps = zip(rates.dropFirst(), rates).map { next, rate in
      next.time.subtractingReportingOverflow(rate.time).partialValue
    }.sorted()
    self.init(spacing: steps.isEmpty ? 1000 : min(steps[steps.count / 2], Self.longestSpacing))
    for (time, rate) in rates { add(rate, at: time) }
  }

  /// Adds a rate in beats a minute at a time in milliseconds of 1970. `precededByGap`: something is known to be missing before it.
  mutating func add(_ rate: Double, at time: Int64, precededByGap: Bool = false) {
    guard rate > 0, rate < 1000 else { return }
    guard let previous = columns.last?.end, time >= previous - Self.jitter else {
      // The clock was set back: what was drawn stands at wrong times.
      self = RateCurve(spacing: spacing)
      return append(rate, at: time, isGap: false)
    }
    let time = max(time, previous)
    let silence = time - previous
    held[Self.place(of: lastRate)] += min(silence, Self.longestHold)
    let isGap = precededByGap || silence > longestSilence
    if isGap {
      gaps += 1
      missing += silence
    }
    append(rate, at: time, isGap: isGap)
  }

  /// The time until the next rate that is no gap, as for the value that is shown; of a slow source as often as it usually has one.
  private var longestSilence: Int64 {
    max(Int64(60_000 / max(lastRate, 1)) + Int64(PulseWatch.patience / .milliseconds(1)), spacing / 2 * 5)
  }

  private mutating func append(_ rate: Double, at time: Int64, isGap: Bool) {
    lastRate = rate
    let column = Column(start: time, end: time, lowest: rate, highest: rate, count: 1, sum: rate, followsGap: isGap)
    join(column)
    while columns.count > Self.mostColumns {
      width *= 2
      columns = Self.joined(columns, width)
    }
  }

  private mutating func join(_ column: Column) {
    guard let last = columns.last, last.start / width == column.start / width else { return columns.append(column) }
    columns[columns.count - 1] = last.joined(with: column)
  }

  /// The columns of a greater width.
  private static func joined(_ narrow: [Column], _ width: Int64) -> [Column] {
    var columns: [Column] = []
    for column in narrow {
      if let last = columns.last, last.start / width == column.start / width {
        columns[columns.count - 1] = last.joined(with: column)
      } else {
        columns.append(column)
      }
    }
    return columns
  }

  /// The columns, twice as wide whenever there are more than `most`.
  func columns(atMost most: Int) -> [Column] {
    var (columns, width) = (columns, width)
    while columns.count > max(1, most) {
      width *= 2
      columns = Self.joined(columns, width)
    }
    return columns
  }

  private static func place(of rate: Double) -> Int { Int(min(max(rate, 0), Double(greatestRate)) + 0.5) }

  /// Forgets what was before a time in milliseconds of 1970, that of the beginning of a session.
  mutating func begin(at time: Int64) {
    guard let first = columns.first, first.start < time else { return }
    let kept = columns.filter { $0.end >= time }
    let rate = lastRate
    self = RateCurve(spacing: spacing)
    for (index, column) in kept.enumerated() {
      let silence = index + 1 < kept.count ? kept[index + 1].start - column.end : 0
      held[Self.place(of: column.sum / Double(column.count))] +=
        column.end - column.start + min(silence, Self.longestHold)
      if index > 0, column.followsGap {
        gaps += 1
        missing += column.start - kept[index - 1].end
      }
    }
    columns = kept
    if !columns.isEmpty { columns[0].followsGap = false }
    lastRate = rate
  }
}

extension RateCurve.Column {
  /// This column and the next, without what lies between them.
  fileprivate func joined(with next: RateCurve.Column) -> RateCurve.Column {
    RateCurve.Column(
      start: start, end: next.end, lowest: min(lowest, next.lowest), highest: max(highest, next.highest),
      count: count + next.count, sum: sum + next.sum, followsGap: followsGap)
  }
}
