import FoundationEssentials
import HealthModel

/// The quantities of many series, in the order of time.
struct QuantityReader {
  let connection: Connection
  /// The scope that the reader may see; nil for a reader who may see everything.
  var scope: ReadScope?

  /// A sample that matches a query.
  struct Sample {
    var id: Int64
    var uuid: UUID
    var start: Int64
    var end: Int64
    var count: Int
  }

  /// The samples whose time touches the query's, in the order of their starts.
  func samples(_ query: QuantityQuery) throws(StoreError) -> [Sample] {
    let from = query.from?.microseconds ?? .min
    let to = query.to?.microseconds ?? .max
    let condition = try connection.condition(
      query.predicate, firstParameter: 4, in: scope, of: query.type)
    var statement = try connection.prepare(
      """
      SELECT sample.id, change.uuid, sample.start, sample.end, sample.count FROM \(condition.tables)
      WHERE \(condition.isOfQuantityType) AND sample.start < ?3 AND sample.end >= ?2
        AND (\(condition.text))
      ORDER BY sample.start, sample.id
      """)
    try statement.bind(query.type.identifier, at: 1)
    try statement.bind(from, at: 2)
    try statement.bind(to, at: 3)
    try condition.bind(to: &statement)
    var samples: [Sample] = []
    while try statement.step() {
      let (start, end) = (statement.integer(2), statement.integer(3))
      guard let uuid = UUID(bytes: statement.bytes(1)), start <= end else {
        throw connection.samples.corrupt(statement.integer(0))
      }
      samples.append(
        Sample(
          id: statement.integer(0), uuid: uuid, start: start, end: end, count: Int(clamping: statement.integer(4))))
    }
    return samples
  }

  func quantities(_ query: QuantityQuery) throws(StoreError) -> QuantityList {
    try connection.types.checkUnit(of: query.type, in: scope)
    let from = query.from?.microseconds ?? .min
    let to = query.to?.microseconds ?? .max
    let samples = try samples(query)
    var list = QuantityList()
    list.samples = samples.map(\.uuid)
    // Room for the quantities that are in the answer for certain; a damaged count must not become a huge allocation.
    list.reserveCapacity(
      samples.reduce(0) { $1.start >= from && $1.end < to ? $0 + min(max(0, $1.count), 1 << 20) : $0 })
    var chunks = try connection.quantitySeries.statement(from: from, to: to)
    var first = 0
    while first < samples.count {
      // Samples that overlap each other are one stretch: unpacked and merged together, before the next stretch.
      var end = samples[first].end
      var next = first + 1
      while !query.isGroupedBySample, next < samples.count, samples[next].start <= end {
        end = max(end, samples[next].end)
        next += 1
      }
      var tracks: [QuantityTrack] = []
      for sample in samples[first..<next] {
        let track = try connection.quantitySeries.track(of: sample.id, from: &chunks)
        // Stretches are separated by the samples' spans, so the quantities must lie within these.
        if let start = track.starts.first, let last = track.starts.last {
          guard start >= sample.start, last <= sample.end else { throw connection.samples.corrupt(sample.id) }
        }
        tracks.append(track.clipped(from: from, to: to))
      }
      list.merge(tracks, saved: samples[first..<next].map(\.id), firstOwner: first)
      first = next
    }
    return list
  }
}

/// The position of an iteration over quantities: the remaining time, and the remaining samples if they are separate.
package struct QuantityCursor: Hashable, Sendable {
  /// The samples to iterate over one by one, the next one first; nil if all are merged.
  var samples: ArraySlice<UUID>?
  /// The beginning of the remaining time.
  var from: Int64
  /// The end of the remaining time, which is not part of it.
  let to: Int64
  /// The beginning of the time that is read of each sample.
  let first: Int64
  /// The length of time that the next batch tries to cover.
  var window: Int64

  /// The intended number of quantities in a batch; a batch has more if more lie in one hour.
  static let aim = 16_384
  /// The shortest window in microseconds: an hour, since shorter windows would unpack the same chunks of frequent
  /// values repeatedly.
  static let shortest: Int64 = 3_600_000_000
}

extension QuantityReader {
  /// The iteration over everything that the query selects.
  func cursor(_ query: QuantityQuery) throws(StoreError) -> QuantityCursor {
    try connection.types.checkUnit(of: query.type, in: scope)
    let samples = try samples(query)
    let first = max(samples.first?.start ?? 0, query.from?.microseconds ?? .min)
    let last = samples.reduce(Int64.min) { max($0, $1.end) }
    return QuantityCursor(
      samples: query.isGroupedBySample ? samples.map(\.uuid)[...] : nil, from: samples.isEmpty ? .max : first,
      to: min(last.addingSaturated(1), query.to?.microseconds ?? .max), first: first,
      window: QuantityCursor.shortest)
  }

  /// The next batch, and the position after it; nil at the end.
  func batch(
    _ query: QuantityQuery, at cursor: QuantityCursor
  ) throws(StoreError) -> (QuantityList, QuantityCursor)? {
    var cursor = cursor
    while true {
      var part = query
      if let samples = cursor.samples {
        guard let sample = samples.first else { return nil }
        part.predicate = .identifier([sample])
      }
      guard cursor.from < cursor.to else {
        guard cursor.samples != nil else { return nil }
        cursor.samples = cursor.samples?.dropFirst()
        cursor.from = cursor.first
        continue
      }
      part.from = Timestamp(microseconds: cursor.from)
      var end = min(cursor.from.addingSaturated(cursor.window), cursor.to)
      part.to = Timestamp(microseconds: end)
      // Nothing is unpacked before the number of quantities is known to be small.
      while cursor.window > QuantityCursor.shortest, try mostQuantities(part) > QuantityCursor.aim {
        cursor.window = max(QuantityCursor.shortest, cursor.window / 4)
        end = min(cursor.from.addingSaturated(cursor.window), cursor.to)
        part.to = Timestamp(microseconds: end)
      }
      let list = try quantities(part)
      cursor.from = end
      if list.count < QuantityCursor.aim / 4 { cursor.window = cursor.window.multipliedSaturated(by: 4) }
      if !list.isEmpty { return (list, cursor) }
    }
  }

  /// The number of quantities in the chunks that the query touches: at least as many as in its answer.
  private func mostQuantities(_ query: QuantityQuery) throws(StoreError) -> Int {
    var most = 0
    var statement = try connection.prepare(
      "SELECT ifnull(sum(count), 0) FROM summaries WHERE id BETWEEN ?1 AND ?2 AND start <= ?3 AND end >= ?4")
    for sample in try samples(query) {
      try statement.bind(chunksOf: sample.id)
      try statement.bind(query.to?.microseconds ?? .max, at: 3)
      try statement.bind(query.from?.microseconds ?? .min, at: 4)
      // A sample without chunks is one quantity.
      most += try statement.step() ? max(1, Int(clamping: statement.integer(0))) : 1
      if most > QuantityCursor.aim { break }
    }
    return most
  }
}
