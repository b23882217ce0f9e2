/// Which of stretches of time that overlap counts when.
enum OverlapResolution {
  /// A time in which one of them counts.
  struct Part {
    var span: TimeSpan
    /// Its place in the order of precedence.
    var place: Int
  }

  /// The parts of time in which a stretch counts, in order of time; next to each other they may be of the same one.
  ///
  /// - Parameter spans: In order of precedence: of those of one moment the first counts.
  /// - Returns: Nothing of a time that lies in none, and nothing of stretches without a length. O(n log n).
  static func parts(of spans: [TimeSpan]) -> [Part] {
    let moments = Set(spans.flatMap { [$0.start, $0.end] }).sorted()
    let places = Dictionary(zip(moments, 0...)) { first, _ in first }
    // For the time from each moment to the next: which counts.
    var counting = [Int?](repeating: nil, count: moments.count)
    // For each moment the first one from there on where none counts yet, or one that is on the way to it.
    var free = Array(0...moments.count)
    func firstFree(_ moment: Int) -> Int {
      var moment = moment
      while free[moment] != moment {
        free[moment] = free[free[moment]]
        moment = free[moment]
      }
      return moment
    }
    for (place, span) in spans.enumerated() {
      guard let start = places[span.start], let end = places[span.end] else { continue }
      var moment = firstFree(start)
      while moment < end {
        counting[moment] = place
        free[moment] = moment + 1
        moment = firstFree(moment)
      }
    }
    return counting.enumerated().compactMap { moment, place in
      guard let place, let span = TimeSpan(start: moments[moment], end: moments[moment + 1]) else { return nil }
      return Part(span: span, place: place)
    }
  }
}
