/// Values that arrived and that the journal never got.
struct JournalLoss: Hashable, Sendable {
  let values: Int
  /// For how long values were lost, in microseconds.
  let microseconds: Int64

  /// The line for the log; nil where no value was lost. `name` says whose values they were.
  func line(of name: String) -> LogLine? {
    guard values > 0 else { return nil }
    let tenths = microseconds / 100_000
    return LogLine(.warning, "\(name): \(values) values were lost in \(tenths / 10).\(tenths % 10) s without a journal")
  }
}
