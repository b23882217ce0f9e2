import FoundationEssentials
package import Support

/// The reason why bytes are not an answer.
package enum AnswerError: Error {
  /// The line that ends every answer has not come.
  case cutOff
  /// A line is not one of the answer's kind.
  case unreadable
}

/// Writes an answer as lines, part by part, so that an answer of any length needs the memory of a part.
package protocol AnswerWriter {
  /// Appends the lines of the next `count` values.
  ///
  /// - Returns: Whether there may be more.
  mutating func append(_ count: Int, to bytes: inout [UInt8]) -> Bool
}

/// Reads an answer from its lines.
package protocol AnswerReader {
  associatedtype Answer

  /// Reads some whole lines.
  mutating func read(_ lines: ArraySlice<UInt8>) throws(AnswerError)

  /// The answer after its last line.
  consuming func finish() throws(AnswerError) -> Answer
}

/// One line of an answer, as written and as read: a JSON object for each value. Keys of a later version are ignored.
///
/// A conforming structure has the members of a line that was read. Those without which there is no value are not optional, so that
/// the line that ends an answer is none of these.
package protocol AnswerLine: Decodable {
  /// The value of a line.
  associatedtype Value
  /// The answer that the lines are together.
  associatedtype Answer = [Value]

  /// The line of a value.
  static func json(_ value: Value) -> JSONValue

  /// The value of the line.
  func read() throws(AnswerError) -> Value

  /// The values of an answer, in the order of the lines.
  static func values(of answer: Answer) -> [Value]

  /// The answer that has these values.
  static func answer(_ values: [Value]) throws(AnswerError) -> Answer
}

extension AnswerLine {
  /// Appends the lines of values.
  package static func append(_ values: some Sequence<Value>, to bytes: inout [UInt8]) {
    for value in values { json(value).appendLine(to: &bytes) }
  }
}

extension AnswerLine where Answer == [Value] {
  package static func values(of answer: [Value]) -> [Value] { answer }
  package static func answer(_ values: [Value]) -> [Value] { values }
}

/// The line that ends every answer but that of changes, whose anchor ends it: without this line an answer was cut off.
package struct LastLine: Decodable {
  private var complete: Bool

  /// Appends the line.
  package static func append(to bytes: inout [UInt8]) {
    JSONValue.object([.init("complete", .bool(true))]).appendLine(to: &bytes)
  }

  /// Throws unless the line is the last.
  static func check(_ line: ArraySlice<UInt8>) throws(AnswerError) {
    let last: LastLine = try JSONLine.decode(line)
    guard last.complete else { throw .unreadable }
  }
}

/// Writes the values of an answer that is in memory.
package struct LineWriter<Line: AnswerLine>: AnswerWriter {
  private var rest: ArraySlice<Line.Value>

  package init(_ answer: Line.Answer, as line: Line.Type = Line.self) {
    rest = Line.values(of: answer)[...]
  }

  package mutating func append(_ count: Int, to bytes: inout [UInt8]) -> Bool {
    Line.append(rest.prefix(count), to: &bytes)
    rest = rest.dropFirst(count)
    return !rest.isEmpty
  }
}

/// Reads an answer whose lines are of one kind.
package struct LineReader<Line: AnswerLine>: AnswerReader {
  private var values: [Line.Value] = []
  private var isComplete = false

  package init(_ line: Line.Type = Line.self) {}

  package mutating func read(_ lines: ArraySlice<UInt8>) throws(AnswerError) {
    for bytes in JSONLine.split(lines) {
      if let line: Line = try? JSONLine.decode(bytes) {
        values.append(try line.read())
      } else {
        try LastLine.check(bytes)
        isComplete = true
      }
    }
  }

  package consuming func finish() throws(AnswerError) -> Line.Answer {
    guard isComplete else { throw .cutOff }
    return try Line.answer(values)
  }
}

/// A line as a JSON document.
enum JSONLine {
  static func decode<Line: Decodable>(_ line: some Sequence<UInt8>) throws(AnswerError) -> Line {
    do {
      return try JSONDecoder().decode(Line.self, from: Data(line))
    } catch {
      throw .unreadable
    }
  }

  /// The lines without their ends.
  static func split(_ lines: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    lines.split(separator: UInt8(ascii: "\n"))
  }
}

/// Reads lines of a known shape from bytes, character by character: a hundred times faster than a decoder of any JSON, which answers of
/// hundreds of thousands of lines need.
struct LineScanner {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  /// Goes on behind `text` if that comes next.
  mutating func skip(_ text: [UInt8]) -> Bool {
    guard bytes.endIndex - position >= text.count else { return false }
    var place = position
    for byte in text {
      guard bytes[place] == byte else { return false }
      place += 1
    }
    position = place
    return true
  }

  /// An integer without a point or an exponent, and goes on behind it; nil, and stays, for anything else.
  mutating func integer() -> Int64? {
    var place = position
    let isNegative = place < bytes.endIndex && bytes[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let first = place
    var value: Int64 = 0
    while place < bytes.endIndex, case let digit = bytes[place] &- UInt8(ascii: "0"), digit < 10 {
      // Up to 18 digits cannot overflow.
      guard place - first < 18 else { return nil }
      value = value &* 10 &+ Int64(digit)
      place += 1
    }
    guard place > first else { return nil }
    position = place
    return isNegative ? -value : value
  }

  /// A number, and goes on behind it; nil, and stays, for anything else.
  mutating func number() -> Double? {
    let start = position
    if let whole = integer(), !isPartOfNumber(position) { return Double(whole) }
    var place = start
    while isPartOfNumber(place) { place += 1 }
    guard let value = Double(String(decoding: bytes[start..<place], as: UTF8.self)), value.isFinite else {
      position = start
      return nil
    }
    position = place
    return value
  }

  private func isPartOfNumber(_ place: Int) -> Bool {
    guard place < bytes.endIndex else { return false }
    return switch bytes[place] {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// Returns the bytes up to the next `end`, which is not skipped, or else all that follow.
  mutating func upTo(_ end: Unicode.Scalar) -> ArraySlice<UInt8> {
    let start = position
    let code = UInt8(ascii: end)
    while position < bytes.endIndex, bytes[position] != code { position += 1 }
    return bytes[start..<position]
  }

  /// Goes back to where something began.
  mutating func goBack(to place: Int) {
    position = place
  }
}
