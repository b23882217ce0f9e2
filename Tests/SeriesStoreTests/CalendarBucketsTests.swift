import HealthModel
import SeriesStore
import TestSupport
import Testing

@Suite("CalendarBuckets")
struct CalendarBucketsTests {
  private func edges(
    _ interval: String, _ zone: String, containing moment: String, from: String, to: String
  ) throws -> [String] {
    let buckets = CalendarBuckets(
      every: try CalendarInterval(parsing: interval), containing: try #require(Timestamp(iso8601: moment)),
      in: try TimeZoneRules.named(zone))
    let edges = try buckets.edges(
      from: try #require(Timestamp(iso8601: from)), to: try #require(Timestamp(iso8601: to)))
    return edges.map { Timestamp(microseconds: $0).iso8601(fractionDigits: 0) }
  }

  @Test("the day of the change to summer time has 23 hours, that of the change back 25")
  func daylightSaving() throws {
    #expect(
      try edges("1d", "Europe/Berlin", containing: "2024-01-01", from: "2024-03-30T12:00Z", to: "2024-03-31T22:00Z")
        == ["2024-03-29T23:00:00Z", "2024-03-30T23:00:00Z", "2024-03-31T22:00:00Z"])
    #expect(
      try edges("1d", "Europe/Berlin", containing: "2024-12-31", from: "2024-10-27T12:00Z", to: "2024-10-27T13:00Z")
        == ["2024-10-26T22:00:00Z", "2024-10-27T23:00:00Z"])
  }

  @Test("hours in a zone of half an hour begin at the half hour of UTC")
  func halfHourZone() throws {
    #expect(
      try edges("1h", "Asia/Kolkata", containing: "2024-01-01", from: "2024-05-01T00:00Z", to: "2024-05-01T01:00Z")
        == ["2024-04-30T23:30:00Z", "2024-05-01T00:30:00Z", "2024-05-01T01:30:00Z"])
  }

  @Test("months end with their own last day, also where the anchor's day is missing")
  func months() throws {
    let anchor = try #require(Timestamp(iso8601: "2024-01-31"))
    let buckets = CalendarBuckets(every: try CalendarInterval(parsing: "1mo"), from: anchor, in: .utc)
    #expect(
      (-2...3).map { buckets.start(of: $0).iso8601(fractionDigits: 0).prefix(10) }
        == ["2023-11-30", "2023-12-31", "2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30"])
  }

  @Test("weeks begin on Monday, years on the first of January")
  func weeks() throws {
    #expect(
      try edges("1w", "UTC", containing: "2024-05-05", from: "2024-05-05", to: "2024-05-06")
        == ["2024-04-29T00:00:00Z", "2024-05-06T00:00:00Z"])
    #expect(
      try edges("1y", "America/New_York", containing: "2024-05-05", from: "2024-05-05", to: "2024-05-06")
        == ["2024-01-01T05:00:00Z", "2025-01-01T05:00:00Z"])
  }

  @Test("the day that Samoa skipped has no bucket, and no bucket is empty of time")
  func skippedDay() throws {
    #expect(
      try edges("1d", "Pacific/Apia", containing: "2011-12-01", from: "2011-12-29T12:00Z", to: "2011-12-31T00:00Z")
        == ["2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"])
  }

  @Test("where the clocks skip midnight the day begins when they go on")
  func skippedMidnight() throws {
    #expect(
      try edges("1d", "America/Sao_Paulo", containing: "2018-10-01", from: "2018-11-04T12:00Z", to: "2018-11-04T13:00Z")
        == ["2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"])
  }

  @Test(
    "days are laid from midnight also where the first of them begins at one o'clock",
    arguments: [
      ("Africa/Cairo", "2024-04-26"), ("Asia/Beirut", "2024-03-31"), ("America/Santiago", "2023-09-03"),
      ("America/Havana", "2024-03-10"), ("America/Asuncion", "2023-10-01"), ("America/Sao_Paulo", "2018-11-04"),
    ])
  func anchoredAtSkippedMidnight(zone: String, date: String) throws {
    let zone = try TimeZoneRules.named(zone)
    let noon = try #require(Timestamp(iso8601: date)).microseconds + 43_200_000_000
    let anchor = zone.moment(ofWallClock: noon)
    let day: Int64 = 86_400_000_000
    func time(_ moment: Timestamp) -> Int64 { zone.wallClock(at: moment) % day }
    for interval in ["1d", "3d"] {
      let buckets = CalendarBuckets(every: try CalendarInterval(parsing: interval), containing: anchor, in: zone)
      #expect(time(buckets.anchor) == 3_600_000_000)
      for index in [-2, -1, 1, 2] as [Int64] { #expect(time(buckets.start(of: index)) == 0, "\(interval) \(index)") }
      #expect(buckets.start(of: 0) == buckets.anchor)
    }
    // The whole month that begins so.
    guard zone.name == "America/Asuncion" else { return }
    #expect(
      try edges("1mo", zone.name, containing: date, from: "2023-10-05T00:00Z", to: "2023-11-05T00:00Z")
        == ["2023-10-01T04:00:00Z", "2023-11-01T03:00:00Z", "2023-12-01T03:00:00Z"])
  }

  @Test(
    "an interval that is none is refused",
    arguments: ["", "d", "0d", "-1d", "1", "1x", "1 d", "1.5h", "9999999m", "1mm", "1D"])
  func badIntervals(text: String) {
    #expect(throws: StatisticsError.unknownInterval(text)) { try CalendarInterval(parsing: text) }
  }

  @Test("more buckets than anybody can use, and times that run backwards, are errors")
  func limits() throws {
    let buckets = CalendarBuckets(
      every: try CalendarInterval(parsing: "1m"), containing: Timestamp(microseconds: 0), in: .utc)
    let now = try #require(Timestamp(iso8601: "2024-01-01"))
    #expect(throws: StatisticsError.tooManyBuckets(limit: CalendarBuckets.limit)) {
      try buckets.edges(from: Timestamp(microseconds: 0), to: now)
    }
    #expect(throws: StatisticsError.emptyRange) { try buckets.edges(from: now, to: now) }
    #expect(throws: StatisticsError.emptyRange) {
      try buckets.edges(from: Timestamp(microseconds: .min), to: Timestamp(microseconds: .max))
    }
  }

  @Test("a moment is in the bucket of its local date", arguments: 0..<8)
  func byDate(part: UInt64) throws {
    let zones = [
      "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo", "UTC",
    ]
    var random = SeededGenerator(seed: 700 + part)
    for number in 0..<300 {
      let zone = try TimeZoneRules.named(zones[Int.random(in: 0..<zones.count, using: &random)])
      let unit = [CalendarInterval.Unit.day, .week, .month, .year][Int.random(in: 0..<4, using: &random)]
      let interval = try #require(CalendarInterval(Int.random(in: 1...3, using: &random), unit))
      let year2000: Int64 = 946_684_800_000_000
      func moment() -> Timestamp {
        Timestamp(microseconds: year2000 + Int64.random(in: 0...1_200_000_000, using: &random) * 1_000_000)
      }
      let anchor = moment()
      let buckets = CalendarBuckets(every: interval, containing: anchor, in: zone)
      let probe = moment()
      func date(_ moment: Timestamp) -> CalendarDay {
        let wall = zone.wallClock(at: moment)
        return CalendarDay(
          daysSince1970: (wall - ((wall % 86_400_000_000) + 86_400_000_000) % 86_400_000_000) / 86_400_000_000)
      }
      func units(_ day: CalendarDay) -> Int64 {
        switch unit {
        case .week: (day.daysSince1970 + 3 + 700_000) / 7
        case .month: day.year * 12 + Int64(day.month)
        case .year: day.year
        default: day.daysSince1970
        }
      }
      let difference = units(date(probe)) - units(date(anchor))
      let count = Int64(interval.count)
      let expected = (difference - ((difference % count) + count) % count) / count
      guard buckets.index(of: probe) == expected else {
        Issue.record("seed \(700 + part), case \(number): \(zone.name) \(interval) \(anchor) \(probe)")
        return
      }
    }
  }
}
