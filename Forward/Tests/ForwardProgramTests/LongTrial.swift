import FoundationEssentials

/// What `make gateways` asks for, and the tests of every day leave out.
enum LongTrial {
  /// How many random kills.
  static let kills = ProcessInfo.processInfo.environment["SENSORD_KILLS"].flatMap { Int($0) } ?? 0
}
