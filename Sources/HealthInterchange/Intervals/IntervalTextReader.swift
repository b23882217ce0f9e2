internal import HealthModel

/// Intervals as text: one a line, in milliseconds; in seconds where the first of them is below ten. It has no time: whoever reads it says
/// when it began.
package struct IntervalTextReader: LinesReader {
  package static let format = ForeignFormat.rr

  package static func recognizes(_ beginning: [UInt8]) -> Bool {
    var lines = LineSplitter()
    var numbers = 0
    var others = 0
    var begins = false
    // The last line may be cut off.
    try? lines.split(beginning, isLast: beginning.count < 256) { (line, _) throws(FileDamage) in
      guard !line.isEmpty, line.first != UInt8(ascii: "#") else { return }
      if numbers + others == 0 { begins = line.number.map { $0 > 0 && $0 < 65_535 } ?? false }
      if line.number == nil { others += 1 } else { numbers += 1 }
    }
    // A line that is no number is damage, which has a place; more of them than numbers are another kind of file.
    return begins && others <= numbers
  }

  package private(set) var account = ReadingAccount()
  var lines = LineSplitter()
  private var isInSeconds: Bool?

  package init() {}

  mutating func take(
    _ line: ArraySlice<UInt8>, _ number: Int, into elements: inout [ForeignElement]
  ) throws(FileDamage) {
    guard !line.isEmpty else { return }
    guard line.first != UInt8(ascii: "#") else { return account.leave(out: "comment") }
    guard let value = line.number else { throw FileDamage("line \(number)", "it is no interval") }
    if isInSeconds == nil { isInSeconds = value < 10 }
    let milliseconds = (isInSeconds ?? false) ? value * 1000 : value
    // Tools write 0 where they removed a beat.
    guard milliseconds >= 1, milliseconds < 65_535 else { return account.leave(out: "interval that is none") }
    elements.append(.interval(UInt32(milliseconds.rounded())))
  }
}
