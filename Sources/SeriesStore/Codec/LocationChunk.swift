import HealthModel

/// A part of a workout's route, packed into one blob: a column for each property of its locations.
///
/// Layout (Documentation/store-format.md, "Location chunk"): CRC-32C of the rest, little endian; layout byte; the count as a
/// variable-length integer; for each column a byte that says its form, and its first number; then the columns one after the
/// other, as bits.
struct LocationChunk: Hashable {
  /// The first byte after the checksum.
  static let layout: UInt8 = 0x41
  /// The most locations in one chunk: about an hour of one a second.
  static let capacity = 4096

  var locations: ArraySlice<RouteLocation>

  init(_ locations: ArraySlice<RouteLocation>) {
    self.locations = locations
  }

  /// The form of a column, in one byte: the decimal scale, or that the values are bit patterns; the halves of the
  /// prediction (``NumberColumn/halves``); and which locations have a value.
  struct Form: Hashable {
    enum Presence: UInt8 { case none, all, some }

    /// The number of decimals, 0 to 9; for times the number of zeros at the end of the microseconds; nil for bit
    /// patterns.
    var scale: Int?
    var halves: UInt8 = 0
    var presence = Presence.all
    /// The first number of a column that has numbers; nil for bit patterns.
    var first: Int64?

    private static let patterns: UInt8 = 15

    init(scale: Int?, presence: Presence = .all) {
      self.scale = scale
      self.presence = presence
    }

    /// Reads the form of a column with a scale below `scales`.
    init(from head: inout ByteReader, below scales: Int) throws(ChunkError) {
      let byte = try head.read()
      let scale = byte & 15
      guard scale < scales || scale == Self.patterns else { throw .invalid(field: "scale") }
      self.scale = scale == Self.patterns ? nil : Int(scale)
      halves = byte >> 4 & 3
      guard halves <= NumberColumn.mostHalves else { throw .invalid(field: "prediction") }
      guard let presence = Presence(rawValue: byte >> 6) else { throw .invalid(field: "presence") }
      self.presence = presence
      if presence != .none, self.scale != nil { first = try head.readSigned() }
    }

    func write(to head: inout ByteWriter) {
      head.put((scale.map { UInt8($0) } ?? Self.patterns) | halves << 4 | presence.rawValue << 6)
      if let first { head.putSigned(first) }
    }
  }

  /// The properties of a location that it may lack, in the order of their columns.
  static let optional: [any WritableKeyPath<RouteLocation, Double?> & Sendable] = [
    \.altitude, \.horizontalAccuracy, \.verticalAccuracy, \.speed, \.course,
  ]
  /// The properties that every location has, in the order of their columns.
  static let needed: [any WritableKeyPath<RouteLocation, Double> & Sendable] = [\.latitude, \.longitude]

  /// The decimal scales tried for values, powers of ten. The ninth decimal of a degree is a tenth of a millimetre.
  static let scales: [Double] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  ]
  /// The divisors of times: up to whole seconds.
  static let units: [Int64] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
}

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

    /// The column of `values`, which some of `count` locations have.
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

  /// Encodes stretches of locations with and without a value, in turn: whether the first location has a value, then the
  /// length of each stretch less one.
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

extension LocationChunk {
  /// Decodes the locations in `bytes`, which are in order of time and in their ranges; never traps, whatever the bytes are.
  static func decode(_ bytes: [UInt8]) throws(ChunkError) -> [RouteLocation] {
    var head = try ChunkSeal.open(bytes, layout: layout)
    let count = try head.readCount()
    guard count > 0 else { throw .invalid(field: "count") }
    let times = try Form(from: &head, below: units.count)
    var forms: [Form] = []
    for _ in 0..<needed.count + optional.count { forms.append(try Form(from: &head, below: scales.count)) }
    guard ([times] + forms.prefix(needed.count)).allSatisfy({ $0.presence == .all }) else {
      throw .invalid(field: "presence")
    }
    var reader = BitReader(bytes, from: head.position)
    var locations = try decodeTimes(count, times, from: &reader)
    for (property, form) in zip(needed, forms) {
      let values = try decode(count, form, from: &reader)
      for (index, value) in values.enumerated() { locations[index][keyPath: property] = value }
    }
    for (property, form) in zip(optional, forms.dropFirst(needed.count)) where form.presence != .none {
      let places = form.presence == .all ? Array(0..<count) : try decodePlaces(below: count, from: &reader)
      let values = try decode(places.count, form, from: &reader)
      for (place, value) in zip(places, values) { locations[place][keyPath: property] = value }
    }
    do throws(WorkoutRouteError) {
      for location in locations { try location.validate() }
    } catch {
      throw .invalid(field: "location")
    }
    return locations
  }

