internal import HealthModel

/// Text with columns, one of which has intervals, and text with times of beats instead of intervals: which column says what.
///
/// Kubios and Polar Flow write `time interval`, Polar Sensor Logger `stamp;interval`, Empatica's IBI `seconds,interval` behind the
/// beginning; others an index beside the interval.
struct IntervalTable: Hashable {
  enum Cell: Hashable {
    case number(Double)
    /// A date with its time, in milliseconds; without a zone as if it were in UTC.
    case stamp(Double)
    case text(String)

    var value: Double? {
      switch self {
      case .number(let number), .stamp(let number): number
      case .text: nil
      }
    }
  }

  /// The column of a time, how many milliseconds its unit has, and how far it may be off.
  private struct TimeColumn: Hashable {
    var place: Int
    var milliseconds: Double
    var slack: Double
  }

  private var width = 1
  /// Nil where the one column has times.
  private var interval: Int?
  private var time: TimeColumn?
  /// The beginning, where the first line says it.
  private(set) var start: Timestamp?
  private(set) var isEmpatica = false
  /// The last time, and the sum of intervals that belongs to it.
  private var lastTime: Double?
  private var sum = 0.0

  var hasTimesAlone: Bool { interval == nil }

  private static let fewestRows = 3
  /// So many numbers have to grow before they are times.
  private static let fewestTimes = 8
  private static let mostRows = 256
  private static let mostGrowing = 64

  // MARK: Layout

  /// The table that begins like this; nil for a list of intervals, and for other text.
  init?(beginning: [UInt8]) {
    var rows: [[Cell]] = []
    var headings: [[Cell]] = []
    var lines = LineSplitter()
    var isOther = false
    let isCut = beginning.count >= 4096
    let end = isCut ? beginning.lastIndex(of: 0x0A) ?? beginning.endIndex : beginning.endIndex
    try? lines.split(Array(beginning[..<end]), isLast: true) { (line, _) throws(FileDamage) in
      guard !line.isEmpty, line.first != UInt8(ascii: "#"), rows.count < Self.mostRows else { return }
      let cells = Self.cells(line)
      if cells.contains(where: { $0.value != nil }), !cells.contains(.text("IBI")) {
        rows.append(cells)
      } else if rows.isEmpty {
        headings.append(cells)
      } else {
        isOther = true
      }
    }
    guard !isOther, headings.count <= 2, rows.count >= Self.fewestRows, let first = rows.first,
      beginning.first != UInt8(ascii: "<"), beginning.first != UInt8(ascii: "{")
    else { return nil }
    width = first.count
    rows = rows.filter { $0.count == width && $0.allSatisfy { $0.value != nil } }
    guard rows.count >= Self.fewestRows else { return nil }
    readBeginning(headings.first)
    if width == 1 {
      guard !findTimes(rows) else { return }
      // A list is read without a table, but for the commas of half of the world.
      guard beginning.contains(UInt8(ascii: ",")), Self.isPlausible(rows, 0) else { return nil }
      interval = 0
    } else {
      guard width <= 32, findInterval(rows, headings.first) else { return nil }
    }
  }

  /// Empatica's first line: the seconds since 1970, and `IBI`.
  private mutating func readBeginning(_ heading: [Cell]?) {
    guard let heading, heading.count == 2, heading[1] == .text("IBI"), case .number(let seconds) = heading[0],
      seconds > 1e9, seconds < 1e10
    else { return }
    (isEmpatica, start) = (true, Timestamp(microseconds: Int64(seconds * 1e6)))
  }

