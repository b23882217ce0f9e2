import HealthModel

extension FuzzTarget {
  static func readTimeZone(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let zone = try? TimeZoneRules(name: "Fuzz/Zone", parsing: bytes) else { return }
    let year: Int64 = 31_556_952_000_000
    for moment in [.min, -300 * year, -year, 0, 20 * year, 68 * year, 10_000 * year, .max] as [Int64] {
      let offset = zone.offset(at: Timestamp(microseconds: moment))
      try BrokenPromise.unless((-93_600...93_600).contains(offset), "an offset is less than 26 hours")
      _ = zone.moment(ofWallClock: moment)
    }
    let (from, to) = (Timestamp(microseconds: 50 * year), Timestamp(microseconds: 51 * year))
    for unit in [CalendarInterval.Unit.hour, .day, .month] {
      guard let interval = CalendarInterval(1, unit) else { continue }
      let buckets = CalendarBuckets(every: interval, containing: from, in: zone)
      guard let edges = try? buckets.edges(from: from, to: to) else { continue }
      try BrokenPromise.unless(zip(edges, edges.dropFirst()).allSatisfy { $0 < $1 }, "buckets follow each other")
      try BrokenPromise.unless(
        edges.first.map { $0 <= from.microseconds } ?? false, "the first bucket holds the beginning")
    }
  }
}
