/// How long to wait before the next attempt: twice as long after each failure up to a limit, and never as long as others wait.
public struct Backoff: Hashable, Sendable {
  /// Milliseconds after the first failure, and at most.
  public var first: Int
  public var most: Int
  /// The failures since the last success.
  public private(set) var failures = 0

  public init(first: Int = 500, most: Int = 300_000) {
    self.first = first
    self.most = most
  }

  /// Milliseconds to wait after one more failure: between half of the step and all of it.
  public mutating func fail(using random: inout some RandomNumberGenerator) -> Int {
    let step = min(most, first << min(failures, 20))
    failures += 1
    return Int.random(in: step / 2...step, using: &random)
  }

  /// It worked: the next failure is a first one.
  public mutating func succeed() { failures = 0 }
}