  /// Whether the one column only grows, as times do, by steps that intervals have.
  private mutating func findTimes(_ rows: [[Cell]]) -> Bool {
    let numbers = rows.compactMap { $0[0].value }
    guard numbers.count >= Self.fewestTimes, zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) else {
      return false
    }
    let steps = zip(numbers, numbers.dropFirst()).map { $1 - $0 }.sorted()
    let middle = steps[steps.count / 2]
    guard (0.25...3).contains(middle) || (250...3000).contains(middle) else { return false }
    // Numbers that could be intervals are taken as times only where so many grow as of no heart.
    let isInterval = numbers.allSatisfy { (250...3000).contains($0) } || numbers.allSatisfy { (0.25...3).contains($0) }
    return !isInterval || numbers.count >= Self.mostGrowing
  }

  private mutating func findInterval(_ rows: [[Cell]], _ heading: [Cell]?) -> Bool {
    let named = heading.flatMap { heading in
      heading.count == width ? heading.firstIndex { Self.isInterval($0) } : nil
    }
    let candidates = named.map { [$0] } ?? Array(0..<width)
    var best: (share: Double, interval: Int, time: TimeColumn)?
    for interval in candidates where Self.isPlausible(rows, interval) {
      for place in 0..<width where place != interval {
        guard let (share, time) = Self.time(rows, place, of: interval) else { continue }
        if share > best?.share ?? 0.5 { best = (share, interval, time) }
      }
    }
    if let best {
      (interval, time) = (best.interval, best.time)
      return true
    }
    if let named, Self.isPlausible(rows, named) {
      interval = named
      return true
    }
    // An index in front of the interval.
    guard width == 2, let first = rows[0][0].value,
      rows.enumerated().allSatisfy({ $1[0].value == first + Double($0) }), rows.count >= Self.fewestTimes || first <= 1,
      Self.isPlausible(rows, 1), heading != nil || rows.count >= Self.fewestTimes
    else { return false }
    interval = 1
    return true
  }

  private static func isInterval(_ cell: Cell) -> Bool {
    guard case .text(let text) = cell else { return false }
    let word = text.lowercased()
    return ["rr", "r-r", "ibi", "interval", "nn"].contains { word.contains($0) } && !word.contains("bpm")
  }

  private static func isPlausible(_ rows: [[Cell]], _ place: Int) -> Bool {
    let numbers = rows.compactMap { if case .number(let number) = $0[place] { number } else { nil } }.sorted()
    guard numbers.count * 2 > rows.count else { return false }
    let middle = numbers[numbers.count / 2]
    return (0.2...4).contains(middle) || (200...4000).contains(middle)
  }

  /// The unit of a column whose steps are the intervals, and the share of rows in which they are.
  private static func time(_ rows: [[Cell]], _ place: Int, of interval: Int) -> (share: Double, time: TimeColumn)? {
    let times = rows.compactMap { $0[place].value }
    let intervals = rows.compactMap { $0[interval].value }
    guard times.count == rows.count, intervals.count == rows.count,
      zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 })
    else { return nil }
    let middle = intervals.sorted()[intervals.count / 2]
    let factor = middle < 10 ? 1000.0 : 1
    if case .stamp = rows[0][place] {
      // Beats come in packets, whose time is that of their arrival.
      let whole = (times.last ?? 0) - (times.first ?? 0)
      let sum = intervals.dropFirst().reduce(0, +) * factor
      return abs(whole - sum) <= 3000 + whole / 5 ? (0.9, TimeColumn(place: place, milliseconds: 1, slack: 3000)) : nil
    }
    var best: (share: Double, time: TimeColumn)?
    for milliseconds in [1000.0, 1] {
      for (offset, slack) in [(1, 150.0), (0, 400)] {
        var hits = 0
        for index in 1..<rows.count {
          let step = (times[index] - times[index - 1]) * milliseconds
          if abs(step - intervals[index - 1 + offset] * factor) <= 12 { hits += 1 }
        }
        let share = Double(hits) / Double(rows.count - 1)
        if share > best?.share ?? 0.5 {
          best = (share, TimeColumn(place: place, milliseconds: milliseconds, slack: slack))
        }
      }
    }
    return best
  }

  // MARK: Rows

  /// The values of a line: its interval, behind time that passed without one; nil for a line without an interval.
  mutating func values(of line: ArraySlice<UInt8>) -> [IntervalTextLine.Value]? {
    let cells = Self.cells(line)
    guard cells.count >= width else { return nil }
    guard let interval else {
      guard let time = cells[0].value else { return nil }
      defer { lastTime = time }
      guard let lastTime else { return [] }
      return [.number(time - lastTime)]
    }
    guard case .number(let number) = cells[interval] else { return nil }
    guard let time, let stamp = cells[time.place].value else { return [.number(number)] }
    let now = stamp * time.milliseconds
    let length = number < 10 ? number * 1000 : number
    sum += length
    guard let lastTime else {
      (self.lastTime, sum) = (now, 0)
      return [.number(number)]
    }
    let lag = now - lastTime - sum
    guard lag > time.slack, lag < 1e9 else { return [.number(number)] }
    (self.lastTime, sum) = (now, 0)
    return [.passed(lag), .number(number)]
  }

  static func cells(_ line: ArraySlice<UInt8>) -> [Cell] {
    let separator: UInt8
    let commas = line.count { $0 == UInt8(ascii: ",") }
    let isCommaBetween =
      commas > 1
      || commas == 1 && (line.contains(UInt8(ascii: ".")) || String(decoding: line, as: UTF8.self).contains(", "))
    if line.contains(UInt8(ascii: ";")) {
      separator = UInt8(ascii: ";")
    } else if line.contains(UInt8(ascii: "\t")) {
      separator = UInt8(ascii: "\t")
    } else if isCommaBetween {
      separator = UInt8(ascii: ",")
    } else {
      let fields = line.split(separator: UInt8(ascii: " ")).map(cell)
      let isRow = fields.allSatisfy { if case .number = $0 { true } else { false } }
      return isRow ? fields : [cell(line)]
    }
    var fields = line.split(separator: separator, omittingEmptySubsequences: false)
    if let last = fields.last, last.allSatisfy({ $0 == 0x20 }) { fields.removeLast() }
    return fields.map(cell)
  }

  private static func cell(_ field: ArraySlice<UInt8>) -> Cell {
    var field = field
    while let first = field.first, first == 0x20 || first == 0x22 { field = field.dropFirst() }
    while let last = field.last, last == 0x20 || last == 0x22 { field = field.dropLast() }
    if let number = field.number { return .number(number) }
    // Half of the world has a comma there.
    if field.count(where: { $0 == UInt8(ascii: ",") }) == 1,
      let number = ArraySlice(field.map { $0 == 0x2C ? 0x2E : $0 }).number
    {
      return .number(number)
    }
    let text = String(decoding: field.prefix(64), as: UTF8.self)
    if field.count >= 19, field.count <= 40, field.contains(UInt8(ascii: ":")) {
      let iso = text.replacing(" ", with: "T")
      if let time = Timestamp(iso8601: iso) ?? Timestamp(iso8601: iso + "Z") {
        return .stamp(Double(time.microseconds) / 1000)
      }
    }
    return .text(text)
  }
}
