import FoundationEssentials
import HealthModel

extension StoreFile {
  /// The rates of a session in the order of their arrival.
  func rates(of session: UUID) throws(StoreError) -> [HeartRateValue] {
    try connection.snapshot { () throws(StoreError) in
      guard let sample = try sample(.heartRate, of: session) else { return [] }
      var rates: [HeartRateValue] = []
      rates.reserveCapacity(sample.count)
      try forEachChunk(of: sample, session: session) { (bytes) throws(ChunkError) in
        try Self.append(QuantityChunk(decoding: bytes), to: &rates)
      }
      guard rates.count == sample.count else { throw corrupt(session) }
      return rates
    }
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
      var beats: [Heartbeat] = []
      beats.reserveCapacity(sample.count)
      try forEachChunk(of: sample, session: session) { (bytes) throws(ChunkError) in
        beats.append(contentsOf: try HeartbeatChunk.decode(bytes))
      }
      let runs = try runs(of: sample)
      do {
        return try HeartbeatSeries(timescale: sample.timescale, runs: runs, beats: beats)
      } catch {
        throw corrupt(session)
      }
    }
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
  }

  /// The sample of that type in a session; nil where the session has none.
  private func sample(_ type: SeriesType, of session: UUID) throws(StoreError) -> SampleRow? {
    var statement = try connection.prepare(
      """
      SELECT id, count, timescale FROM sample
      WHERE session = ?1 AND type = (SELECT id FROM type WHERE identifier = ?2)
      """)
    try statement.bind(try existingRow(of: session), at: 1)
    try statement.bind(type.rawValue, at: 2)
    guard try statement.step() else { return nil }
    return SampleRow(
      id: statement.integer(0), count: Int(clamping: max(0, statement.integer(1))),
      timescale: Int32(clamping: statement.integer(2)))
  }

  private func forEachChunk(
    of sample: SampleRow, session: UUID, _ body: ([UInt8]) throws(ChunkError) -> Void
  ) throws(StoreError) {
    let rows = Self.chunkRows(of: sample.id)
    var statement = try connection.prepare("SELECT payload FROM chunk WHERE id BETWEEN ?1 AND ?2 ORDER BY id")
    try statement.bind(rows.first, at: 1)
    try statement.bind(rows.last, at: 2)
    while try statement.step() {
      do { try body(statement.bytes(0)) } catch { throw corrupt(session) }
    }
  }

  private func corrupt(_ session: UUID) -> StoreError {
    let name = session.uuidString.lowercased()
    return StoreError(
      .corrupt(object: "session \(name)"), "what \(path) holds of session \(name) is damaged; the rest is readable")
  }
}
