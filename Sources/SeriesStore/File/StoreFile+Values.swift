import FoundationEssentials
import HealthModel

extension StoreFile {
  /// The rates of a session in the order of their arrival.
  func rates(of session: UUID) throws(StoreError) -> [HeartRateValue] {
    try connection.snapshot { () throws(StoreError) in
      guard let sample = try sample(.quantity(.heartRate), of: session) else { return [] }
      let object = Self.name(of: session)
      var rates: [HeartRateValue] = []
      rates.reserveCapacity(min(sample.count, 1 << 20))
      if let chunk = try bareItem(of: sample.id).map(QuantityChunk.init) {
        do { try Self.append(chunk, to: &rates) } catch { throw corrupt(object) }
      } else {
        try forEachChunk(of: sample, object: object) { (bytes) throws(ChunkError) in
          try Self.append(QuantityChunk(decoding: bytes), to: &rates)
        }
      }
      guard rates.count == sample.count else { throw corrupt(object) }
      return rates
    }
  }

  /// All quantities of a sample, as if one chunk held them.
  func quantities(of sample: SampleRow, object: String) throws(StoreError) -> QuantityChunk {
    var whole = QuantityChunk()
    if let chunk = try bareItem(of: sample.id).map(QuantityChunk.init) {
      whole = chunk
    } else {
      try forEachChunk(of: sample, object: object) { (bytes) throws(ChunkError) in
        whole.append(try QuantityChunk(decoding: bytes))
      }
    }
    guard whole.times.count == sample.count else { throw corrupt(object) }
    return whole
  }

  /// The only quantity of a sample that has no chunk; nil where the sample has chunks.
  func bareItem(of sample: Int64) throws(StoreError) -> QuantityPacker.Item? {
    var statement = try connection.prepare(
      """
      SELECT most_recent, most_recent_start, most_recent_end FROM sample
      WHERE id = ?1 AND count = 1 AND most_recent IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.id = sample.id << 20)
      """)
    try statement.bind(sample, at: 1)
    guard try statement.step() else { return nil }
    return QuantityPacker.Item(value: statement.real(0), start: statement.integer(1), end: statement.integer(2))
  }

  private static func append(_ chunk: QuantityChunk, to rates: inout [HeartRateValue]) throws(ChunkError) {
    let base = rates.count
    for index in chunk.times.indices {
      guard let beatsPerMinute = UInt16(exactly: chunk.values[index]) else { throw .invalid(field: "rate") }
      let contact = chunk.contacts.isEmpty ? .notSupported : SensorContact(rawValue: chunk.contacts[index])
      guard let contact else { throw .invalid(field: "contact") }
      rates.append(
        HeartRateValue(
          time: Timestamp(microseconds: chunk.times[index]), beatsPerMinute: beatsPerMinute, contact: contact))
    }
    for energy in chunk.energies { rates[base + energy.index].energyKilojoules = energy.kilojoules }
  }

  /// The beats of a session.
  func beats(of session: UUID) throws(StoreError) -> HeartbeatSeries {
    try connection.snapshot { () throws(StoreError) in
      guard let sample = try sample(.heartbeatSeries, of: session) else { return HeartbeatSeries() }
      return try series(of: sample, object: Self.name(of: session))
    }
  }

  func series(of sample: SampleRow, object: String) throws(StoreError) -> HeartbeatSeries {
    var beats: [Heartbeat] = []
    // A damaged count must not become a huge allocation.
    beats.reserveCapacity(min(sample.count, 1 << 20))
    try forEachChunk(of: sample, object: object) { (bytes) throws(ChunkError) in
      beats.append(contentsOf: try HeartbeatChunk.decode(bytes))
    }
    let runs = try runs(of: sample)
    do {
      return try HeartbeatSeries(timescale: sample.timescale, runs: runs, beats: beats, start: sample.start)
    } catch {
      throw corrupt(object)
    }
  }

  static func name(of session: UUID) -> String {
    "session \(session.uuidString.lowercased())"
  }

  private func runs(of sample: SampleRow) throws(StoreError) -> [HeartbeatSeries.Run] {
    var statement = try connection.prepare(
      "SELECT first, count, first_tick, anchor, slope, uncertainty FROM run WHERE sample = ?1 ORDER BY ordinal")
    try statement.bind(sample.id, at: 1)
    var runs: [HeartbeatSeries.Run] = []
    while try statement.step() {
      let first = Int(statement.integer(0))
      let count = Int(statement.integer(1))
      // What no writer wrote becomes an empty run, which the series refuses.
      let isSane = first >= 0 && count > 0 && first <= sample.count && count <= sample.count
      let map = AffineTimeMap(
        anchor: Timestamp(microseconds: statement.integer(3)),
        slopePartsPerBillion: Int32(clamping: statement.integer(4)),
        uncertaintyMicroseconds: statement.integer(5))
      runs.append(
        HeartbeatSeries.Run(
          beats: isSane ? first..<first + count : 0..<0, firstTick: statement.integer(2), map: map))
    }
    return runs
  }

  struct SampleRow {
    var id: Int64
    var count: Int
    var timescale: Int32
    var start: Timestamp
  }

  /// The sample of that type in a session; nil where the session has none.
  private func sample(_ type: SampleType, of session: UUID) throws(StoreError) -> SampleRow? {
    var statement = try connection.prepare(
      """
      SELECT id, count, timescale, start FROM sample
      WHERE session = ?1 AND type IN (SELECT id FROM type WHERE identifier = ?2)
      """)
    try statement.bind(try existingRow(of: session), at: 1)
    try statement.bind(type.identifier, at: 2)
    guard try statement.step() else { return nil }
    return SampleRow(
      id: statement.integer(0), count: Int(clamping: max(0, statement.integer(1))),
      timescale: Int32(clamping: statement.integer(2)), start: Timestamp(microseconds: statement.integer(3)))
  }

  private func forEachChunk(
    of sample: SampleRow, object: String, _ body: ([UInt8]) throws(ChunkError) -> Void
  ) throws(StoreError) {
    let rows = Self.chunkRows(of: sample.id)
    var statement = try connection.prepare("SELECT payload FROM chunk WHERE id BETWEEN ?1 AND ?2 ORDER BY id")
    try statement.bind(rows.first, at: 1)
    try statement.bind(rows.last, at: 2)
    while try statement.step() {
      try checkCancellation()
      do { try body(statement.bytes(0)) } catch { throw corrupt(object) }
    }
  }
}

extension QuantityChunk {
  /// A single quantity.
  init(_ item: QuantityPacker.Item) {
    self.init(times: [item.start], values: [item.value])
    if item.end > item.start { durations = [item.end &- item.start] }
  }

  /// Adds what follows; chunks of one series differ in what anything in them carries.
  mutating func append(_ next: QuantityChunk) {
    let base = times.count
    if !durations.isEmpty || !next.durations.isEmpty {
      if durations.isEmpty { durations = Array(repeating: 0, count: base) }
      durations += next.durations.isEmpty ? Array(repeating: 0, count: next.times.count) : next.durations
    }
    if !contacts.isEmpty || !next.contacts.isEmpty {
      let none = SensorContact.notSupported.rawValue
      if contacts.isEmpty { contacts = Array(repeating: none, count: base) }
      contacts += next.contacts.isEmpty ? Array(repeating: none, count: next.times.count) : next.contacts
    }
    energies += next.energies.map { Energy(index: base + $0.index, kilojoules: $0.kilojoules) }
    times += next.times
    values += next.values
  }
}
