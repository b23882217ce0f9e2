import HealthModel

extension LocationChunk {
  /// The packed form of at least one location.
  func encode() -> [UInt8] {
    let times = locations.map(\.time.microseconds)
    let unit = Self.units.lastIndex { unit in times.allSatisfy { $0 % unit == 0 } } ?? 0
    var columns = [Column(times.map { $0 / Self.units[unit] }, scale: unit)]
    columns += Self.needed.map { property in Column(locations.map { $0[keyPath: property] }, of: locations.count) }
    var stretches: [(column: Int, isPresent: [Bool])] = []
    for property in Self.optional {
      let isPresent = locations.map { $0[keyPath: property] != nil }
      columns.append(Column(locations.compactMap { $0[keyPath: property] }, of: locations.count))
      if columns[columns.count - 1].form.presence == .some { stretches.append((columns.count - 1, isPresent)) }
    }
    var head = ByteWriter()
    for _ in 0..<4 { head.put(0) }
    head.put(Self.layout)
    head.putVarint(UInt64(locations.count))
    for column in columns { column.form.write(to: &head) }
    var writer = BitWriter(after: head.bytes, capacity: 80 * locations.count)
    for (place, column) in columns.enumerated() {
      if let first = stretches.first, first.column == place {
        Self.encode(first.isPresent, into: &writer)
        stretches.removeFirst()
      }
      column.encode(into: &writer)
    }
    return ChunkSeal.seal(writer.finish())
  }

  /// The values of a column: integers of its scale, or numbers as bit patterns.
  private struct Column {
    var form: Form
    private var numbers: [Int64] = []
    private var patterns: [UInt64] = []

    init(_ numbers: [Int64], scale: Int) {
      form = Form(scale: scale)
      set(numbers)
    }

    /// Of `count` locations these have a value.
    init(_ values: [Double], of count: Int) {
      let scale = QuantityChunk.decimalScale(of: values, in: LocationChunk.scales)
      form = Form(scale: scale, presence: values.isEmpty ? .none : values.count == count ? .all : .some)
      if let scale {
        set(values.map { QuantityChunk.scaled($0, by: LocationChunk.scales[scale]) })
      } else {
        patterns = values.map(\.bitPattern)
      }
    }

    private mutating func set(_ numbers: [Int64]) {
      form.halves = NumberColumn.cheapestHalves(for: numbers)
      form.first = numbers.first
      self.numbers = numbers
    }

    func encode(into writer: inout BitWriter) {
      if let first = form.first {
        var column = NumberColumn(halves: form.halves, first: first)
        for number in numbers.dropFirst() { column.encode(number, into: &writer) }
      }
      var last: UInt64 = 0
      for pattern in patterns {
        writer.putDifference(pattern ^ last)
        last = pattern
      }
    }
  }

  /// Stretches of locations with and without a value, in turn: whether the first has one, and the length of each less one.
  private static func encode(_ isPresent: [Bool], into writer: inout BitWriter) {
    writer.put(isPresent[0] ? 1 : 0, bits: 1)
    var lengths = AdaptiveRice(mean: 64)
    var start = 0
    while start < isPresent.count {
      let end = isPresent[start...].firstIndex { $0 != isPresent[start] } ?? isPresent.count
      lengths.encode(UInt64(end - start - 1), into: &writer)
      start = end
    }
  }
}
