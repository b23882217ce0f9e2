internal import HealthModel

/// The days of values that are being collected. Of a file in any order a bounded number is in memory: a series without new values for long is
/// given away, and goes on as a continued series if more comes.
///
/// The table gives values away often, long before it is full: these values are stored while the next are read.
struct AppleSeriesTable {
  private struct Place: Hashable {
    var origin: Int
    var day: Int64
  }

  private struct Series {
    var origin: Int
    var day: Int64
    var values: [SampleDraft.QuantityValue]
    var isInOrder = true
    var touched: Int
  }

  /// The greatest number of values in memory, about 24 bytes each.
  static let mostValues = 1 << 17
  /// The greatest number of series in memory.
  private static let mostSeries = 1 << 13
  /// So many new series are worth a call of ``take(all:)``.
  private static let manySeries = 1 << 9
  /// The most values of one day.
  static let mostOfDay = 200_000
  /// The most series of which it is remembered that they were given away.
  private static let mostRemembered = 1 << 18

  private let capacity: Int
  private var series: [Series] = []
  private var places: [Place: Int] = [:]
  private(set) var count = 0
  private var clock = 0
  private var lastTake = (clock: 0, series: 0)
  private var given: [UInt64: Int] = [:]
  private(set) var repeated = 0
  private(set) var tooMany = 0

  init(capacity: Int = mostValues) {
    self.capacity = capacity
  }

  /// Whether values should be given away: the table is full, or some series had no new values for long.
  var isDue: Bool {
    count >= capacity || clock - lastTake.clock >= capacity / 8 || series.count - lastTake.series >= Self.manySeries
  }

  mutating func add(_ value: SampleDraft.QuantityValue, to origin: AppleOrigin, at index: Int) {
    let day = value.span.start.microseconds.flooredDay
    clock += 1
    if origin.lastDay != day {
      let place = Place(origin: index, day: day)
      origin.lastDay = day
      if let found = places[place] {
        origin.lastPlace = found
      } else {
        origin.lastPlace = series.count
        places[place] = series.count
        series.append(Series(origin: index, day: day, values: [], touched: clock))
      }
    }
    let place = origin.lastPlace
    if let last = series[place].values.last, !SampleDraft.QuantityValue.precedes(last, value) {
      series[place].isInOrder = false
    }
    series[place].values.append(value)
    series[place].touched = clock
    count += 1
  }

  /// Gives away what was not touched for long; everything where that is not enough, and at the end.
  mutating func take(
    _ origins: [AppleOrigin], all: Bool, without removed: [UInt64: [SampleDraft.QuantityValue]] = [:],
    into objects: inout [AppleObject]
  ) {
    let limit = all ? Int.max : clock - capacity / 16
    var rest: [Series] = []
    for one in series {
      if one.touched < limit { give(one, origins[one.origin], removed, into: &objects) } else { rest.append(one) }
    }
    if !all, rest.reduce(0, { $0 + $1.values.count }) > capacity / 2 || rest.count > Self.mostSeries / 2 {
      for one in rest { give(one, origins[one.origin], removed, into: &objects) }
      rest = []
    }
    lastTake = (clock, rest.count)
    series = rest
    count = rest.reduce(0) { $0 + $1.values.count }
    places = [:]
    for (index, one) in rest.enumerated() { places[Place(origin: one.origin, day: one.day)] = index }
    for origin in origins { origin.lastDay = .min }
  }

  private mutating func give(
    _ one: Series, _ origin: AppleOrigin, _ removed: [UInt64: [SampleDraft.QuantityValue]],
    into objects: inout [AppleObject]
  ) {
    guard case .quantity(let type) = origin.meaning else { return }
    let digest = origin.digest([one.day])
    let key = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    var values = one.isInOrder ? one.values : SampleDraft.QuantityValue.inOrder(one.values)
    repeated += one.values.count - values.count
    if let gone = removed[key] {
      let gone = Set(gone)
      values.removeAll { gone.contains($0) }
    }
    let before = given[key]
    let room = Self.mostOfDay - (before ?? 0)
    if values.count > room {
      tooMany += values.count - max(0, room)
      values = Array(values.prefix(max(0, room)))
    }
    guard !values.isEmpty else { return }
    let isForgotten = given.count >= Self.mostRemembered
    if before != nil || !isForgotten { given[key, default: 0] += values.count }
    objects.append(
      AppleObject(
        digest: digest, version: Int64(values.count), source: origin.source, device: origin.device,
        metadata: origin.metadata, content: .series(type, values, isContinued: before != nil || isForgotten)))
  }
}

extension Int64 {
  /// The UTC day of a time in microseconds.
  var flooredDay: Int64 {
    let day: Int64 = 86_400_000_000
    return self >= 0 ? self / day : (self + 1) / day - 1
  }
}