  private static func decodeTimes(
    _ count: Int, _ form: Form, from reader: inout BitReader
  ) throws(ChunkError) -> [RouteLocation] {
    guard let scale = form.scale, let first = form.first else { throw .invalid(field: "scale") }
    var column = NumberColumn(halves: form.halves, first: first)
    var locations: [RouteLocation] = []
    locations.reserveCapacity(count)
    var last = Int64.min
    for index in 0..<count {
      let number = index == 0 ? first : try column.decode(from: &reader)
      let (time, overflow) = number.multipliedReportingOverflow(by: units[scale])
      guard !overflow, time >= last else { throw .invalid(field: "time") }
      locations.append(RouteLocation(at: Timestamp(microseconds: time), latitude: 0, longitude: 0))
      last = time
    }
    return locations
  }

  /// The places of the locations that have a value.
  private static func decodePlaces(below count: Int, from reader: inout BitReader) throws(ChunkError) -> [Int] {
    var isPresent = try reader.read(1) == 1
    var lengths = AdaptiveRice(mean: 64)
    var places: [Int] = []
    var start = 0
    while start < count {
      let length = try lengths.decode(from: &reader)
      guard length < UInt64(count - start) else { throw .invalid(field: "stretch") }
      let end = start + Int(length) + 1
      if isPresent { places += start..<end }
      isPresent.toggle()
      start = end
    }
    return places
  }

  private static func decode(
    _ count: Int, _ form: Form, from reader: inout BitReader
  ) throws(ChunkError) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(count)
    if let scale = form.scale, let first = form.first {
      var column = NumberColumn(halves: form.halves, first: first)
      for index in 0..<count {
        let number = index == 0 ? first : try column.decode(from: &reader)
        values.append(Double(number) / scales[scale])
      }
    } else {
      var pattern: UInt64 = 0
      for _ in 0..<count {
        pattern ^= try reader.readDifference()
        values.append(Double(bitPattern: pattern))
      }
    }
    return values
  }
}

/// A column of integers that change slowly. Each but the first, which is stored elsewhere, is predicted from the two
/// before it, and the difference from the prediction is stored.
struct NumberColumn {
  /// The part of the last change by which the next number is expected to change, in halves: 2 for a way at even speed,
  /// 0 for a value that wanders about a mean.
  let halves: UInt8
  private var rice = AdaptiveRice(mean: 32)
  private var last: Int64
  private var change: Int64 = 0

  static let mostHalves: UInt8 = 2

  init(halves: UInt8, first: Int64) {
    self.halves = halves
    last = first
  }

  /// The halves by which these numbers take the fewest bits.
  static func cheapestHalves(for numbers: [Int64]) -> UInt8 {
    guard let first = numbers.first else { return 0 }
    var best: (bits: Int, halves: UInt8)?
    for halves in 0...mostHalves {
      var trial = NumberColumn(halves: halves, first: first)
      var bits = 0
      for number in numbers.dropFirst() { bits &+= trial.cost(of: number) }
      if best.map({ bits < $0.bits }) ?? true { best = (bits, halves) }
    }
    return best?.halves ?? 0
  }

  /// The expected next number. All arithmetic wraps, so that no input can trap.
  private var prediction: Int64 { last &+ ((change &* Int64(halves)) >> 1) }

  private mutating func advance(to number: Int64) {
    change = number &- last
    last = number
  }

  private mutating func cost(of number: Int64) -> Int {
    let bits = rice.cost(ZigZag.encode(number &- prediction))
    advance(to: number)
    return bits
  }

  mutating func encode(_ number: Int64, into writer: inout BitWriter) {
    rice.encode(ZigZag.encode(number &- prediction), into: &writer)
    advance(to: number)
  }

  mutating func decode(from reader: inout BitReader) throws(ChunkError) -> Int64 {
    let number = prediction &+ ZigZag.decode(try rice.decode(from: &reader))
    advance(to: number)
    return number
  }
}
