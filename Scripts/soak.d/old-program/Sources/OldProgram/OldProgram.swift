import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore

/// What `StoreFollower` is for the present layout, with the calls that the first one's library had.
///
///     OldProgram write STORE SOURCE COUNT    saves samples, one at a time, until it is refused
///     OldProgram read STORE                  asks for all samples again and again over one connection
@main
enum OldProgram {
  static func main() async throws {
    let arguments = CommandLine.arguments
    do {
      switch (arguments.dropFirst().first, arguments.count) {
      case ("write", 5): try await write(arguments[2], source: arguments[3], count: Int(arguments[4]) ?? 0)
      case ("read", 3): try await read(arguments[2])
      default: tell("usage: OldProgram write STORE SOURCE COUNT | read STORE")
      }
    } catch let error as StoreError {
      tell("refused \(error.code)")
    }
  }

  private static func write(_ path: String, source: String, count: Int) async throws {
    let store = try HealthStore.open(path, for: .writing)
    tell("opened")
    for number in 0..<count {
      let start = Timestamp(microseconds: Int64(number) * 1_000_000)
      var builder = QuantitySeriesBuilder(type: number % 3 == 0 ? .stepCount : .heartRate, start: start)
      for second in 0...Int64(number % 5) {
        let time = start.advanced(byMicroseconds: second)
        try builder.insert(Double(60 + second), from: time, to: time)
      }
      let sample = try builder.finish()
      tell("saving \(sample.id.uuidString) \(number % 5 + 1)")
      try await store.save([sample], as: SourceRevision(identifier: source, name: source))
      tell("saved \(sample.id.uuidString)")
    }
  }

  private static func read(_ path: String) async throws {
    let store = try HealthStore.open(path, for: .reading)
    tell("opened")
    while true {
      let samples = try await SampleQuery().result(for: store).value
      tell("read \(samples.count)")
      usleep(20_000)
    }
  }

  private static func tell(_ line: String) {
    let bytes = Array("0 \(line)\n".utf8)
    _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
  }
}
