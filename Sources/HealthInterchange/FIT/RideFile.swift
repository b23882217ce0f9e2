internal import HealthModel

/// The messages of one whole FIT file, where they are, and what of them matters for what is added.
struct RideFile {
  struct Message {
    var local: UInt8
    var range: Range<Int>
    /// The definition of the message's layout; nil for a definition.
    var definition: FITDefinition?
    /// The time of a record in seconds since 1970.
    var second: Int64?
  }

  let start: Int
  let headerLength: Int
  /// Behind its checksum.
  let end: Int
  private(set) var messages: [Message] = []
  private(set) var hasIntervals = false
  private var used: Set<UInt8> = []

  /// Twelve days of a record each second.
  private static let mostMessages = 1 << 20

  /// A local type that is defined nowhere in it.
  var unusedLocal: UInt8? { (0...15).reversed().first { !used.contains($0) } }

  /// Finds the messages of the file that begins at `start`.
  init(_ bytes: [UInt8], at start: Int) throws(FileDamage) {
    self.start = start
    let beginning = Array(bytes[start...].prefix(14))
    guard FITReader.recognizes(beginning) else { throw FileDamage("byte \(start)", "here no FIT file begins") }
    headerLength = Int(beginning[0])
    let length = beginning[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard length > 0, length < 0xFFFF_FFFF else {
      throw FileDamage("byte \(start)", "the file was never finished by its device")
    }
    let last = start + headerLength + length
    end = last + 2
    guard end <= bytes.count else {
      throw FileDamage("byte \(bytes.count)", "the file ends here; its header promises \(end - bytes.count) bytes more")
    }
    var checksum = FITChecksum()
    checksum.add(bytes[start..<last])
    guard bytes[last] == UInt8(truncatingIfNeeded: checksum.value), bytes[last + 1] == UInt8(checksum.value >> 8) else {
      throw FileDamage("byte \(last)", "the checksum is wrong")
    }
    try find(in: bytes, from: start + headerLength, to: last)
  }

  private mutating func find(in bytes: [UInt8], from start: Int, to end: Int) throws(FileDamage) {
    var definitions = [FITDefinition?](repeating: nil, count: 16)
    var clock = FITClock()
    var account = ReadingAccount()
    var position = start
    while position < end {
      guard messages.count < Self.mostMessages else {
        throw FileDamage("byte \(position)", "more than \(Self.mostMessages) messages, which no ride has")
      }
      let head = bytes[position]
      let isCompressed = head & 0x80 != 0
      let local = isCompressed ? (head >> 5) & 3 : head & 0x0F
      let rest = bytes[position..<end]
      if !isCompressed, head & 0x40 != 0 {
        guard let definition = FITDefinition(rest) else { throw FileDamage("byte \(position)", "no definition") }
        var length = 6 + 3 * definition.fields.count
        if head & 0x20 != 0 {
          guard length < rest.count else { throw FileDamage("byte \(position)", "a definition that is not whole") }
          length += 1 + 3 * Int(rest[position + length])
        }
        guard length <= rest.count else { throw FileDamage("byte \(position)", "a definition that is not whole") }
        messages.append(Message(local: local, range: position..<position + length))
        definitions[Int(local)] = definition
        used.insert(local)
        position += length
        continue
      }
      guard let definition = definitions[Int(local)] else {
        throw FileDamage("byte \(position)", "a message of the local type \(local), which was not defined")
      }
      guard 1 + definition.length <= rest.count else {
        throw FileDamage("byte \(position)", "a message is longer than what its header has left")
      }
      let fields = FITFields(definition, rest.dropFirst().prefix(definition.length))
      let moment = clock.moment(of: fields, isCompressed ? head & 0x1F : nil, &account)
      hasIntervals = hasIntervals || definition.message == FITProfile.Message.variability
      messages.append(
        Message(
          local: local, range: position..<position + 1 + definition.length, definition: definition,
          second: definition.message == FITProfile.Message.record ? moment?.microseconds.flooredSeconds : nil))
      position += 1 + definition.length
    }
  }
}
