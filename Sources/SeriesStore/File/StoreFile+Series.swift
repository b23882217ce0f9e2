import FoundationEssentials
import HealthModel

extension StoreFile {
  /// The types that a session's samples have.
  enum SeriesType: String {
    case heartRate
    case heartbeatSeries
    case heartRateVariabilitySDNN

    var unit: String {
      switch self {
      case .heartRate: "count/min"
      case .heartbeatSeries: ""
      case .heartRateVariabilitySDNN: "ms"
      }
    }

    var style: String {
      switch self {
      case .heartRate: "discreteTemporallyWeighted"
      case .heartbeatSeries: "none"
      case .heartRateVariabilitySDNN: "discreteArithmetic"
      }
    }

    /// Which part of a session's identity a sample's identifier is derived with.
    var part: UInt64 {
      switch self {
      case .heartRate: 1
      case .heartbeatSeries: 2
      case .heartRateVariabilitySDNN: 3
      }
    }
  }

  func insertRates(of session: RecordedSession, origin: SampleOrigin) throws(StoreError) {
    guard let first = session.rates.first, let last = session.rates.last else { return }
    var packer = QuantityPacker()
    var chunks: [QuantityPacker.Packed] = []
    for rate in session.rates {
      let time = rate.time.flooredToMilliseconds.microseconds
      let item = QuantityPacker.Item(
        value: Double(rate.beatsPerMinute), start: time, end: time, contact: rate.contact.rawValue,
        kilojoules: rate.energyKilojoules)
      if let chunk = packer.add(item) { chunks.append(chunk) }
    }
    if let chunk = packer.finish() { chunks.append(chunk) }
    let sample = try insertSample(
      .heartRate, of: session, origin: origin, start: first.time.flooredToMilliseconds,
      end: last.time.flooredToMilliseconds, count: session.rates.count,
      summary: SeriesSummary(chunks.lazy.flatMap(\.cells)))
    for (ordinal, chunk) in chunks.enumerated() {
      let id = try insertChunk(chunk.payload, sample: sample, ordinal: ordinal)
      try insertSummary(of: chunk.cells, id: id)
    }
  }

  func insertBeats(of session: RecordedSession, origin: SampleOrigin) throws(StoreError) {
    let series = session.heartbeats
    guard !series.beats.isEmpty else { return }
    var bounds: [(start: Timestamp, end: Timestamp)] = []
    series.forEachBeat { located in
      if located.index == 0 { bounds.append((located.time, located.time)) }
      bounds[bounds.count - 1].end = located.time
    }
    let start = bounds[0].start
    let end = bounds[bounds.count - 1].end
    let sample = try insertSample(
      .heartbeatSeries, of: session, origin: origin, start: start, end: end, count: series.beats.count, summary: nil)
    var beats = series.beats[...]
    var ordinal = 0
    while !beats.isEmpty {
      let chunk = HeartbeatChunk(beats.prefix(HeartbeatChunk.capacity))
      _ = try insertChunk(chunk.encode(), sample: sample, ordinal: ordinal)
      beats = beats.dropFirst(HeartbeatChunk.capacity)
      ordinal += 1
    }
    try insert(series.runs, bounds: bounds, sample: sample)
  }

