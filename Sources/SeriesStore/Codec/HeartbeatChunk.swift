import HealthModel

/// A part of a heartbeat series, packed into one blob.
///
/// Layout (Documentation/store-format.md, "Heartbeat chunk"): CRC-32C of the rest, little endian; layout byte; count and
/// the lengths of the three side lists as variable-length integers; then bits: the RR intervals, the gaps, the flags, the
/// offsets. A beat without gap, flags and offset takes only its RR interval.
struct HeartbeatChunk: Hashable {
  /// The first byte after the checksum.
  static let layout: UInt8 = 0x21
  /// The most beats in one chunk: about an hour. Blobs of 3 KB fill pages of 16 KiB better than blobs of 6 KB.
  static let capacity = 4096

  var beats: ArraySlice<Heartbeat>

  init(_ beats: ArraySlice<Heartbeat>) {
    self.beats = beats
  }

  /// The packed form of at least one beat.
  func encode() -> [UInt8] {
    let notable = beats.indices.filter { beats[$0].isNotable }
    var head = ByteWriter()
    for _ in 0..<4 { head.put(0) }
    head.put(Self.layout)
    head.putVarint(UInt64(beats.count))
    head.putVarint(UInt64(notable.count { beats[$0].precededByGap }))
    head.putVarint(UInt64(notable.count { !beats[$0].flags.isEmpty }))
    head.putVarint(UInt64(notable.count { beats[$0].offsetMicroseconds != 0 }))
    var writer = BitWriter(after: head.bytes, capacity: 8 * beats.count)
    encodeIntervals(into: &writer)
    var gaps = SparseList()
    var flags = SparseList()
    var offsets = SparseList()
    let first = beats.startIndex
    for index in notable where beats[index].precededByGap { gaps.encode(index - first, into: &writer) }
    for index in notable where !beats[index].flags.isEmpty {
      flags.encode(index - first, value: UInt64(beats[index].flags.rawValue), into: &writer)
    }
    for index in notable where beats[index].offsetMicroseconds != 0 {
      offsets.encode(index - first, value: ZigZag.encode(Int64(beats[index].offsetMicroseconds)), into: &writer)
    }
    return ChunkSeal.seal(writer.finish())
  }

  private func encodeIntervals(into output: inout BitWriter) {
    var predictor = BeatPredictor()
    var rice = AdaptiveRice(mean: 24)
    var writer = output
    for beat in beats {
      let interval = Int64(beat.rrTicks)
      rice.encode(ZigZag.encode(interval &- predictor.prediction), into: &writer)
      predictor.update(with: interval)
    }
    output = writer
  }

  /// Decodes the beats in `bytes`; never traps, whatever they are.
  static func decode(_ bytes: [UInt8]) throws(ChunkError) -> [Heartbeat] {
    var head = try ChunkSeal.open(bytes, layout: layout)
    let count = try head.readCount()
    let gapCount = try head.readCount()
    let flagCount = try head.readCount()
    let offsetCount = try head.readCount()
    var reader = BitReader(bytes, from: head.position)
    var beats = try decodeIntervals(count, from: &reader)
    var gaps = SparseList()
    for _ in 0..<gapCount {
      beats[try gaps.decodeIndex(below: count, from: &reader)].precededByGap = true
    }
    var flags = SparseList()
    for _ in 0..<flagCount {
      let index = try flags.decodeIndex(below: count, from: &reader)
      guard let value = UInt8(exactly: try flags.decodeValue(from: &reader)) else { throw .invalid(field: "flags") }
      beats[index].flags = Heartbeat.Flags(rawValue: value)
    }
    var offsets = SparseList()
    for _ in 0..<offsetCount {
      let index = try offsets.decodeIndex(below: count, from: &reader)
      let value = ZigZag.decode(try offsets.decodeValue(from: &reader))
      guard let offset = Int32(exactly: value) else { throw .invalid(field: "offset") }
      beats[index].offsetMicroseconds = offset
    }
    return beats
  }

  private static func decodeIntervals(_ count: Int, from reader: inout BitReader) throws(ChunkError) -> [Heartbeat] {
    var beats = Array(repeating: Heartbeat(rrTicks: 0), count: count)
    var column = beats.mutableSpan
    var predictor = BeatPredictor()
    var rice = AdaptiveRice(mean: 24)
    // A local variable, which stays in registers during the loop.
    var bits = reader
    for index in 0..<count {
      let interval = predictor.prediction &+ ZigZag.decode(try rice.decode(from: &bits))
      guard let rrTicks = UInt32(exactly: interval) else { throw .invalid(field: "interval") }
      column[index].rrTicks = rrTicks
      predictor.update(with: interval)
    }
    reader = bits
    return beats
  }
}

extension Heartbeat {
  /// Whether the beat has a gap, flags or an offset.
  fileprivate var isNotable: Bool { precededByGap || !flags.isEmpty || offsetMicroseconds != 0 }
}

/// Predicts the next RR interval from the eight changes before it: a normalised least mean squares filter in integers.
///
/// The filter adapts to a person's breathing. On real strap series it reaches 1.02 to 1.04 times the entropy limit; the
/// plain difference 1.03 to 1.10. All integers wrap or are clamped, so that every machine computes the same and no
/// input can trap.
struct BeatPredictor {
  /// Weights in 1/65536, within ±4.
  private var weights = SIMD8<Int32>(repeating: 0)
  /// The last eight changes, newest first, each clamped.
  private var changes = SIMD8<Int32>(repeating: 0)
  /// The sum of the squares of `changes`.
  private var power: Int32 = 0
  private var last: Int64 = 0
  private var hasLast = false

  /// Changes and errors beyond this many ticks are clamped before they change the weights.
  private static let clamp: Int64 = 300
  private static let weightLimit = SIMD8<Int32>(repeating: 1 << 18)
  /// Added to the power, so that small changes do not lead to large steps of the weights.
  private static let regularisation: Int32 = 512

  /// The change predicted by the weights.
  private var predictedChange: Int32 = 0

  /// The predicted interval; 0 at first.
  @inline(__always)
  var prediction: Int64 {
    hasLast ? last &+ Int64(predictedChange) : 0
  }

  /// Updates the filter with the actual interval.
  @inline(__always)
  mutating func update(with interval: Int64) {
    guard hasLast else {
      last = interval
      hasLast = true
      return
    }
    let change = interval &- last
    let error = Int32(truncatingIfNeeded: max(-Self.clamp, min(Self.clamp, change &- Int64(predictedChange))))
    // A step of 1/32 of the error: 2¹⁵ in units of 2⁻²⁰.
    let gain = (error << 15) / (power &+ Self.regularisation)
    let correction = (SIMD8<Int32>(repeating: gain) &* changes) &>> 4
    weights = (weights &+ correction).clamped(lowerBound: 0 &- Self.weightLimit, upperBound: Self.weightLimit)
    let newest = Int32(truncatingIfNeeded: max(-Self.clamp, min(Self.clamp, change)))
    let oldest = changes[7]
    power = power &+ newest &* newest &- oldest &* oldest
    changes = SIMD8(
      newest, changes[0], changes[1], changes[2], changes[3], changes[4], changes[5], changes[6])
    predictedChange = (weights &* changes).wrappedSum() &>> 16
    last = interval
  }
}
