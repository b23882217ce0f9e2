internal import HealthModel

/// Annotations of WFDB, in MIT's form, with their header.
///
/// The header says how long a tick is, and only in it stands when the record began: so it is read first, then a zero byte, which no header
/// has, then the annotations.
package struct WFDBReader: RecordingReader {
  package static let format = ForeignFormat.wfdb

  package static func recognizes(_ beginning: [UInt8]) -> Bool { WFDBHeader.begins(beginning) }

  package private(set) var account = ReadingAccount()
  /// Nil once the header is read.
  private var header: [UInt8]? = []
  private var buffer: [UInt8] = []
  private var position = 0
  /// The bytes of the annotations before the buffer.
  private var offset = 0
  private var isOver = false
  private var contents = WFDBContents()

  package init() {}

  package mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    var bytes = bytes[...]
    if var header {
      let end = bytes.firstIndex(of: 0)
      header += bytes[..<(end ?? bytes.endIndex)]
      guard header.count <= WFDBHeader.longest else { throw FileDamage("line 1", "it is longer than a header can be") }
      self.header = header
      guard let end else { return }
      try begin(header, into: &elements)
      bytes = bytes[(end + 1)...]
    }
    buffer.removeFirst(position)
    offset += position
    position = 0
    buffer += bytes
    while try step(into: &elements) {}
  }

  package mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage) {
    if let header {
      try begin(header, into: &elements)
      throw damage("there are no annotations")
    }
    contents.finish(&account, into: &elements)
    guard isOver else { throw damage("the annotations end before their end mark") }
  }

  private func damage(_ problem: String) -> FileDamage {
    FileDamage("byte \(offset + position) of the annotations", problem)
  }

  private mutating func begin(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    header = nil
    let header = try WFDBHeader(bytes)
    if header.signals > 0 { account.leave(out: "signal", header.signals) }
    contents.begin(header, into: &elements)
  }

  /// Takes the next thing from the buffer; false where it is not whole yet.
  private mutating func step(into elements: inout [ForeignElement]) throws(FileDamage) -> Bool {
    guard !isOver, let word = self.word(at: 0) else { return false }
    let (code, value) = (UInt8(word >> 10), word & 0x3FF)
    switch code {
    case WFDBCodes.skip:
      guard let high = self.word(at: 2), let low = self.word(at: 4) else { return false }
      contents.skip(Int32(bitPattern: UInt32(high) << 16 | UInt32(low)))
      position += 6
    case WFDBCodes.auxiliary:
      let length = Int(value)
      guard buffer.count - position >= 2 + length + length % 2 else { return false }
      contents.add(buffer[(position + 2)..<(position + 2 + length)])
      position += 2 + length + length % 2
    case WFDBCodes.subtype:
      contents.add(subtype: Int8(truncatingIfNeeded: value))
      position += 2
    case WFDBCodes.number, WFDBCodes.channel: position += 2
    case 0 where value == 0:
      isOver = true
      position += 2
    default:
      try take(code, after: Int64(value), into: &elements)
      position += 2
    }
    return true
  }

  private mutating func take(
    _ code: UInt8, after ticks: Int64, into elements: inout [ForeignElement]
  ) throws(FileDamage) {
    guard let problem = contents.take(code, after: ticks, &account, into: &elements) else { return }
    throw damage(problem)
  }

  private func word(at place: Int) -> UInt16? {
    let place = position + place
    guard place + 1 < buffer.count else { return nil }
    return UInt16(buffer[place]) | UInt16(buffer[place + 1]) << 8
  }
}
