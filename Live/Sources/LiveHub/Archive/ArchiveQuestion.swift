/// A question about recordings.
package enum ArchiveQuestion: Hashable, Sendable {
  /// All recordings, the latest first.
  case sessions
  /// The curve of one, by its identifier.
  case beats(session: String)
  /// The heart rate variability of one.
  case variability(session: String)
  /// All workouts, the latest first.
  case workouts
  /// The heart rate by the calendar: `1d` for example, at an offset of so many seconds from UTC.
  case statistics(every: String, offset: Int32)
}

extension ArchiveQuestion {
  /// The question of a path; nil for another path.
  init?(path: String, every: String?, offset: String?) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 3, parts[0].isEmpty, parts[1] == "api" else { return nil }
    switch (parts[2], parts.count) {
    case ("sessions", 3): self = .sessions
    case ("workouts", 3): self = .workouts
    case ("sessions", 5) where parts[4] == "beats": self = .beats(session: parts[3])
    case ("sessions", 5) where parts[4] == "variability": self = .variability(session: parts[3])
    case ("statistics", 3):
      guard let minutes = Int32(offset ?? "0"), (-840...840).contains(minutes) else { return nil }
      self = .statistics(every: every ?? "1d", offset: minutes * 60)
    default: return nil
    }
  }
}

/// The answer to a question about recordings.
package enum ArchiveAnswer: Hashable, Sendable {
  case json([UInt8])
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
