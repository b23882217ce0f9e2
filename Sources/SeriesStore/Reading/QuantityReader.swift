import FoundationEssentials
import HealthModel

/// The quantities of many series, in the order of time.
struct QuantityReader {
  let connection: Connection
  /// What the reader may see; nil for all of it.
  var scope: ReadScope?

  /// A sample that a query means.
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
    // Room is taken for what is answered for certain; a damaged count must not become a huge allocation.
    list.reserveCapacity(
      samples.reduce(0) { $1.start >= from && $1.end < to ? $0 + min(max(0, $1.count), 1 << 20) : $0 })
    var chunks = try connection.quantitySeries.statement(from: from, to: to)
    var first = 0
    while first < samples.count {
      // Samples that overlap each other are one stretch: unpacked together, and given away before the next is.
      var end = samples[first].end
      var next = first + 1
      while !query.isGroupedBySample, next < samples.count, samples[next].start <= end {
        end = max(end, samples[next].end)
        next += 1
      }
      var tracks: [QuantityTrack] = []
      for sample in samples[first..<next] {
        let track = try connection.quantitySeries.track(of: sample.id, from: &chunks)
        // What is told apart by the samples' spans has to lie in them.
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
