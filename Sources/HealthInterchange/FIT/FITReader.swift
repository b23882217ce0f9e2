package import HealthModel

/// FIT, as devices write it: activities and monitoring, either byte order, compressed times, developer fields, chained files.
package struct FITReader: RecordingReader {
  package static let format = ForeignFormat.fit

  package static func recognizes(_ beginning: [UInt8]) -> Bool {
    beginning.count >= 12 && (beginning[0] == 12 || beginning[0] == 14)
      && Array(beginning[8..<12]) == Array(".FIT".utf8)
  }

  package private(set) var account = ReadingAccount()

  /// The part of the file that comes next.
  private enum State {
    case header
    case messages
    case checksum
  }

  private var state = State.header
  private var buffer: [UInt8] = []
  private var position = 0
  /// The bytes before the buffer.
  private var offset = 0
  private var checksum = FITChecksum()
  /// The remaining bytes of messages; nil where the header has no length, as in a file that was never finished.
  private var left: Int?
  private var definitions = [FITDefinition?](repeating: nil, count: 16)
  private var contents = FITContents()

  package init() {}

  /// The beginning of files whose times count from when a device was switched on.
  private var start: Timestamp?

  package mutating func begin(at start: Timestamp) {
    self.start = start
    contents = FITContents(start: start)
  }

  package mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    buffer.removeFirst(position)
    offset += position
    position = 0
    buffer += bytes
    while try step(into: &elements) {}
  }

  package mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage) {
    contents.report(to: &account)
    let rest = buffer.count - position
    switch state {
    case .header where rest == 0: return
    case .messages where rest == 0 && left == nil: account.note("the file was never finished by its device")
    case .checksum: throw damage("the file ends in its checksum")
    case .messages where left == 0: throw damage("the file ends before its checksum")
    case .header: throw damage("the file ends in a header")
    case .messages:
      throw damage("the file ends here" + (left.map { "; its header promises \($0 - rest) bytes more" } ?? ""))
    }
  }

  private func damage(_ problem: String) -> FileDamage { FileDamage("byte \(offset + position)", problem) }

  /// Takes the next thing from the buffer; false where it is not whole yet.
  private mutating func step(into elements: inout [ForeignElement]) throws(FileDamage) -> Bool {
    switch state {
    case .header: return try takeHeader()
    case .checksum: return takeChecksum()
    case .messages:
      if left == 0 {
        state = .checksum
        return true
      }
      guard let length = try messageLength() else { return false }
      if let left, length > left { throw damage("a message is longer than what its header has left") }
      guard buffer.count - position >= length else { return false }
      let message = buffer[position..<(position + length)]
      try take(message, into: &elements)
      checksum.add(message)
      position += length
      left = left.map { $0 - length }
      return true
    }
  }

  private mutating func takeHeader() throws(FileDamage) -> Bool {
    guard let size = buffer[position...].first.map(Int.init) else { return false }
    guard size == 12 || size == 14 else { throw damage("here no FIT file begins") }
    guard buffer.count - position >= size else { return false }
    let header = Array(buffer[position..<(position + size)])
    guard Self.recognizes(header) else { throw damage("here no FIT file begins") }
    checksum = FITChecksum()
    if size == 14, header[12] != 0 || header[13] != 0 {
      checksum.add(header.prefix(12))
      let stated = UInt16(header[12]) | UInt16(header[13]) << 8
      if stated != checksum.value { account.note("the checksum of the header at byte \(offset + position) is wrong") }
    }
    checksum = FITChecksum()
    checksum.add(header)
    let length = header[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    left = length == 0 || length == 0xFFFF_FFFF ? nil : length
    definitions = [FITDefinition?](repeating: nil, count: 16)
    contents = FITContents(start: start)
    position += size
    state = .messages
    return true
  }

  private mutating func takeChecksum() -> Bool {
    guard buffer.count - position >= 2 else { return false }
    let stated = UInt16(buffer[position]) | UInt16(buffer[position + 1]) << 8
    if stated != checksum.value { account.note("the checksum at byte \(offset + position) is wrong") }
    position += 2
    state = .header
    contents.report(to: &account)
    return true
  }

  /// The length of the next message with its head; nil where that cannot be known yet.
  private func messageLength() throws(FileDamage) -> Int? {
    let rest = buffer[position...]
    guard let head = rest.first else { return nil }
    let isCompressed = head & 0x80 != 0
    if !isCompressed, head & 0x40 != 0 {
      guard rest.count >= 6 else { return nil }
      let length = 6 + 3 * Int(rest[position + 5])
      guard head & 0x20 != 0 else { return length }
      guard rest.count > length else { return nil }
      return length + 1 + 3 * Int(rest[position + length])
    }
    let local = isCompressed ? (head >> 5) & 3 : head & 0x0F
    guard let definition = definitions[Int(local)] else {
      throw damage("a message of the local type \(local), which was not defined")
    }
    return 1 + definition.length
  }

  private mutating func take(_ message: ArraySlice<UInt8>, into elements: inout [ForeignElement]) throws(FileDamage) {
    let head = message[message.startIndex]
    let isCompressed = head & 0x80 != 0
    if !isCompressed, head & 0x40 != 0 {
      guard let definition = FITDefinition(message) else { throw damage("a definition whose byte order is neither") }
      definitions[Int(head & 0x0F)] = definition
      return
    }
    let local = isCompressed ? (head >> 5) & 3 : head & 0x0F
    guard let definition = definitions[Int(local)] else { return }
    let fields = FITFields(definition, message.dropFirst())
    contents.take(fields, compressedTime: isCompressed ? head & 0x1F : nil, &account, into: &elements)
  }
}
