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
