import Foundation
import HealthModel
import SensordClient
import Testing

@Suite("The articles of the client library")
struct ArticleTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  /// The code that the articles quote, compiled.
  private enum Examples {
    static func race(
      _ client: SensordClient, _ rides: [SampleDraft], _ show: (Double?, Double?) -> Void
    ) async throws -> UUID {
      // snippet
      try await client.requestAuthorization(
        toShare: [.workout, .quantity(.distanceCycling)], read: [.workout, .quantity(.heartRate)])
      let race = try await client.startWorkout(WorkoutConfiguration(.swimBikeRun, location: .outdoor))
      try await race.beginNewActivity(WorkoutConfiguration(.swimming, swimmingLocation: .openWater), at: race.start)
      try await race.addEvent(.lap)
      try await race.beginNewActivity(WorkoutConfiguration(.transition))
      try await race.beginNewActivity(WorkoutConfiguration(.cycling))
      try await race.addSamples(rides)
      let heart = try await race.statistics(for: .heartRate)
      show(heart.workout?.average, heart.activity?.maximum)
      let id = try await race.end()
      // end
      return id
    }

    static func intervals(_ client: SensordClient) async throws {
      // snippet
      let run = try await client.startWorkout(WorkoutConfiguration(.running))
      try await run.beginNewActivity(at: run.start)
      try await run.endCurrentActivity()
      try await run.beginNewActivity()
      // end
    }

    static func restart(_ client: SensordClient) async throws {
      // snippet
      for workout in try await client.workouts() where try await workout.state() == .running {
        try await workout.end(recovery: false)
      }
      // end
    }
  }

  /// What stands between lines that begin with `start` and `end`, without the indentation that its lines share.
  private func blocks(in text: String, from start: String, to end: String) -> Set<String> {
    var blocks: Set<String> = []
    var block: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let trimmed = line.drop { $0 == " " }
      if trimmed == start {
        block = []
      } else if trimmed == end, let lines = block {
        let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        blocks.insert(lines.map { $0.dropFirst(indentation) }.joined(separator: "\n"))
        block = nil
      } else {
        block?.append(line)
      }
    }
    return blocks
  }

  @Test(
    "every piece of Swift in the article on live workouts is a piece of the compiled examples, and the other way round")
  func quotes() throws {
    let article = Self.folder.appendingPathComponent("../../Sources/SensordClient/SensordClient.docc/LiveWorkouts.md")
    let quoted = blocks(in: try String(contentsOf: article, encoding: .utf8), from: "```swift", to: "```")
    let compiled = blocks(
      in: try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8), from: "// snippet", to: "// end")
    #expect(compiled.count == 3)
    #expect(quoted == compiled)
  }
}