  private func insert(
    _ runs: [HeartbeatSeries.Run], bounds: [(start: Timestamp, end: Timestamp)], sample: Int64
  ) throws(StoreError) {
    var statement = try connection.prepare(
      """
      INSERT INTO run (sample, ordinal, first, count, first_tick, anchor, slope, uncertainty, start, end)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    for (ordinal, run) in runs.enumerated() {
      try statement.bind(sample, at: 1)
      try statement.bind(Int64(ordinal), at: 2)
      try statement.bind(Int64(run.beats.lowerBound), at: 3)
      try statement.bind(Int64(run.beats.count), at: 4)
      try statement.bind(run.firstTick, at: 5)
      try statement.bind(run.map.anchor.microseconds, at: 6)
      try statement.bind(Int64(run.map.slopePartsPerBillion), at: 7)
      try statement.bind(run.map.uncertaintyMicroseconds, at: 8)
      try statement.bind(bounds[ordinal].start.microseconds, at: 9)
      try statement.bind(bounds[ordinal].end.microseconds, at: 10)
      try statement.run()
    }
  }

  private func insertSample(
    _ type: SeriesType, of session: RecordedSession, origin: SampleOrigin, start: Timestamp, end: Timestamp,
    count: Int, summary: SeriesSummary?
  ) throws(StoreError) -> Int64 {
    let uuid = session.id.derived(part: type.part, version: session.syncVersion)
    let change = try recordChange(of: uuid, object: .sample, deleted: false)
    let typeRow = try identifier(of: type)
    var statement = try connection.prepare(
      """
      INSERT INTO sample (uuid, type, change, session, source, device, start, end, count, sum, minimum, maximum,
        most_recent, most_recent_start, most_recent_end, duration, weighted, timescale, gaps)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
      """)
    try statement.bind(uuid.bytes, at: 1)
    try statement.bind(typeRow, at: 2)
    try statement.bind(change, at: 3)
    try statement.bind(origin.session, at: 4)
    try statement.bind(origin.source, at: 5)
    try statement.bind(origin.device, at: 6)
    try statement.bind(start.microseconds, at: 7)
    try statement.bind(end.microseconds, at: 8)
    try statement.bind(Int64(count), at: 9)
    try statement.bind(summary?.sum, at: 10)
    try statement.bind(summary?.minimum, at: 11)
    try statement.bind(summary?.maximum, at: 12)
    try statement.bind(summary?.last, at: 13)
    try statement.bind(summary?.lastStart, at: 14)
    try statement.bind(summary?.lastEnd, at: 15)
    try statement.bind(summary?.duration, at: 16)
    try statement.bind(summary?.weighted, at: 17)
    let isBeats = type == .heartbeatSeries
    try statement.bind(isBeats ? Int64(session.heartbeats.timescale) : nil, at: 18)
    try statement.bind(isBeats ? Int64(session.heartbeats.gapCount) : nil, at: 19)
    try statement.run()
    return connection.lastInsertedRow
  }

  private func identifier(of type: SeriesType) throws(StoreError) -> Int64 {
    do {
      var statement = try connection.prepare("SELECT id FROM type WHERE identifier = ?1")
      try statement.bind(type.rawValue, at: 1)
      if try statement.step() { return statement.integer(0) }
    }
    var statement = try connection.prepare(
      "INSERT INTO type (identifier, unit, style, style_version) VALUES (?1, ?2, ?3, 1)")
    try statement.bind(type.rawValue, at: 1)
    try statement.bind(type.unit, at: 2)
    try statement.bind(type.style, at: 3)
    try statement.run()
    return connection.lastInsertedRow
  }

  /// A chunk's row is its sample's, times 2²⁰, plus its place: a sample's chunks lie together and need no index.
  static func chunkRows(of sample: Int64) -> (first: Int64, last: Int64) {
    (sample << 20, sample << 20 | 0xF_FFFF)
  }

  private func insertChunk(_ payload: [UInt8], sample: Int64, ordinal: Int) throws(StoreError) -> Int64 {
    var statement = try connection.prepare("INSERT INTO chunk (id, payload) VALUES (?1, ?2)")
    try statement.bind(Self.chunkRows(of: sample).first + Int64(ordinal), at: 1)
    try statement.bind(payload, at: 2)
    try statement.run()
    return connection.lastInsertedRow
  }

  private func insertSummary(of cells: [SummaryCell], id: Int64) throws(StoreError) {
    let summary = SeriesSummary(cells)
    var statement = try connection.prepare(
      """
      INSERT INTO summary (id, start, end, count, sum, minimum, maximum, cells)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    try statement.bind(id, at: 1)
    try statement.bind(summary.start, at: 2)
    try statement.bind(summary.end, at: 3)
    try statement.bind(Int64(summary.count), at: 4)
    try statement.bind(summary.sum, at: 5)
    try statement.bind(summary.minimum, at: 6)
    try statement.bind(summary.maximum, at: 7)
    try statement.bind(SummaryCells.encode(cells), at: 8)
    try statement.run()
  }
}
