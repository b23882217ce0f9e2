/// A stream of small non-negative integers in Rice code, whose parameter follows the mean of the previous values.
///
/// Rice code gets within 3 to 5 % of the entropy of RR series (after ``BeatPredictor``) in one pass, at about a hundred
/// million values a second, and is smaller than zstd. Reader and writer keep the same state, so no parameter is stored.
struct AdaptiveRice {
  /// Sixteen times the running mean, with a time constant of 16 values.
  private var sum: UInt64

  /// A stream with an expected mean of its values.
  init(mean: UInt64) {
    sum = mean << 4
  }

  /// The number of zeros that are an escape: six bits with the width minus one follow, then the value.
  private static let escape = 20
  /// Outliers count as at most this much, so that one does not make the following dozens longer.
  private static let ceiling: UInt64 = 1 << 30

  /// `⌈log₂(0.69 · mean)⌉`, the parameter that suits a geometric distribution.
  private var parameter: Int {
    let scaled = (sum &* 11) &>> 8
    return scaled <= 1 ? 0 : 64 &- (scaled &- 1).leadingZeroBitCount
  }

  @inline(__always)
  private mutating func adapt(to value: UInt64) {
    sum = sum &+ min(value, Self.ceiling) &- (sum &>> 4)
  }

  @inline(__always)
  mutating func encode(_ value: UInt64, into writer: inout BitWriter) {
    let parameter = parameter
    let quotient = value &>> UInt64(truncatingIfNeeded: parameter)
    if quotient < Self.escape {
      let one: UInt64 = 1 &<< UInt64(truncatingIfNeeded: parameter)
      writer.put(one | (value & (one &- 1)), bits: Int(truncatingIfNeeded: quotient) &+ 1 &+ parameter)
    } else {
      Self.encodeOutlier(value, into: &writer)
    }
    adapt(to: value)
  }

  private static func encodeOutlier(_ value: UInt64, into writer: inout BitWriter) {
    let width = 64 - value.leadingZeroBitCount
    writer.put(0, bits: escape)
    writer.put(UInt64(width - 1), bits: 6)
    if width > 32 {
      writer.put(value >> 32, bits: width - 32)
      writer.put(value & 0xFFFF_FFFF, bits: 32)
    } else {
      writer.put(value, bits: width)
    }
  }

  @inline(__always)
  mutating func decode(from reader: inout BitReader) throws(ChunkError) -> UInt64 {
    reader.refill()
    return try decodeNext(from: &reader)
  }

  /// Decodes a value without refilling the window, for a second value just after another, whose bits are mostly in the
  /// window.
  @inline(__always)
  mutating func decodeNext(from reader: inout BitReader) throws(ChunkError) -> UInt64 {
    let parameter = parameter
    let value: UInt64
    if let near = reader.readRice(limit: Self.escape, bits: parameter) {
      value = near
    } else {
      // The copy is for the out-of-line call, so that the reader itself can stay in registers.
      var outside = reader
      value = try Self.decodeOutlier(parameter, from: &outside)
      reader = outside
    }
    adapt(to: value)
    return value
  }

  /// Decodes a value after an escape, at the end of the bytes, or beyond the window.
  private static func decodeOutlier(_ parameter: Int, from reader: inout BitReader) throws(ChunkError) -> UInt64 {
    let quotient = try reader.readZeros(limit: escape)
    guard quotient == escape else { return UInt64(quotient) << UInt64(parameter) | (try reader.read(parameter)) }
    let width = Int(try reader.read(6)) + 1
    guard width > 32 else { return try reader.read(width) }
    let high = try reader.read(width - 32)
    return high << 32 | (try reader.read(32))
  }

  /// The number of bits that `value` would take now; updates the state as writing it would.
  mutating func cost(_ value: UInt64) -> Int {
    let parameter = parameter
    let quotient = value &>> UInt64(truncatingIfNeeded: parameter)
    adapt(to: value)
    return quotient < Self.escape
      ? Int(quotient) + 1 + parameter : Self.escape + 6 + (64 - value.leadingZeroBitCount)
  }
}

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
