/// The calendar of a few regions from 2022 to 2026, written by hand and independent of the code under test.
struct PlainCalendar {
  /// The zone's name.
  var name: String
  /// From which second since 1970 on clocks are how many seconds ahead of UTC.
  private var offsets: [(from: Int64, seconds: Int64)]

  static let all = [
    PlainCalendar(name: "UTC", offsets: [(0, 0)]),
    PlainCalendar(name: "Asia/Kolkata", offsets: [(0, 19_800)]),
    PlainCalendar(name: "Asia/Kathmandu", offsets: [(0, 20_700)]),
    PlainCalendar(
      name: "Europe/Berlin",
      offsets: [
        (0, 3600), (1_648_342_800, 7200), (1_667_091_600, 3600), (1_679_792_400, 7200), (1_698_541_200, 3600),
        (1_711_846_800, 7200), (1_729_990_800, 3600), (1_743_296_400, 7200), (1_761_440_400, 3600),
      ]),
    PlainCalendar(
      name: "America/New_York",
      offsets: [
        (0, -18_000), (1_647_154_800, -14_400), (1_667_714_400, -18_000), (1_678_604_400, -14_400),
        (1_699_164_000, -18_000), (1_710_054_000, -14_400), (1_730_613_600, -18_000), (1_741_503_600, -14_400),
        (1_762_063_200, -18_000),
      ]),
    // Its clocks change by half an hour.
    PlainCalendar(
      name: "Australia/Lord_Howe",
      offsets: [
        (0, 39_600), (1_648_911_600, 37_800), (1_664_638_200, 39_600), (1_680_361_200, 37_800),
        (1_696_087_800, 39_600), (1_712_415_600, 37_800), (1_728_142_200, 39_600), (1_743_865_200, 37_800),
        (1_759_591_800, 39_600),
      ]),
  ]

  /// The moments at which clocks change in 2024, in spring and in autumn; noon of two days where they never do.
  var changes: [Int64] {
    let year: ClosedRange<Int64> = 1_704_067_200...1_735_689_600
    let changes = offsets.map(\.from).filter(year.contains)
    return changes.isEmpty ? [1_711_843_200, 1_729_987_200] : changes
  }

  /// What the clocks show, in seconds since 1970 as if they showed UTC.
  func clock(_ second: Int64) -> Int64 {
    second + (offsets.last { $0.from <= second }?.seconds ?? 0)
  }

  /// When the clocks show `time`, which no change leaves out or repeats, on that day since 1970.
  private func moment(day: Int64, time: Int64) -> Int64 {
    let shown = day * 86_400 + time
    return offsets.map { shown - $0.seconds }.first { clock($0) == shown } ?? 0
  }

  enum Unit: String, CaseIterable {
    case minute = "m"
    case hour = "h"
    case day = "d"
    case week = "w"
    case month = "mo"
    case year = "y"
  }

  /// The day since 1970 on which a month begins; months are counted from January 2020.
  private static func firstDay(ofMonth month: Int64) -> Int64 {
    var day: Int64 = 18_262
    for passed in 0..<month {
      let year = 2020 + passed / 12
      day += [31, year % 4 == 0 ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Int(passed % 12)]
    }
    return day
  }

  /// The borders of buckets of `count` units that hold the seconds from `from` to before `to`, from an anchor or as a person expects.
  func edges(every count: Int64, _ unit: Unit, anchor: Int64?, from: Int64, to: Int64) -> [Int64] {
    let shown = clock(anchor ?? from)
    var day = shown / 86_400
    let time = anchor == nil ? 0 : shown % 86_400
    var month: Int64 = 0
    while Self.firstDay(ofMonth: month + 1) <= day { month += 1 }
    var dayOfMonth = day - Self.firstDay(ofMonth: month)
    if anchor == nil {
      // 1970 began on a Thursday.
      if unit == .week { while (day + 3) % 7 != 0 { day -= 1 } }
      if unit == .month || unit == .year { dayOfMonth = 0 }
      if unit == .year { month -= month % 12 }
    }
    func start(_ index: Int64) -> Int64 {
      let units = index * count
      switch unit {
      case .minute: return (anchor ?? moment(day: day, time: 0)) + units * 60
      case .hour: return (anchor ?? moment(day: day, time: 0)) + units * 3600
      case .day: return moment(day: day + units, time: time)
      case .week: return moment(day: day + units * 7, time: time)
      case .month, .year:
        let month = month + (unit == .year ? 12 * units : units)
        let last = Self.firstDay(ofMonth: month + 1) - Self.firstDay(ofMonth: month) - 1
        return moment(day: Self.firstDay(ofMonth: month) + min(dayOfMonth, last), time: time)
      }
    }
    var index: Int64 = 0
    while start(index) > from { index -= 1 }
    while start(index + 1) <= from { index += 1 }
    var edges = [start(index)]
    while let last = edges.last, last < to {
      index += 1
      edges.append(start(index))
    }
    return edges
  }
}
