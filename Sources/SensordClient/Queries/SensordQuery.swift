import RecorderBus
public import HealthModel

/// A query that a recorder answers: once, or again after every change. The same values are answered by a store's file, too
/// (`StoreQuery` of SeriesStore).
///
/// Samples that the owner does not let this program read do not exist for its queries, unless the program saved them
/// itself. The numbers of changes in answers are 0: they would show how much else was saved.
public protocol SensordQuery: HealthQuery where Output: Equatable {
  /// Asks the recorder.
  ///
  /// - Throws: ``ClientError/limitsExceeded(_:)``, ``ClientError/cutOff``, ``ClientError/notStored``, and others.
  @concurrent func result(for client: SensordClient) async throws(ClientError) -> Output
}

extension SensordQuery {
  /// The present answer, and another one whenever it has changed, until the loop is left.
  ///
  /// A program that is slower than the changes misses intermediate answers, but never the last one; the answers to a
  /// `ChangeQuery` have each change exactly once. While bus or recorder are gone nothing comes; then it goes on.
  public func results(for client: SensordClient) -> ClientResults<Self> {
    ClientResults(query: self, client: client)
  }
}

extension SampleQuery: SensordQuery {
  /// The samples now.
  @concurrent public func result(for client: SensordClient) async throws(ClientError) -> [HealthSample] {
    try await client.ask(.samples(self), LineReader(SampleLine.self))
  }
}

extension QuantityQuery: SensordQuery {
  /// The quantities now.
  @concurrent public func result(for client: SensordClient) async throws(ClientError) -> QuantityList {
    try await client.ask(.quantities(self), QuantityLine.Reader(of: type))
  }
}

extension ContentQuery: SensordQuery {
  /// The content now. Each run of beats has a map that is anchored at its first beat, and the parts of the times that the map
  /// does not give stand with the beats.
  ///
  /// - Throws: ``ClientError/notFound`` for a sample that is not there, or not for this program, and others.
  @concurrent public func result(for client: SensordClient) async throws(ClientError) -> Content {
    let query = ClientQuery.content(Content.kind, of: sample)
    let answer: any QueriedContent =
      switch Content.kind {
      case .heartbeats: try await client.ask(query, HeartbeatLine.Reader())
      case .locations: try await client.ask(query, LineReader(LocationLine.self))
      case .audiogram: try await client.ask(query, LineReader(AudiogramLine.self))
      case .prescription: try await client.ask(query, LineReader(LensLine.self))
      case .record: try await client.ask(query, LineReader(ClinicalRecordLine.self))
      }
    guard let content = answer as? Content else { throw .unreadable }
    return content
  }
}

extension StatisticsCollectionQuery: SensordQuery {
  /// The statistics now.
  @concurrent public func result(for client: SensordClient) async throws(ClientError) -> [Statistics] {
    try await client.ask(.statistics(self), LineReader(StatisticsLine.self))
  }
}

extension ChangeQuery: SensordQuery {
  /// The changes now.
  ///
  /// - Throws: ``ClientError/lostAnchor`` for an anchor that the store does not know, or no longer, because the owner
  ///   has decided anew what this program may read. The program's knowledge of the store is then invalid, and the
  ///   program has to begin at the start.
  @concurrent public func result(for client: SensordClient) async throws(ClientError) -> ChangeSet {
    try await client.ask(.changes(self), ChangeLine.Reader())
  }
}

/// The answers to one query, one after every change of the answer; see ``SensordQuery/results(for:)``.
public struct ClientResults<Query: SensordQuery>: AsyncSequence, Sendable {
  let query: Query
  let client: SensordClient

  /// Begins to observe with the first answer.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(query: query, client: client)
  }

  /// Observes the store until it is released.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var query: Query
    private let client: SensordClient
    /// Holds at most one signal of changes that came while nobody waited.
    private var signals: AsyncStream<Observation.Signal>.Iterator?
    private var last: Query.Output?
    /// Whether there is more already.
    private var isDue = false

    init(query: Query, client: SensordClient) {
      self.query = query
      self.client = client
    }

    /// The next answer; nil once the client is closed or the task is cancelled.
    public mutating func next() async throws(ClientError) -> Query.Output? {
      try await next(isolation: #isolation)
    }

    /// The next answer; nil once the client is closed or the task is cancelled.
    ///
    /// - Throws: The errors of ``SensordQuery/result(for:)``, but for those that pass when bus or recorder are back.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(ClientError) -> Query.Output? {
      if signals == nil {
        signals = await client.observation.signals(Self.types(query)).makeAsyncIterator()
      }
      while true {
        if !isDue {
          switch await signals?.next(isolation: actor) {
          case .changed?: break
          case .failed(.closed)?, nil: return nil
          case .failed(let error)?: throw error
          }
        }
        isDue = false
        let answer: Query.Output
        do throws(ClientError) {
          answer = try await query.result(for: client)
        } catch {
          if error == .cancelled || error == .closed { return nil }
          // The program's permissions have changed: there is another answer now.
          isDue = error == .cutOff
          // The observation reports when the recorder is back.
          guard isDue || error.isPassing else { throw error }
          continue
        }
        let next = query.next(after: answer)
        query = next.query
        isDue = next.isDue
        guard Self.isNews(answer, after: last) else { continue }
        last = answer
        return answer
      }
    }

    /// The types that the query may be about.
    private static func types(_ query: Query) -> Set<String> {
      let types = SampleType.standard.filter { type in
        [false, true].contains { query.isConcerned(by: StoreChange(type: type, source: nil, isDeletion: $0)) }
      }
      return Set(types.map(\.identifier))
    }

    private static func isNews(_ answer: Query.Output, after last: Query.Output?) -> Bool {
      guard let last else { return true }
      guard let changes = answer as? ChangeSet else { return answer != last }
      return !(changes.added.isEmpty && changes.sessions.isEmpty && changes.deleted.isEmpty)
    }
  }
}
