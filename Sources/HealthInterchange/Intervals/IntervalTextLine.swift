/// Lines of intervals as text.
enum IntervalTextLine {
  /// A value of a line of numbers.
  enum Value: Hashable {
    case number(Double)
    /// Milliseconds without a beat.
    case passed(Double)
    /// A text that is no number.
    case lost
  }

  /// The kinds of lines.
  enum Kind: Hashable {
    case nothing
    case comment
    /// The name of the column, in front of the first number.
    case heading
    /// One number, or all of a file that has but one line.
    case numbers([Value])
    case unreadable
  }

  /// So many lines without a meaning behind each other are another kind of file, or damage.
  static let mostUnreadable = 64

  /// The layout of the file as far as the lines so far show it.
  struct Layout {
    /// Lines with numbers.
    private var rows = 0
    private var hasHeading = false

    /// Returns the kind of the next line. Semicolons and tabs may stand behind each number; a file with them between numbers has one line.
    mutating func take(_ line: ArraySlice<UInt8>) -> Kind {
      guard !line.isEmpty else { return .nothing }
      guard line.first != UInt8(ascii: "#") else { return .comment }
      let fields = IntervalTextLine.fields(line)
      guard !fields.isEmpty else { return .nothing }
      let numbers = fields.compactMap(\.number)
      guard numbers.count == fields.count, numbers.count == 1 || rows == 0 else {
        guard rows == 0, !hasHeading, fields.count == 1, IntervalTextLine.isHeading(fields[0]) else {
          return .unreadable
        }
        hasHeading = true
        return .heading
      }
      rows += 1
      return .numbers(numbers.map(Value.number))
    }
  }

  private static func fields(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    line.split { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "\t") }.compactMap { field in
      var field = field
      while field.first == 0x20 { field = field.dropFirst() }
      while field.last == 0x20 { field = field.dropLast() }
      return field.isEmpty ? nil : field
    }
  }

  /// Words that name a column: `RR`, `"RR (ms)"`.
  private static func isHeading(_ field: ArraySlice<UInt8>) -> Bool {
    let others = Set("<>{}[]=,|".utf8)
    let hasLetter = field.contains { (0x41...0x5A).contains($0 & 0xDF) || $0 >= 0x80 }
    return field.count <= 64 && hasLetter && field.allSatisfy { $0 >= 0x20 && $0 != 0x7F && !others.contains($0) }
  }
}

extension IntervalTextReader {
  package static func recognizes(_ beginning: [UInt8]) -> Bool {
    isList(beginning) || IntervalTable(beginning: beginning) != nil
  }

  /// Whether the first line says when the recording began.
  package static func saysStart(_ beginning: [UInt8]) -> Bool { IntervalTable(beginning: beginning)?.start != nil }

  private static func isList(_ beginning: [UInt8]) -> Bool {
    var layout = IntervalTextLine.Layout()
    var first: Double?
    var (rows, others, widest) = (0, 0, 0)
    // In front of the first number there is a heading at most.
    var isRefused = false
    // The last line may be cut off.
    forEachLine(of: beginning) { line, _ in
      switch layout.take(line) {
      case .nothing, .comment: break
      case .heading: others += 1
      case .unreadable:
        others += 1
        isRefused = isRefused || rows == 0
      case .numbers(let numbers):
        if rows == 0, case .number(let number)? = numbers.first { first = number }
        rows += 1
        widest = max(widest, numbers.count)
      }
    }
    guard let first, first > 0, first < 65_535, !isRefused else { return false }
    // Lines that are no numbers have a place; more of them than numbers are another kind of file. Of a table nobody says which column.
    return others <= rows && (widest == 1 || rows == 1 && others == 0)
  }

  /// The reason for which text has no intervals: its first line with content; nil for bytes that are no text.
  package static func refusal(_ beginning: [UInt8]) -> String? {
    if let columns = otherColumns(beginning) { return columns }
    let isText = beginning.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    guard isText else { return nil }
    var place: Int?
    forEachLine(of: beginning) { line, number in
      if place == nil, !line.isEmpty, line.first != UInt8(ascii: "#") { place = number }
      // XML and JSON begin with other characters than a column of numbers.
      if place == number, line.first == UInt8(ascii: "<") || line.first == UInt8(ascii: "{") { place = -1 }
    }
    guard let place, place > 0 else { return nil }
    return
      "of intervals as text line \(place) would be a number of milliseconds or seconds above 0, one a line, or a heading in front of them"
  }

  /// The reason for which a table of Polar Sensor Logger's has no intervals.
  private static func otherColumns(_ beginning: [UInt8]) -> String? {
    let line = String(decoding: beginning.prefix { $0 != 0x0A }, as: UTF8.self)
    guard line.hasPrefix("Phone timestamp;") else { return nil }
    return "it is of Polar Sensor Logger, without a column of intervals: its file with RR in the name has them"
  }

  private static func forEachLine(of beginning: [UInt8], _ body: (ArraySlice<UInt8>, Int) -> Void) {
    var lines = LineSplitter()
    try? lines.split(beginning, isLast: beginning.count < 256) { (line, number) throws(FileDamage) in body(line, number)
    }
  }
}
