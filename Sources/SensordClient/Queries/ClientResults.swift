public import HealthModel

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
    /// - Throws: What ``SensordQuery/result(for:)`` throws, but for what passes when bus or recorder are back.
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
          // What this program may read has changed: there is another answer now.
          isDue = error == .cutOff
          // Whoever observes says when the recorder is back.
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

    /// What the query may be about.
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
