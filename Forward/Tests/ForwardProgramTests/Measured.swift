import Glibc

/// Figures that are printed and that nothing fails for: machines differ.
enum Measured {
  /// How long something took.
  static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let before = now()
    try await body()
    return now() - before
  }

  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let before = now()
    try body()
    return now() - before
  }

  /// Seconds of the monotonic clock.
  static func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func say(_ name: String, _ figure: Double, _ unit: String, goal: String? = nil) {
    print("MEASURED  \(name): \(rounded(figure)) \(unit)\(goal.map { " (\($0))" } ?? "")")
  }

  static func rounded(_ figure: Double) -> Double { (figure * 100).rounded() / 100 }
}
