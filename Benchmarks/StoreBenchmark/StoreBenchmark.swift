import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore

/// What `Benchmarks/run` measures the store with. It prints `name value` lines and writes the answers to files, so that they
/// can be compared with those of other layouts.
///
///     StoreBenchmark load-rates YEAR STORE [YEAR …]     one series for each session, all in one transaction
///     StoreBenchmark load-beats YEAR STORE
///     StoreBenchmark load-sessions YEAR STORE COUNT     as the recorder does: one transaction for each session
///     StoreBenchmark load-categories STORE COUNT        sleep stages, night after night, in one transaction
///     StoreBenchmark nights STORE                       the summary of one of those nights
///     StoreBenchmark load-workouts STORE COUNT          with five activities each, one transaction for each workout
///     StoreBenchmark workouts STORE                     those with a hard activity, and the figures of a long one
///     StoreBenchmark query STORE ANSWERS                statistics and one session
///     StoreBenchmark merge STORE ANSWERS                all series as one
///     StoreBenchmark read STORE batches|whole           every value once, and the memory for that
///     StoreBenchmark hourly STORE TIMES                 only that, for callgrind
///     StoreBenchmark open STORE                         as a reader and as the recorder
///     StoreBenchmark live SECONDS STORE                 live statistics beside a writer, each compared
///     StoreBenchmark builder SECONDS in-order|mixed     peak memory of a builder
@main
enum StoreBenchmark {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("load-rates", 3...): try await Loading.rates(years: [arguments[1]] + arguments[3...], into: arguments[2])
    case ("load-beats", 3): try await Loading.beats(year: arguments[1], into: arguments[2])
    case ("load-sessions", 4):
      try await Loading.sessions(year: arguments[1], into: arguments[2], count: Int(arguments[3]) ?? 0)
    case ("load-categories", 3): try await Loading.categories(count: Int(arguments[2]) ?? 0, into: arguments[1])
    case ("nights", 2): try await Querying.nights(of: arguments[1])
    case ("load-workouts", 3): try await Workouts.load(Int(arguments[2]) ?? 0, into: arguments[1])
    case ("workouts", 2): try await Workouts.query(arguments[1])
    case ("query", 3): try await Querying.statistics(of: arguments[1], answers: arguments[2])
    case ("merge", 3): try await Querying.merge(arguments[1], answers: arguments[2])
    case ("read", 3): try await Querying.read(arguments[1], inBatches: arguments[2] == "batches")
    case ("hourly", 3): try await Querying.hourly(of: arguments[1], times: Int(arguments[2]) ?? 1)
    case ("open", 2): try await Querying.open(arguments[1])
    case ("live", 3): try await LiveStatistics.run(seconds: Int(arguments[1]) ?? 0, in: arguments[2])
    case ("builder", 3): try Loading.builder(seconds: Int(arguments[1]) ?? 0, mixed: arguments[2] == "mixed")
    default: throw BenchmarkError.usage
    }
  }

  /// Prints a figure.
  static func show(_ name: String, _ value: some CustomStringConvertible) {
    print("\(name) \(value)")
  }

  /// Runs `body` so often and prints the median, the least and the greatest time in milliseconds.
  static func time<Result>(_ name: String, times: Int, _ body: () async throws -> Result) async throws -> Result {
    var milliseconds: [Double] = []
    let clock = ContinuousClock()
    var result = try await body()
    for _ in 0..<times {
      let start = clock.now
      result = try await body()
      milliseconds.append(Double((clock.now - start) / .nanoseconds(1)) / 1e6)
    }
    milliseconds.sort()
    print(name, milliseconds[times / 2], milliseconds[0], milliseconds[times - 1])
    return result
  }
}
