/// Numbers of things, for people.
enum Count {
  /// `1 gap`, `2 gaps`.
  static func of(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
