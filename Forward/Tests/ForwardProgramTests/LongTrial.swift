import FoundationEssentials

/// What `make gateways` has done beyond the tests of every day.
enum LongTrial {
  /// How many random kills.
  static let kills = number("SENSORD_KILLS") ?? 0
  /// Whether what must be reached is measured.
  static let measures = environment["SENSORD_GOALS"] != nil
  /// How many simulated gateways.
  static let gateways = number("SENSORD_GATEWAYS") ?? 1_000
  /// How many sessions are compared within 64 MiB.
  static let sessions = number("SENSORD_SESSIONS") ?? 0
  /// A program of another version.
  static let otherProgram = environment["SENSORD_OTHER_FORWARD"]

  private static let environment = ProcessInfo.processInfo.environment
  private static func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
}
