import FoundationEssentials
import HealthModel

/// The quantities of many series, in the order of time.
struct QuantityReader {
  let connection: Connection

  func quantities(_ query: QuantityQuery) throws(StoreError) -> QuantityList {
    try connection.types.checkUnit(of: query.type)
    let from = query.from?.microseconds ?? .min
    let to = query.to?.microseconds ?? .max
    let condition = SamplePredicate.Condition(query.predicate, firstParameter: 4)
    var statement = try connection.prepare(
      """
      SELECT sample.id, change.uuid, sample.start, sample.end, sample.count FROM \(SampleReader.tables)
      WHERE \(SampleReader.isOfQuantityType) AND sample.start < ?3 AND sample.end >= ?2
        AND (\(condition.text))
      ORDER BY sample.start, sample.id
      """)
    try statement.bind(query.type.identifier, at: 1)
    try statement.bind(from, at: 2)
    try statement.bind(to, at: 3)
    try condition.bind(to: &statement)
    var list = QuantityList()
    var samples: [(id: Int64, span: ClosedRange<Int64>)] = []
    var count = 0
    while try statement.step() {
      let (start, end) = (statement.integer(2), statement.integer(3))
      guard let uuid = UUID(bytes: statement.bytes(1)), start <= end else {
        throw connection.samples.corrupt(statement.integer(0))
      }
      samples.append((statement.integer(0), start...end))
      list.samples.append(uuid)
      // Room is taken for what is answered for certain.
      if start >= from, end < to { count &+= Int(truncatingIfNeeded: statement.integer(4)) }
    }
    list.reserveCapacity(count)
    var chunks = try connection.quantitySeries.statement(from: from, to: to)
    var first = 0
    while first < samples.count {
      // Samples that overlap each other are one stretch: unpacked together, and given away before the next is.
      var end = samples[first].span.upperBound
      var next = first + 1
      while !query.isGroupedBySample, next < samples.count, samples[next].span.lowerBound <= end {
        end = max(end, samples[next].span.upperBound)
        next += 1
      }
      var tracks: [QuantityTrack] = []
      for sample in samples[first..<next] {
        let track = try connection.quantitySeries.track(of: sample.id, from: &chunks)
        // What is told apart by the samples' spans has to lie in them.
        if let start = track.starts.first, let last = track.starts.last {
          guard sample.span.contains(start), sample.span.contains(last) else {
            throw connection.samples.corrupt(sample.id)
          }
        }
        tracks.append(track.clipped(from: from, to: to))
      }
      list.merge(tracks, saved: samples[first..<next].map(\.id), firstOwner: first)
      first = next
    }
    return list
  }
}
