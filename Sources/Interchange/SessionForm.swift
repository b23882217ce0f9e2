internal import HealthModel
internal import StoreCommands

/// How much of a session one form of it has: a file may have rates, another beats, and each to its own resolution.
struct SessionForm: Hashable, Sendable {
  var rates: Int
  var beats: Int
  /// Ticks of a second in which beats are known.
  var timescale: Int32

  init(rates: Int, beats: Int, timescale: Int32) {
    (self.rates, self.beats, self.timescale) = (rates, beats, timescale)
  }

  init(_ session: RecordedSession) {
    self.init(
      rates: session.rates.count, beats: session.heartbeats.beats.count, timescale: session.heartbeats.timescale)
  }

  /// Whether something of it would be lost if the other took its place: values, or the resolution of as many beats.
  func hasMore(than other: SessionForm) -> Bool {
    rates > other.rates || beats > other.beats
      || beats > 0 && beats == other.beats && timescale > other.timescale
  }

  /// `3,458 rates, 5,021 beats to 1/1024 s`.
  var text: String {
    let ofBeats = beats > 0 ? " to 1/\(timescale) s" : ""
    return "\(Count.of(rates, "rate")), \(Count.of(beats, "beat"))\(ofBeats)"
  }
}
