import FoundationEssentials
import HealthModel
import LiveHub
import SensordClient

/// Asks the recorder for recordings: for each application on a connection of its own, so that each has its own permission.
///
/// The queries run on the global pool and not on the hub's loop, since a night has tens of thousands of beats, and live values must not wait.
actor RecorderArchive {
  /// Connections at a time; the one that was idle longest goes.
  private static let capacity = 16
  /// Questions at a time: each may need some megabytes. Further ones wait for their turn.
  private static let questions = 4
  /// Questions of one application under way or waiting; more are refused, so that nobody fills the line for all.
  private static let questionsEach = 4
  /// The greatest number of samples of a list.
  private static let longestList = 2000
  /// Intervals of sleep: those of some months.
  private static let longestNights = 5000

  private struct Entry {
    var client: SensordClient
    var lastUse: UInt64
    var users = 0
  }

  private let bus: SensordClient.Bus
  private var entries: [String: Entry] = [:]
  private var uses: UInt64 = 0
  private var running = 0
  private var line: [CheckedContinuation<Void, Never>] = []
  private var asked: [String: Int] = [:]

  init(bus: SensordClient.Bus) {
    self.bus = bus
  }

  func answer(_ question: ArchiveQuestion, as application: String) async -> ArchiveAnswer {
    guard asked[application, default: 0] < Self.questionsEach else {
      return .tooMany("There are \(Self.questionsEach) questions of yours already; wait for an answer before the next.")
    }
    asked[application, default: 0] += 1
    await takeTurn()
    defer {
      endTurn()
      asked[application] = asked[application].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
    do throws(ClientError) {
      let client = try await client(of: application)
      defer { leave(application) }
      return try await Self.result(of: question, from: client)
    } catch {
      return switch error {
      case .notFound: .notFound
      case .invalidArgument, .tooComplex: .wrong("\(error)")
      case .limitsExceeded: .tooMany("The recorder says: \(error).")
      default: .unavailable("The recorder cannot be asked: \(error).")
      }
    }
  }

  private func takeTurn() async {
    if running < Self.questions {
      running += 1
    } else {
      await withCheckedContinuation { line.append($0) }
    }
  }

  /// Hands the turn on to the question that waits longest.
  private func endTurn() {
    if line.isEmpty { running -= 1 } else { line.removeFirst().resume() }
  }

  private func client(of application: String) async throws(ClientError) -> SensordClient {
    uses += 1
    if var entry = entries[application] {
      entry.lastUse = uses
      entry.users += 1
      entries[application] = entry
      return entry.client
    }
    if entries.count >= Self.capacity {
      let idle = entries.filter { $0.value.users == 0 }
      guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
        throw .limitsExceeded("\(Self.capacity) programs ask at the same time")
      }
      entries[oldest.key] = nil
      await oldest.value.client.close()
    }
    let client = try await SensordClient.connect(to: bus, application: application)
    // Another question of the same application may have come first.
    if var entry = entries[application] {
      entry.users += 1
      entries[application] = entry
      await client.close()
      return entry.client
    }
    entries[application] = Entry(client: client, lastUse: uses, users: 1)
    // So that its owner is asked, and sees it in the list of those who wait.
    Task {
      try? await client.requestAuthorization(read: [
        .quantity(.heartRate), .heartbeatSeries, .workout, .category(.sleepAnalysis),
      ])
    }
    return client
  }

  private func leave(_ application: String) {
    entries[application]?.users -= 1
  }

  @concurrent private static func result(
    of question: ArchiveQuestion, from client: SensordClient
  ) async throws(ClientError) -> ArchiveAnswer {
    let latest = [SampleQuery.Order(.start, isDescending: true)]
    switch question {
    case .sessions:
      let types: [SamplePredicate] = [.type(.heartbeatSeries), .type(.quantity(.heartRate))]
      let samples = try await SampleQuery(.or(types), order: latest, limit: longestList).result(for: client)
      return json(SessionEntry.entries(of: samples))
    case .workouts:
      let samples = try await SampleQuery(.type(.workout), order: latest, limit: longestList).result(for: client)
      return json(samples.compactMap(WorkoutEntry.init))
    case .beats(let session):
      guard let series = try await series(of: session, from: client), let curve = BeatCurve(series) else {
        return .notFound
      }
      return json(curve)
    case .variability(let session):
      guard let series = try await series(of: session, from: client), let entry = VariabilityEntry(series) else {
        return .notFound
      }
      return json(entry)
    case .rates(let session, let columns):
      guard let id = UUID(uuidString: session) else { return .notFound }
      return try await curve(.session(id), columns, from: client)
    case .workoutRates(let workout, let columns):
      guard let id = UUID(uuidString: workout) else { return .notFound }
      return try await curve(.collected(in: id), columns, from: client)
    case .nights(let offset):
      let samples = try await SampleQuery(.type(.category(.sleepAnalysis)), order: latest, limit: longestNights).result(
        for: client)
      return json(NightEntry.entries(of: samples, offset: offset))
    case .sensors:
      return .sensors(
        try await client.sensors().map {
          SensorEntry(
            address: $0.address, name: $0.name, battery: $0.battery,
            sessionStart: $0.sessionStart.map { $0.microseconds / 1000 })
        })
    case .statistics(let every, let offset):
      let query: StatisticsCollectionQuery
      do {
        query = try StatisticsCollectionQuery(
          .heartRate, [.average, .minimum, .maximum],
          buckets: .natural(CalendarInterval(parsing: every), zone: TimeZoneRules(rule: rule(of: offset))))
      } catch {
        return .wrong("\(error)")
      }
      return json(try await query.result(for: client).map(StatisticsEntry.init))
    }
  }

  /// A POSIX rule of a fixed offset from UTC in seconds; POSIX counts westwards.
  private static func rule(of offset: Int32) -> String {
    let minutes = abs(offset) / 60
    let text = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return "<\(offset < 0 ? "-" : "+")\(text.joined())>\(offset < 0 ? "+" : "-")\(text.joined(separator: ":"))"
  }

  @concurrent private static func curve(
    _ samples: SamplePredicate, _ columns: Int, from client: SensordClient
  ) async throws(ClientError) -> ArchiveAnswer {
    let rates = try await QuantityQuery(.heartRate, predicate: samples).result(for: client)
    guard !rates.isEmpty else { return .notFound }
    let curve = RateCurve(rates.map { ($0.span.start.flooredToMilliseconds.microseconds / 1000, $0.value) })
    return .json(Array(curve.json(columns: columns).utf8))
  }

  @concurrent private static func series(
    of session: String, from client: SensordClient
  ) async throws(ClientError) -> HeartbeatSeries? {
    guard let id = UUID(uuidString: session) else { return nil }
    let predicate = SamplePredicate.and([.type(.heartbeatSeries), .session(id)])
    guard let sample = try await SampleQuery(predicate, limit: 1).result(for: client).first else { return nil }
    return try await HeartbeatQuery(sample.id).result(for: client)
  }

  private static func json(_ value: some Encodable) -> ArchiveAnswer {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(value) else { return .unavailable("The answer cannot be written.") }
    return .json(Array(data))
  }
}
