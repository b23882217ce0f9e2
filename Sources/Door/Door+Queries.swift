import RecorderBus
import DBus
import FoundationEssentials
import HealthModel
import Ingestion
import SeriesStore

// Answers of queries go through pipes, so that their length does not matter: what is not read yet waits in the file.

extension Door {
  func query(_ call: ClientCall) {
    let query: ClientQuery
    do throws(ArgumentError) {
      query = try ClientQuery(kind: call.text(0), call.arguments[1]) { Self.zone($0) }
    } catch {
      return respond(to: call, error.reply)
    }
    do throws(Refusal) {
      let number = try registry.beginQuery(call.sender)
      Task(executorPreference: loop) { await self.answer(.query(query), number, to: call) }
    } catch {
      refuse(call, error)
    }
  }

  /// The zone of that name, or of that rule.
  private static func zone(_ name: String) -> TimeZoneRules? {
    (try? TimeZoneRules.named(name)) ?? (try? TimeZoneRules(rule: name))
  }

  func answer(_ question: QueryAnswer.Question, _ number: UInt64, to call: ClientCall) async {
    // A reader who has gone is answered nothing.
    while let reading = registry.reading(of: call.sender) {
      do throws(StoreError) {
        guard let shared = await recorder.openStore else { throw StoreError(.closed, "the recorder is not ready") }
        // A store that is closing reports that, which another connection to its file would not.
        _ = try await shared.grants(of: reading.client)
        // An anchor is a row of the store. Everything else is read on a connection and a thread of its own.
        let store = if case .query(.changes) = question { shared } else { try shared.openReader() }
        var answer = QueryAnswer(question, for: reading, in: store, mostBuckets: settings.limits.buckets)
        // A question that cannot be answered is an error of the call, and not a pipe that ends.
        let first = try await answer.next() ?? []
        // If the owner has decided otherwise meanwhile, the new decision is answered by, as if it had been made before.
        guard registry.reading(of: call.sender) == reading else { continue }
        await send(first, of: &answer, number, for: reading, to: call)
      } catch {
        respond(to: call, error.reply)
      }
      break
    }
    registry.endQuery(number, of: call.sender)
  }

  private func send(
    _ first: [UInt8], of answer: inout QueryAnswer, _ number: UInt64, for reading: ClientReading, to call: ClientCall
  ) async {
    let pipe: AnswerSender
    do throws(DBusError) {
      let opened = try AnswerSender.open(to: call.sender, on: loop)
      pipe = opened.pipe
      respond(to: call, .values([.descriptor(opened.end)]))
    } catch {
      return refuse(call, .limitsExceeded(.queries))
    }
    answers[number] = (pipe, reading)
    defer { answers[number] = nil }
    var part: [UInt8]? = first
    while let bytes = part {
      guard await pipe.write(bytes) else { return }
      // If the file cannot be read any further, the answer ends without its last line.
      part = try? await answer.next()
    }
  }

  /// Cuts off answers whose reader has gone, or may not read any more what it asked for.
  func cutAnswers() {
    for (pipe, reading) in answers.values where registry.reading(of: pipe.reader) != reading { pipe.cut() }
  }
}

/// The answer of a query as lines of JSON, or the bytes of an attachment, part by part. Between two parts nothing of the file is held.
struct QueryAnswer {
  private let store: HealthStore
  private let scope: ReadScope?
  private var rest: Rest
  private let mostBuckets: Int

  /// The part that has not been answered yet.
  private enum Rest {
    case samples(SampleQuery)
    case numbers(ArraySlice<Int64>)
    case quantities(QuantityQuery, QuantityLine.Writer, QuantityCursor?)
    /// Quantities that were read and are not yet lines, from this one on.
    case list(QuantityList, from: Int, QuantityQuery, QuantityLine.Writer, QuantityCursor)
    case content(ContentKind, of: UUID)
    case lines(any AnswerWriter)
    case statistics(StatisticsCollectionQuery)
    case changes(ChangeQuery, ClientReading)
    case attachment(UUID)
    case data(AttachmentData)
    case end
  }

  /// A question that is answered through a pipe.
  enum Question {
    case query(ClientQuery)
    case attachment(UUID)
  }

  /// Samples read at a time, and quantities or beats written at a time: about what a pipe holds.
  private static let page = 128
  private static let slice = 512

  /// - Parameters:
  ///   - question: The question.
  ///   - reading: The reader's permissions.
  ///   - store: Where; for ``ClientQuery/changes(_:)`` one that can be written, since an anchor is a row.
  ///   - mostBuckets: The most buckets of statistics.
  init(_ question: Question, for reading: ClientReading, in store: HealthStore, mostBuckets: Int) {
    self.store = store
    self.mostBuckets = mostBuckets
    scope = reading.scope
    rest =
      switch question {
      case .attachment(let id): .attachment(id)
      case .query(let query): Self.rest(of: query, reading)
      }
  }

  private static func rest(of query: ClientQuery, _ reading: ClientReading) -> Rest {
    switch query {
    case .samples(let query): .samples(query)
    case .quantities(let query): .quantities(query, QuantityLine.Writer(of: query.type), nil)
    case .content(let kind, let sample): .content(kind, of: sample)
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
      SampleLine.append(try await store.samples(page, in: scope), to: &bytes)
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
    case .content(let kind, let sample):
      rest = .lines(try await content(kind, of: sample))
      return []
    case .statistics(let query):
      let statistics = try await store.answer(query, in: scope, mostBuckets: mostBuckets)
      rest = .lines(LineWriter(statistics, as: StatisticsLine.self))
      return []
    case .lines(var lines):
      var bytes: [UInt8] = []
      let hasMore = lines.append(Self.slice, to: &bytes)
      rest = hasMore ? .lines(lines) : .numbers([])
      return bytes
    case .changes(let query, let reading):
      let changes: ChangeSet =
        if let scope {
          try await store.answer(query, of: reading.client, in: scope)
        } else {
          try await query.result(for: store).value
        }
      var bytes: [UInt8] = []
      ChangeLine.append(changes, to: &bytes)
      rest = .end
      return bytes
    case .attachment(let id):
      rest = .data(try await store.data(of: store.attachment(id, in: scope)))
      return []
    case .data(let data):
      // The reader knows from its length that it is whole.
      let (piece, next) = try await store.piece(of: data)
      rest = piece == nil ? .end : .data(next)
      return piece
    case .end: return nil
    }
  }

  private func content(
    _ kind: ContentKind, of sample: UUID, isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) -> any AnswerWriter {
    switch kind {
    case .heartbeats: HeartbeatLine.Writer(try await store.answer(HeartbeatQuery(sample), in: scope))
    case .locations: LineWriter(try await store.answer(WorkoutRouteQuery(sample), in: scope), as: LocationLine.self)
    case .audiogram: LineWriter(try await store.answer(AudiogramQuery(sample), in: scope), as: AudiogramLine.self)
    case .prescription:
      LineWriter(try await store.answer(VisionPrescriptionQuery(sample), in: scope), as: LensLine.self)
    case .record:
      LineWriter(try await store.answer(ClinicalRecordQuery(sample), in: scope), as: ClinicalRecordLine.self)
    }
  }

  private mutating func complete() -> [UInt8] {
    rest = .end
    var bytes: [UInt8] = []
    LastLine.append(to: &bytes)
    return bytes
  }
}
