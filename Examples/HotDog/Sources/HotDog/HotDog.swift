import Foundation
import HealthModel
import SensordClient

/// A game that watches the player's heart: eat the hot dogs (e), pass the broccoli (p), stop with q.
///
///     swift run HotDog --seconds 60
@main
struct HotDog {
  static let application = "org.example.HotDog"

  static func main() async {
    do {
      let client = try await SensordClient.connect(application: application)
      try await allow(client)
      let game = try await play(client, for: seconds)
      try await showLastGame(client, game)
    } catch ClientError.noSensor {
      say("Put on a strap that 'sensord status' shows as measuring, and play again.")
      exit(1)
    } catch {
      say("HotDog cannot go on: \(error)")
      exit(1)
    }
  }

  static var seconds: Int {
    let words = CommandLine.arguments
    return words.firstIndex(of: "--seconds").flatMap { words.indices.contains($0 + 1) ? Int(words[$0 + 1]) : nil } ?? 60
  }

  /// Waits until the owner has decided, and says how to.
  static func allow(_ client: SensordClient) async throws {
    say("HotDog asks for your heart rate. Allow it with 'sensord agent', or with")
    say("  sensord grants allow \(application)@\(getuid()) --read heartRate --share heartRate,heartbeatSeries")
    let types: Set<SampleType> = [.quantity(.heartRate), .heartbeatSeries]
    try await client.requestAuthorization(toShare: types, read: [.quantity(.heartRate)])
  }

  /// What can happen in a game.
  enum Event {
    case key(UInt8), rate(UInt16), interrupted, timeIsUp
  }

  /// Plays a game, which is one session of the recorder; returns the identifier that it has there.
  static func play(_ client: SensordClient, for seconds: Int) async throws -> String {
    let (events, happen) = AsyncStream.makeStream(of: Event.self)
    var terminal = watchKeys { happen.yield(.key($0)) }
    defer { tcsetattr(STDIN_FILENO, TCSANOW, &terminal) }
    let live = Task {
      for try await value in client.liveValues() {
        switch value {
        case .measurement(let measurement):
          if let rate = measurement.beatsPerMinute { happen.yield(.rate(rate)) }
        case .interrupted: happen.yield(.interrupted)
        default: break
        }
      }
    }
    let game = UUID().uuidString
    let session = try await client.beginSession(metadata: ["title": "Hot dogs", "externalUUID": .text(game)])
    let clock = Task {
      try await Task.sleep(for: .seconds(seconds))
      happen.yield(.timeIsUp)
    }
    var (score, course, rate) = (0, 0, "--")
    // Two hot dogs, then broccoli.
    var isHotDog: Bool { course % 3 != 2 }
    loop: for await event in events {
      switch event {
      case .key(UInt8(ascii: "e")):
        if isHotDog { score += 1 }
        course += 1
      case .key(UInt8(ascii: "p")): course += 1
      case .key(UInt8(ascii: "q")), .timeIsUp: break loop
      case .key: continue
      case .rate(let beatsPerMinute): rate = "\(beatsPerMinute)"
      case .interrupted: rate = "--"
      }
      let dish = isHotDog ? coloured("hot dog", 33) : coloured("broccoli", 32)
      say("\(dish)  score \(score)  \(coloured("♥", 31)) \(rate)")
    }
    live.cancel()
    clock.cancel()
    try await session.addMetadata(["score": .integer(Int64(score))])
    try await session.end()
    say("Game over: \(score) hot dogs.")
    return game
  }

  /// The second screen: the heart rates of a game, found by its identifier.
  static func showLastGame(_ client: SensordClient, _ game: String) async throws {
    let ofGame = SamplePredicate.metadata("externalUUID", .equal, .text(game))
    let rates = try await QuantityQuery(.heartRate, predicate: ofGame).result(for: client)
    say("Your heart in the last game: \(rates.count) values")
    for rate in rates { say("  \(rate.span.start.iso8601())  \(Int(rate.value))/min") }
  }

  static func coloured(_ text: String, _ colour: Int) -> String {
    let isPlain = ProcessInfo.processInfo.environment["NO_COLOR"] != nil || isatty(STDOUT_FILENO) == 0
    return isPlain ? text : "\u{1B}[\(colour)m\(text)\u{1B}[0m"
  }

  static func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\r\n".utf8)) }
}
