/// Quantities in ascending order of start, packed as they are added.
struct PackedRun: Sendable {
  private var packer: QuantityPacker
  private var chunks: [QuantityPacker.Packed] = []
  private(set) var lastStart: Int64?

  /// `summarises`: see ``QuantityPacker/init(summarises:)``.
  init(summarises: Bool = true) {
    packer = QuantityPacker(summarises: summarises)
  }

  mutating func add(_ item: QuantityPacker.Item) {
    if let chunk = packer.add(item) { chunks.append(chunk) }
    lastStart = item.start
  }

  mutating func finish() -> [QuantityPacker.Packed] {
    if let chunk = packer.finish() { chunks.append(chunk) }
    return chunks
  }

  /// Merges all runs; of equal starts, the quantity of the last run is kept.
  static func merge(_ runs: [PackedRun], summarises: Bool = true) -> PackedRun {
    var cursors = runs.map { run in
      var run = run
      return Cursor(run.finish())
    }
    var merged = PackedRun(summarises: summarises)
    while let start = earliestStart(cursors) {
      var item: QuantityPacker.Item?
      for index in cursors.indices where cursors[index].item?.start == start {
        item = cursors[index].item
        cursors[index].advance()
      }
      if let item { merged.add(item) }
    }
    return merged
  }

  private static func earliestStart(_ cursors: [Cursor]) -> Int64? {
    var earliest: Int64?
    for cursor in cursors {
      if let start = cursor.item?.start, start < earliest ?? .max { earliest = start }
    }
    return earliest
  }

  /// Iterates over packed quantities, unpacking one chunk at a time.
  private struct Cursor {
    private let chunks: [QuantityPacker.Packed]
    private var next = 0
    private var chunk = QuantityChunk()
    private var position = 0
    private(set) var item: QuantityPacker.Item?

    init(_ chunks: [QuantityPacker.Packed]) {
      self.chunks = chunks
      advance()
    }

    mutating func advance() {
      while position >= chunk.times.count {
        guard next < chunks.count, let decoded = try? QuantityChunk(decoding: chunks[next].payload) else {
          item = nil
          return
        }
        chunk = decoded
        position = 0
        next += 1
      }
      let start = chunk.times[position]
      let length = chunk.durations.isEmpty ? 0 : chunk.durations[position]
      item = QuantityPacker.Item(value: chunk.values[position], start: start, end: start &+ length)
      position += 1
    }
  }
}
