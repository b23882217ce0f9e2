import DBus
import Foundation

/// A program that has a session and a workout, and inserts a series into a recorder, one value after the other: for the trial that
/// kills one of the two.
///
/// `SeriesClient BUS-ADDRESS` prints `workout IDENTIFIER` and `series IDENTIFIER`, then the number of each value whose insertion was
/// answered, and `event` with the number of each marker of the workout, each with a line of its own at once. Where it calls too
/// often it waits a moment, as a program should; it ends where a call is refused for another reason.
@main
enum SeriesClient {
  static func main() async {
    do {
      try await insert(CommandLine.arguments.last ?? "")
    } catch {
      tell("ended: \(error)")
    }
  }

  private static func insert(_ address: String) async throws {
    let loop = try EventLoop.startThread(named: "client")
    let connection = try await Connection.open(.address(address), on: loop)
    func ask(_ interface: String, _ member: String, _ body: [Value], at path: ObjectPath = "/org/sensord") async throws
      -> Value?
    {
      while true {
        do {
          return try await connection.call(
            .call("org.sensord", path: path, interface: "org.sensord.\(interface)", member: member, body: body)
          ).body.first
        } catch {
          guard error.name == "org.sensord.Error.LimitsExceeded" else { throw error }
          try await loop.sleep(for: .milliseconds(100))
        }
      }
    }
    let start: Int64 = 1_790_000_000_000_000
    // Without a strap that measures there is none.
    if (try? await ask("Manager1", "BeginSession", [.properties([:])])) != nil { tell("session") }
    let begun = try await ask(
      "Workouts1", "Begin", [.properties(["activityType": .string("running"), "sensor": .string("")])])
    guard let workout = begun?.objectPath else { return }
    tell("workout \(identifier(workout))")
    let series = try await ask(
      "HealthStore1", "NewQuantitySeries", [.string("bodyMass"), .int64(start), .properties([:])])
    guard let path = series?.objectPath else { return }
    tell("series \(identifier(path))")
    for number in Int64(1)... {
      let time = Value.int64(start + number)
      let value = Value.array([.structure([time, time, .double(Double(number))])], of: "(xxd)")
      _ = try await ask("QuantitySeries1", "Insert", [value], at: path)
      tell("\(number)")
      let marker = ["type": Value.string("marker"), "metadata": .properties(["n": .int64(number)])]
      _ = try await ask("Workout1", "AddEvent", [.properties(marker)], at: workout)
      tell("event \(number)")
    }
  }

  private static func identifier(_ path: ObjectPath) -> String {
    path.lastElement.map { $0 == "_" ? "-" : String($0) }.joined()
  }

  private static func tell(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
