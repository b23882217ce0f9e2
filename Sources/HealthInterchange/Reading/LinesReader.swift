/// A format whose lines can be read one by one.
protocol LinesReader: RecordingReader {
  var lines: LineSplitter { get set }

  /// Reads one whole line, without its end.
  mutating func take(
    _ line: ArraySlice<UInt8>, _ number: Int, into elements: inout [ForeignElement]
  ) throws(FileDamage)
}

extension LinesReader {
  package mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    try split(bytes, isLast: false, into: &elements)
  }

  package mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage) {
    try split([], isLast: true, into: &elements)
  }

  mutating func split(
    _ bytes: [UInt8], isLast: Bool, into elements: inout [ForeignElement]
  ) throws(FileDamage) {
    var lines = lines
    defer { self.lines = lines }
    try lines.split(bytes, isLast: isLast) { (line, number) throws(FileDamage) in
      try take(line, number, into: &elements)
    }
  }
}

/// Takes lines from bytes in pieces.
struct LineSplitter {
  private var rest: [UInt8] = []
  /// The number of lines so far.
  private(set) var count = 0

  /// No line of a known format is longer.
  static let longest = 4096

  /// Calls `body` with each whole line, without its end.
  mutating func split(
    _ bytes: [UInt8], isLast: Bool, _ body: (ArraySlice<UInt8>, _ number: Int) throws(FileDamage) -> Void
  ) throws(FileDamage) {
    rest += bytes
    var start = rest.startIndex
    while let end = rest[start...].firstIndex(of: 0x0A) {
      count += 1
      try body(Self.trimmed(rest[start..<end]), count)
      start = end + 1
    }
    rest.removeFirst(start)
    if isLast, !rest.isEmpty {
      count += 1
      let line = Self.trimmed(rest[...])
      rest = []
      try body(line, count)
    }
    guard rest.count <= Self.longest else { throw FileDamage("line \(count + 1)", "it is longer than a line can be") }
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line
    // A byte order mark, blanks, carriage returns.
    if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    while let last = line.last, last == 0x0D || last == 0x20 || last == 0x09 { line = line.dropLast() }
    while let first = line.first, first == 0x20 || first == 0x09 { line = line.dropFirst() }
    return line
  }
}

extension ArraySlice<UInt8> {
  /// The decimal number in ASCII, with or without a fraction; nil for anything else, also for a number of another form: signs, exponents.
  var number: Double? {
    guard !isEmpty, count <= 20,
      allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2E }), first != 0x2E
    else { return nil }
    return Double(String(decoding: self, as: UTF8.self))
  }
}
