internal import Centre
internal import FoundationEssentials

/// Objects as their own rows at the centre name them, in a hundred bytes for each: a gateway has hundreds of thousands.
struct HeldObjects {
  /// An object.
  struct Held {
    private let key: Key
    private let digest: (UInt64, UInt64, UInt64, UInt64)
    let change: Int64
    let syncVersion: Int64
    /// How many rows the store has of it, by the place of the table in ``CentreTable/parts``.
    fileprivate(set) var rows: InlineArray<7, UInt32> = InlineArray(repeating: 0)
    fileprivate var line: UInt32 = 0
    /// Whether the store has it.
    fileprivate(set) var isSeen = false
    /// Whether it is there more than once, as of two persons.
    fileprivate(set) var isDoubled = false

    init(_ id: UUID, digest: [UInt8], change: Int64, syncVersion: Int64) {
      key = Key(id)
      self.digest = Self.words(digest)
      (self.change, self.syncVersion) = (change, syncVersion)
    }

    var id: UUID { key.id }

    fileprivate func isBefore(_ other: Held) -> Bool { key < other.key }
    fileprivate func isBefore(_ other: UUID) -> Bool { key < Key(other) }

    func hasDigest(_ bytes: [UInt8]) -> Bool { digest == Self.words(bytes) }

    private static func words(_ bytes: [UInt8]) -> (UInt64, UInt64, UInt64, UInt64) {
      guard bytes.count == 32 else { return (0, 0, 0, 0) }
      func word(_ first: Int) -> UInt64 { bytes[first..<first + 8].reduce(0) { $0 << 8 | UInt64($1) } }
      return (word(0), word(8), word(16), word(24))
    }
  }

  /// An identifier as two numbers, in the server's order.
  private struct Key: Comparable {
    var high: UInt64
    var low: UInt64

    init(_ id: UUID) {
      let bytes = id.uuid
      func word(_ some: UInt8...) -> UInt64 { some.reduce(0) { $0 << 8 | UInt64($1) } }
      high = word(bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7)
      low = word(bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15)
    }

    var id: UUID {
      func byte(_ word: UInt64, _ place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * place)) }
      return UUID(
        uuid: (
          byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6),
          byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5),
          byte(low, 6), byte(low, 7)
        ))
    }

    static func < (one: Key, other: Key) -> Bool { (one.high, one.low) < (other.high, other.low) }
  }

  private var all: [Held] = []
  /// The places at which tables begin; in each the order is that of the identifiers.
  private var beginnings: [Int] = []
  private var lines: [Line] = []
  private var numbers: [Line: UInt32] = [:]

  mutating func beginTable() { beginnings.append(all.count) }

  /// Adds the next one of a table; false where it is not behind the last one.
  mutating func add(_ held: Held, of line: Line) -> Bool {
    if all.count > beginnings.last ?? 0, let last = all.last, !last.isBefore(held) {
      guard !held.isBefore(last) else { return false }
      all[all.count - 1].isDoubled = true
      return true
    }
    if let other = place(of: held.id) {
      all[other].isDoubled = true
      return true
    }
    let number = numbers[line] ?? UInt32(lines.count)
    if Int(number) == lines.count {
      lines.append(line)
      numbers[line] = number
    }
    all.append(held)
    all[all.count - 1].line = number
    return true
  }

  /// The place of an object in this list.
  func place(of id: UUID) -> Int? {
    for (number, beginning) in beginnings.enumerated() {
      let end = number + 1 < beginnings.count ? beginnings[number + 1] : all.count
      var (low, high) = (beginning, end)
      while low < high {
        let middle = (low + high) / 2
        if all[middle].isBefore(id) { low = middle + 1 } else { high = middle }
      }
      if low < end, all[low].id == id { return low }
    }
    return nil
  }

  subscript(id: UUID) -> Held? { place(of: id).map { all[$0] } }
  subscript(place: Int) -> Held { all[place] }

  /// The line that has brought an object.
  func line(of held: Held) -> Line { lines[Int(held.line)] }

  mutating func see(_ object: CentreObject, at place: Int) {
    all[place].isSeen = true
    for row in object.rows {
      if let table = CentreTable.parts.firstIndex(of: row.table) { all[place].rows[table] &+= 1 }
    }
  }

  var places: Range<Int> { all.indices }
}
