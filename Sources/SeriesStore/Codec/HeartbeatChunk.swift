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
  /// Whether it has a gap, flags or an offset.
  fileprivate var isNotable: Bool { precededByGap || !flags.isEmpty || offsetMicroseconds != 0 }
}
