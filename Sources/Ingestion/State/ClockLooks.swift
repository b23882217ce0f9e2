import Sensors
import SeriesStore

/// When the clock's service is asked whether the clock is synchronised, and what its answers mean. Pure.
///
/// No signal tells when that changes. So it is asked while there is a bus for the first time, when something is to be dated, and
/// after the clock was set: chrony steps it first and reports later, so then it is asked again, twenty times in ten minutes at most.
/// Otherwise nothing wakes for it.
struct ClockLooks {
  /// The meaning of an answer for what was dated before.
  enum News: Hashable {
    /// The clock is right from now on.
    case becameSynchronised
    /// Set, and nobody vouches for it: by hand.
    case setByHand
  }

  private(set) var belief = ClockBelief.notKnown
  /// When it is to be asked again; nil where no answer is missing.
  private(set) var deadline: BootInstant?
  /// How often it is still asked after the clock was set; nil where it was not set, or all was said of it.
  private var left: Int?
  private var isAsking = false
  /// The clock was set while an answer was on its way, which may be of the time before.
  private var isStale = false

  static let greatestLooks = 20
  /// Microseconds.
  static let interval: Int64 = 30_000_000

  /// The clock was set.
  ///
  /// - Returns: Whether to ask.
  mutating func clockSet() -> Bool {
    left = Self.greatestLooks
    // The kernel believes no clock that was just set.
    if belief == .synchronised { belief = .notSynchronised }
    isStale = isAsking
    return ask()
  }

  /// Something is to be dated, or there is a bus.
  ///
  /// - Returns: Whether to ask.
  mutating func look() -> Bool {
    belief == .synchronised ? false : ask()
  }

  /// Time has passed.
  ///
  /// - Returns: Whether to ask.
  mutating func timeReached(_ now: BootInstant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    return ask()
  }

  private mutating func ask() -> Bool {
    guard !isAsking else { return false }
    isAsking = true
    deadline = nil
    if let looks = left { left = looks - 1 }
    return true
  }

  /// An answer; ``ClockBelief/notKnown`` where there was none.
  ///
  /// - Returns: What it means; nil for nothing new.
  mutating func answered(_ answer: ClockBelief, at now: BootInstant) -> News? {
    isAsking = false
    if isStale {
      isStale = false
      deadline = now
      return nil
    }
    let before = belief
    belief = answer
    if answer == .synchronised {
      let wasSet = left != nil
      left = nil
      deadline = nil
      return before == .synchronised && !wasSet ? nil : .becameSynchronised
    }
    guard let left else { return nil }
    guard answer == .notSynchronised, left > 0 else {
      self.left = nil
      return .setByHand
    }
    deadline = now.advanced(byMicroseconds: Self.interval)
    return nil
  }
}
