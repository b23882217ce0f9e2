package import Documents
package import FoundationEssentials
internal import HealthModel
internal import SeriesStore

/// What pictures show.
extension SessionCatalogue {
  /// The curves of the session that `name` means.
  @concurrent package func curves(_ name: String) async throws -> RecordedCurves {
    let (session, rates, gaps) = try await rates(name)
    let beats = try await recording(session.id.uuidString).beats
    return RecordedCurves(in: Self.span(session.start, session.end), rates: rates, heartbeats: [beats], gaps: gaps)
  }

  /// The curves of a stored workout, from the sessions that were collected with it.
  @concurrent package func curves(ofWorkout workout: UUID) async throws -> RecordedCurves {
    let (store, sample) = try await stored(workout)
    let collected = try await Self.recorded(with: workout, in: store)
    var beats: [HeartbeatSeries] = []
    var gaps: [RecordingGap] = []
    for sample in collected where sample.type == .heartbeatSeries {
      if let session = sample.session { beats.append(try await store.beats(of: session)) }
    }
    for session in Set(collected.compactMap(\.session)) { gaps += try await store.gaps(of: session) }
    return RecordedCurves(
      in: Self.span(sample.start, sample.end), rates: try await Self.rates(of: collected, in: store),
      heartbeats: beats.sorted { ($0.start?.microseconds ?? 0) < ($1.start?.microseconds ?? 0) }, gaps: gaps)
  }

  static func span(_ start: Timestamp, _ end: Timestamp) -> TimeSpan {
    TimeSpan(start: start, end: end) ?? TimeSpan(at: start)
  }
}
