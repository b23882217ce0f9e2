/// Packed values. The chunks of a sample have successive keys and need no index.
struct ChunkTable {
  let connection: Connection

  static let chunks = Table("chunks", ["id INTEGER PRIMARY KEY", "payload BLOB NOT NULL"])
  /// A chunk's number is its sample's number times 2²⁰, plus its position.
  static let shift: Int64 = 20
  private static let mask: Int64 = 1 << shift - 1

  /// The range of numbers for a sample's chunks.
  static func numbers(of sample: Int64) -> (first: Int64, last: Int64) {
    (sample << shift, sample << shift | mask)
  }

  /// Inserts a chunk and returns its number.
  func insert(_ payload: [UInt8], of sample: Int64, ordinal: Int) throws(StoreError) -> Int64 {
    guard ordinal <= Self.mask else { throw StoreError(.invalid, "a series may have a million chunks at most") }
    let id = Self.numbers(of: sample).first + Int64(ordinal)
    try connection.insert([.integer(id), .blob(payload)], into: Self.chunks)
    return id
  }

  /// Calls `body` with a sample's chunks in order. If it cannot decode one, the error is damage of `object`.
  func forEach(of sample: Int64, object: String, _ body: ([UInt8]) throws(ChunkError) -> Void) throws(StoreError) {
    let numbers = Self.numbers(of: sample)
    var statement = try connection.prepare("SELECT payload FROM chunks WHERE id BETWEEN ?1 AND ?2 ORDER BY id")
    try statement.bind(numbers.first, at: 1)
    try statement.bind(numbers.last, at: 2)
    while try statement.step() {
      try connection.checkCancellation()
      do { try body(statement.bytes(0)) } catch { throw connection.corrupt(object) }
    }
  }
}
