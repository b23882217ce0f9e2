import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import TestSupport
import Testing

@Suite("The documentation's articles")
struct ArticleTests {
  let folder = TemporaryFolder()

  private static let root = #filePath.dropLast("Tests/SeriesStoreTests/ArticleTests.swift".count)

  private func text(_ path: String) throws -> String {
    guard let file = unsafe fopen("\(Self.root)\(path)", "r") else { throw StoreError(.missing, path) }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Lines without the indentation that all of them share.
  private func outdented(_ lines: [Substring]) -> String {
    let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { $0.dropFirst(indentation) }.joined(separator: "\n")
  }

  @Test("every piece of Swift in an article is a piece of the compiled examples, and each of those is in an article")
  func quotes() throws {
    var snippets: Set<String> = []
    var current: [Substring]?
    let examples =
      try text("Tests/SeriesStoreTests/ArticleExamples.swift") + text("Tests/SeriesStoreTests/ModelExamples.swift")
    for line in examples.split(separator: "\n", omittingEmptySubsequences: false) {
      let trimmed = line.drop { $0 == " " }
      if trimmed.hasPrefix("// snippet: ") {
        current = []
      } else if trimmed == "// end", let lines = current {
        snippets.insert(outdented(lines))
        current = nil
      } else {
        current?.append(line)
      }
    }
    #expect(snippets.count == 28)
    var quoted: Set<String> = []
    let articles =
      ["SeriesStore", "Recording", "Querying", "Charts", "LiveUpdates"].map { "SeriesStore/SeriesStore.docc/\($0)" }
      + ["HealthModel", "UnitsAndTypes", "SummingUp", "BeatsAndVariability", "WorkoutsAndActivities"].map {
        "HealthModel/HealthModel.docc/\($0)"
      }
    for article in articles {
      var block: [Substring]?
      for line in try text("Sources/\(article).md").split(separator: "\n", omittingEmptySubsequences: false) {
        if line == "```swift" {
          block = []
        } else if line == "```", let lines = block {
          quoted.insert(lines.joined(separator: "\n"))
          block = nil
        } else {
          block?.append(line)
        }
      }
    }
    #expect(quoted.subtracting(snippets).isEmpty)
    #expect(snippets.subtracting(quoted).isEmpty)
  }

  @Test("the examples do what the articles say")
  func run() async throws {
    let deleted = try await ArticleExamples.record(folder.store)
    let store = try HealthStore.open(folder.store, for: .writing)
    let start = Timestamp(milliseconds: 1_714_920_600_000)
    let end = start.advanced(byMicroseconds: 60_000_000)
    #expect(try await SampleQuery(.identifier([deleted])).result(for: store).value.isEmpty)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: start)
    for (second, rate) in [(0, 64.0), (2, 66), (4, 67)] as [(Int64, Double)] {
      let time = start.advanced(byMicroseconds: second * 1_000_000)
      try builder.insert(rate, from: time, to: time)
    }
    try await store.save([try builder.finish()], as: SourceRevision(identifier: "test", name: "Test"))
    let counts = try await ArticleExamples.query(store, from: start, to: end)
    #expect(counts == (1, 2, 1))
    let chart = try await ArticleExamples.chart(store, from: start, to: end)
    #expect(chart.count == 1 && chart[0].hasPrefix("2024-05-04T22:00:00.000Z: 65.0,"))
    var one = QuantitySeriesBuilder(type: .heartRate, start: end)
    try one.insert(70, from: end, to: end)
    #expect(try await ArticleExamples.live(store, saving: try one.finish()) == [3, 4])
    #expect(try await ArticleExamples.changes(store, seen: .start) != .start)
    let all = try await ChangeQuery(after: .start).result(for: store).value
    for kept in ["", "start", "\(UUID().uuidString.lowercased()):1:00000001"] {
      let (ids, anchor) = try await ArticleExamples.follow(folder.store, kept: kept, until: all.added.count)
      #expect(ids == Set(all.added.map(\.id)) && anchor == all.anchor.description)
    }
    #expect(try ArticleExamples.sql(folder.store).count == 2)
  }

  @Test("the examples of other kinds, of an own type and of text do what the articles say")
  func otherKinds() async throws {
    #expect(try await ArticleExamples.ownType("\(folder.path)/own.sqlite").map(\.identifier) == ["org.example.mood"])
    let store = try HealthStore.open(folder.store, for: .writing)
    let found = try await ArticleExamples.otherKinds(store, as: SourceRevision(identifier: "test", name: "Test"))
    #expect(found == ([.asleepDeep], [120, 80]))
    let workouts = try await ArticleExamples.workouts(
      try HealthStore.open("\(folder.path)/run.sqlite", for: .writing), on: Date(timeIntervalSince1970: 1_714_950_000),
      as: SourceRevision(identifier: "test", name: "Test"))
    #expect(workouts == ([140, 160], 2))
    let samples = try await SampleQuery().result(for: store).value
    #expect(try ArticleExamples.coding(samples) == samples && samples.count == 5)
    #expect(try ModelExamples.ownType()["org.example.mood"] != nil)
  }

  @Test("the examples of the model do what its articles say")
  func model() throws {
    #expect(try ModelExamples.units().map { ($0 * 1000).rounded() } == [3333, 90_000])
    ModelExamples.type { #expect($0) }
    let start = Timestamp(milliseconds: 1_714_920_600_000)
    let day = try #require(try ModelExamples.statistics(from: start).first)
    #expect(day.average == 65 && day.maximum == 67 && day.coverage.covered == 4_000_000)
    #expect(day.end.microseconds - day.start.microseconds == 86_400_000_000)
    #expect(try ModelExamples.workout(from: start) == [120, nil, 130])
    #expect(abs(try ModelExamples.variability(from: start) - 0.010897) < 5e-7)
  }
}
