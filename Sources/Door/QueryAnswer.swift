import ClientInterfaces
import Clients
import Documents
import FoundationEssentials
import HealthModel
import SeriesStore

/// The answer of a query as lines of JSON, or the bytes of an attachment, part by part. Between two parts nothing of the file is held.
struct QueryAnswer {
  private let store: HealthStore
  private let scope: ReadScope?
  private var rest: Rest
  private let mostBuckets: Int

  /// What has not been answered yet.
  private enum Rest {
    case samples(SampleQuery)
    case numbers(ArraySlice<Int64>)
    case quantities(QuantityQuery, QuantityLines, QuantityCursor?)
    /// Quantities that were read and are not yet lines, from this one on.
    case list(QuantityList, from: Int, QuantityQuery, QuantityLines, QuantityCursor)
    case heartbeats(HeartbeatQuery)
    case beats(HeartbeatLines)
    case route(WorkoutRouteQuery)
    case locations(ArraySlice<RouteLocation>)
    case audiogram(AudiogramQuery)
    case prescription(VisionPrescriptionQuery)
    case record(ClinicalRecordQuery)
    case statistics(StatisticsCollectionQuery)
    case buckets(ArraySlice<Statistics>)
    case changes(ChangeQuery, Reading)
    case attachment(UUID)
    case data(AttachmentData)
    case end
  }

  /// What is answered through a pipe.
  enum Question {
    case query(ClientQuery)
    case attachment(UUID)
  }

  /// Samples read at a time, and quantities or beats written at a time: about what a pipe holds.
  private static let page = 128
  private static let slice = 512

  /// - Parameters:
  ///   - question: What is asked.
  ///   - reading: What the reader may read.
  ///   - store: Where; for ``ClientQuery/changes(_:)`` one that can be written, since an anchor is a row.
  ///   - mostBuckets: The most buckets of statistics.
  init(_ question: Question, for reading: Reading, in store: HealthStore, mostBuckets: Int) {
    self.store = store
    self.mostBuckets = mostBuckets
    scope = reading.scope
    rest =
      switch question {
      case .attachment(let id): .attachment(id)
      case .query(let query): Self.rest(of: query, reading)
      }
  }

  private static func rest(of query: ClientQuery, _ reading: Reading) -> Rest {
    switch query {
    case .samples(let query): .samples(query)
    case .quantities(let query): .quantities(query, QuantityLines(of: query.type), nil)
    case .heartbeats(let query): .heartbeats(query)
    case .locations(let query): .route(query)
    case .audiogram(let query): .audiogram(query)
    case .prescription(let query): .prescription(query)
    case .record(let query): .record(query)
    case .statistics(let query): .statistics(query)
    case .changes(let query): .changes(query, reading)
    }
  }

  /// The next lines; nil after the last. They may be none.
  mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(StoreError) -> [UInt8]? {
    switch rest {
    case .samples(let query):
      rest = .numbers(try await store.numbers(query, in: scope)[...])
      return []
    case .numbers(let numbers):
      guard !numbers.isEmpty else { return complete() }
      let page = Array(numbers.prefix(Self.page))
      rest = .numbers(numbers.dropFirst(Self.page))
      var bytes: [UInt8] = []
      for sample in try await store.samples(page, in: scope) { sample.json.appendLine(to: &bytes) }
      return bytes
    case .quantities(let query, let lines, let cursor):
      guard let (list, next) = try await store.batch(query, in: scope, at: cursor) else { return complete() }
      rest = .list(list, from: 0, query, lines, next)
      return []
    case .list(let list, let from, let query, var lines, let cursor):
      var bytes: [UInt8] = []
      let end = min(from + Self.slice, list.count)
      lines.append(list, from..<end, to: &bytes)
      rest = end < list.count ? .list(list, from: end, query, lines, cursor) : .quantities(query, lines, cursor)
      return bytes
    case .heartbeats(let query):
      rest = .beats(HeartbeatLines(try await store.answer(query, in: scope)))
      return []
    case .beats(var lines):
      var bytes: [UInt8] = []
      let hasMore = lines.append(Self.slice, to: &bytes)
      rest = hasMore ? .beats(lines) : .numbers([])
      return bytes
    case .route(let query):
      rest = .locations(try await store.answer(query, in: scope)[...])
      return []
    case .locations(let locations):
      guard !locations.isEmpty else { return complete() }
      var bytes: [UInt8] = []
      for location in locations.prefix(Self.slice) { location.line.appendLine(to: &bytes) }
      rest = .locations(locations.dropFirst(Self.slice))
      return bytes
    case .audiogram(let query):
      var bytes: [UInt8] = []
      for point in try await store.answer(query, in: scope).sensitivityPoints { point.line.appendLine(to: &bytes) }
      return bytes + complete()
    case .prescription(let query):
      var bytes: [UInt8] = []
      for line in try await store.answer(query, in: scope).lines { line.appendLine(to: &bytes) }
      return bytes + complete()
    case .record(let query):
      var bytes: [UInt8] = []
      try await store.answer(query, in: scope).line.appendLine(to: &bytes)
      return bytes + complete()
    case .statistics(let query):
      rest = .buckets(try await store.answer(query, in: scope, mostBuckets: mostBuckets)[...])
      return []
    case .buckets(let buckets):
      guard !buckets.isEmpty else { return complete() }
      var bytes: [UInt8] = []
      for bucket in buckets.prefix(Self.page) { bucket.line.appendLine(to: &bytes) }
      rest = .buckets(buckets.dropFirst(Self.page))
      return bytes
    case .changes(let query, let reading):
      let changes: ChangeSet =
        if let scope {
          try await store.answer(query, of: reading.client, in: scope)
        } else {
          try await query.result(for: store).value
        }
      var bytes: [UInt8] = []
      changes.appendLines(to: &bytes)
      rest = .end
      return bytes
    case .attachment(let id):
      rest = .data(try await store.data(of: store.attachment(id, in: scope)))
      return []
    case .data(let data):
      // What tells that it is whole is its length.
      let (piece, next) = try await store.piece(of: data)
      rest = piece == nil ? .end : .data(next)
      return piece
    case .end: return nil
    }
  }

  /// The last line of all answers but changes', whose anchor ends them: without it an answer was cut off.
  private mutating func complete() -> [UInt8] {
    rest = .end
    var bytes: [UInt8] = []
    JSONValue.object([.init("complete", .bool(true))]).appendLine(to: &bytes)
    return bytes
  }
}
