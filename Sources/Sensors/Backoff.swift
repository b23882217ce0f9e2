import Bits

/// Waiting times that double with each failure, with jitter, so that many sensors that failed together do not all come
/// back together.
struct Backoff: Hashable, Sendable {
  private(set) var failures = 0

  /// Counts one more failure and says how long to wait: `first`, doubled by each failure before, at most `longest`;
  /// all of it give or take a quarter.
  mutating func next(first: Duration, longest: Duration, using random: inout SplitMix64) -> Duration {
    let doubled = first * (1 << min(failures, 20))
    failures += 1
    return min(doubled, longest) * Double.random(in: 0.75...1.25, using: &random)
  }

  /// Forgets all failures.
  mutating func reset() {
    failures = 0
  }
}
