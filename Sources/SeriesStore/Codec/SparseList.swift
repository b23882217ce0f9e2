/// The few members of a long list that have a value: their indices, ascending, and the values.
///
/// Indices are stored as changes of their distance, so that every tenth costs one bit; values in a Rice stream of their
/// own.
struct SparseList {
  private var indices = AdaptiveRice(mean: 64)
  private var values = AdaptiveRice(mean: 4)
  private var last = -1
  private var distance = 0

  mutating func encode(_ index: Int, into writer: inout BitWriter) {
    let step = index - last
    indices.encode(ZigZag.encode(Int64(step - distance)), into: &writer)
    distance = step
    last = index
  }

  mutating func encode(_ index: Int, value: UInt64, into writer: inout BitWriter) {
    encode(index, into: &writer)
    values.encode(value, into: &writer)
  }

  /// The number of bits that a member would take now; updates the state as writing it would.
  mutating func cost(_ index: Int, value: UInt64) -> Int {
    let step = index - last
    defer { (distance, last) = (step, index) }
    return indices.cost(ZigZag.encode(Int64(step - distance))) + values.cost(value)
  }

  /// Decodes the next index, which is greater than the last and smaller than `count`.
  mutating func decodeIndex(below count: Int, from reader: inout BitReader) throws(ChunkError) -> Int {
    let change = ZigZag.decode(try indices.decode(from: &reader))
    let (step, overflow) = Int64(distance).addingReportingOverflow(change)
    guard !overflow, step > 0, step < Int64(count) - Int64(last) else { throw .invalid(field: "index") }
    distance = Int(step)
    last += distance
    return last
  }

  mutating func decodeValue(from reader: inout BitReader) throws(ChunkError) -> UInt64 {
    try values.decode(from: &reader)
  }
}
