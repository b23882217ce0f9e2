/// A question about recordings.
package enum ArchiveQuestion: Hashable, Sendable {
  /// All recordings, the latest first.
  case sessions
  /// The curve of one, by its identifier.
  case beats(session: String)
  /// The heart rate variability of one.
  case variability(session: String)
  /// The curve of the heart rate of one, of so many columns at most.
  case rates(session: String, columns: Int)
  /// All workouts, the latest first.
  case workouts
  /// The curve of the heart rate of one, of so many columns at most.
  case workoutRates(workout: String, columns: Int)
  /// Nights and naps, the latest first, at an offset of so many seconds from UTC.
  case nights(offset: Int32)
  /// The sensors that are recorded.
  case sensors
  /// The heart rate by the calendar: `1d` for example, at an offset of so many seconds from UTC.
  case statistics(every: String, offset: Int32)
}

extension ArchiveQuestion {
  /// The question of a path with its parameters; nil for another path.
  init?(path: String, _ parameter: (String) -> String?) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 3, parts[0].isEmpty, parts[1] == "api" else { return nil }
    let columns = Self.columns(parameter("columns"))
    guard let columns, let minutes = Int32(parameter("utc_offset_minutes") ?? "0"), (-840...840).contains(minutes)
    else { return nil }
    switch (parts[2], parts.count, parts.last) {
    case ("sessions", 3, _): self = .sessions
    case ("workouts", 3, _): self = .workouts
    case ("sessions", 5, "beats"): self = .beats(session: parts[3])
    case ("sessions", 5, "rates"): self = .rates(session: parts[3], columns: columns)
    case ("sessions", 5, "variability"): self = .variability(session: parts[3])
    case ("workouts", 5, "rates"): self = .workoutRates(workout: parts[3], columns: columns)
    case ("nights", 3, _): self = .nights(offset: minutes * 60)
    case ("statistics", 3, _): self = .statistics(every: parameter("every") ?? "1d", offset: minutes * 60)
    default: return nil
    }
  }

  /// The number of columns that was asked for; nil where that is none.
  static func columns(_ text: String?) -> Int? {
    guard let text else { return RateCurve.mostColumns }
    return Int(text).flatMap { (1...RateCurve.mostColumns).contains($0) ? $0 : nil }
  }
}

/// The answer to a question about recordings.
package enum ArchiveAnswer: Hashable, Sendable {
  case json([UInt8])
  /// The sensors that are recorded, which the hub shows with what it has seen of them.
  case sensors([SensorEntry])
  /// There is no such recording, or the application may not read it.
  case notFound
  /// The question makes no sense; the reason, for a person.
  case wrong(String)
  /// The application asks too much at a time; the remedy, for a person.
  case tooMany(String)
  /// The recorder cannot be asked now; the reason, for a person.
  case unavailable(String)
}

/// Asks the recorder in the name of an application, and calls `answer` from any thread.
package typealias Archive =
  @Sendable (
    _ question: ArchiveQuestion, _ application: String, _ answer: @escaping @Sendable (ArchiveAnswer) -> Void
  ) -> Void
