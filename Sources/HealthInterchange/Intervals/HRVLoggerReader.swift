internal import HealthModel

/// The CSV of HRV Logger: `date, rr, since start`; dates with their zone.
package struct HRVLoggerReader: LinesReader {
  package static let format = ForeignFormat.hrvlogger

  private static let heading: [String] = ["date", "rr", "since start"]

  package static func recognizes(_ beginning: [UInt8]) -> Bool {
    let line = beginning.prefix { $0 != 0x0A }.filter { $0 != 0x0D }
    // Behind a byte order mark.
    return fields(line.dropFirst(line.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)).map {
      String(decoding: $0, as: UTF8.self)
    }
      == heading
  }

  package private(set) var account = ReadingAccount()
  var lines = LineSplitter()
  /// The moment of the column's zero.
  private var start: Timestamp?

  package init() {}

  mutating func take(
    _ line: ArraySlice<UInt8>, _ number: Int, into elements: inout [ForeignElement]
  ) throws(FileDamage) {
    guard number > 1, !line.isEmpty else { return }
    let fields = Self.fields(line)
    guard fields.count >= 3, let interval = fields[1].number, interval >= 1, interval < 65_535,
      let since = fields[2].number, since < 1e11
    else { throw FileDamage("line \(number)", "it is no interval with its time") }
    if start == nil {
      // `2026-03-11 09:57:38 +0000`
      let text = String(decoding: fields[0], as: UTF8.self)
      guard let date = Timestamp(iso8601: text.replacing(" +", with: "+").replacing(" -", with: "-")) else {
        throw FileDamage("line \(number)", "its date has no time zone, or is none")
      }
      start = date.advanced(byMicroseconds: Int64(-since * 1000))
      elements.append(.recording)
    }
    guard let start else { return }
    elements.append(
      .placedInterval(UInt32(interval.rounded()), start.advanced(byMicroseconds: Int64((since * 1000).rounded()))))
  }

  private static func fields(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { field in
      var field = field
      while field.first == 0x20 { field = field.dropFirst() }
      while field.last == 0x20 { field = field.dropLast() }
      return field
    }
  }
}
