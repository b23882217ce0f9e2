import FoundationEssentials
public import HealthModel
import Sensors
import SeriesStore

/// A machine's word on its wall clock, beside the time. Pure; the driver reads it.
public struct MachineClock: Hashable, Sendable {
  /// Whether it has a clock that goes on without power, by which the kernel sets the wall clock at the start.
  public var goesOnWithoutPower: Bool
  /// When this program was made: no clock that is right is behind it.
  public var programDate: Timestamp?

  public init(goesOnWithoutPower: Bool = true, programDate: Timestamp? = nil) {
    self.goesOnWithoutPower = goesOnWithoutPower
    self.programDate = programDate
  }
}

/// By which clock something is dated that is stored now, and whether its dates are in doubt. Pure.
struct ClockJudgement: Hashable, Sendable {
  /// The present start of the machine, and how far its wall clock is ahead of its boot clock, in microseconds.
  var boot: BootIdentifier
  var lead: Int64
  var belief: ClockBelief
  var machine: MachineClock

  /// The clock of a recording.
  ///
  /// - Parameters:
  ///   - boot: The boot of its last events.
  ///   - lead: The lead that it knows of that boot.
  ///   - start: When it begins by that.
  ///   - remembered: The store's knowledge of that boot.
  ///   - newest: The end of the newest session that was stored while the clock was synchronised.
  /// - Returns: The clock.
  func clock(
    in boot: BootIdentifier?, at lead: Int64?, from start: Timestamp,
    remembered: (belief: ClockBelief, lead: Int64)?, newest: Timestamp?
  ) -> RecordedClock {
    let known: (belief: ClockBelief, lead: Int64)? = boot == self.boot ? (belief, self.lead) : remembered
    var clock = RecordedClock(boot: boot?.uuid, lead: lead, belief: known?.belief ?? .notKnown, isDoubtful: false)
    // Knowledge of a clock does not hold for the dates that it gave before it was set.
    if let known, known.belief.isTrusted, !clock.isNear(known.lead) { clock.belief = .notSynchronised }
    let isBehind = [newest, machine.programDate].contains { $0.map { start < $0 } ?? false }
    clock.isDoubtful = !clock.belief.isTrusted && (!machine.goesOnWithoutPower || isBehind)
    return clock
  }
}

/// The times at which the clock's service is asked whether the clock is synchronised, and the meaning of its answers.
/// Pure.
///
/// No signal reports a change. So the service is asked while there is a bus for the first time, when something is to be
/// dated, and after the clock was set: chrony steps it first and reports later, so then the service is asked again,
/// twenty times in ten minutes at most. Otherwise nothing wakes for it.
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
  /// The number of questions left after the clock was set; nil if it was not set, or its answers are complete.
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
  /// - Returns: The meaning of the answer; nil for nothing new.
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

/// The times at which wrong dates of the clock are corrected: once a minute at most. Pure.
struct Datings {
  /// The time from which the next correction is allowed.
  private var earliest: BootInstant?
  /// The time of a correction that had to wait; nil if no correction waits.
  private(set) var deadline: BootInstant?
  private var isUnderWay = false

  /// Microseconds.
  static let interval: Int64 = 60_000_000

  /// There may be something to be dated anew.
  ///
  /// - Returns: Whether to do it now.
  mutating func begin(at now: BootInstant) -> Bool {
    if isUnderWay || earliest.map({ now < $0 }) ?? false {
      deadline = earliest ?? now
      return false
    }
    isUnderWay = true
    earliest = now.advanced(byMicroseconds: Self.interval)
    deadline = nil
    return true
  }

  /// Done; where that failed it is tried again.
  mutating func ended(failed: Bool) {
    isUnderWay = false
    if failed { deadline = earliest }
  }

  /// Whether one that had to wait is due.
  mutating func timeReached(_ now: BootInstant) -> Bool {
    guard let deadline, deadline <= now, !isUnderWay else { return false }
    self.deadline = nil
    return true
  }

  /// Those that are moved together: all of one clock, which was slewed by less than a hundredth of a second meanwhile.
  static func groups(_ misdated: [(object: UUID, shift: Int64)]) -> [(objects: [UUID], shift: Int64)] {
    var groups: [(objects: [UUID], shift: Int64)] = []
    for (object, shift) in misdated {
      if let place = groups.firstIndex(where: { abs($0.shift &- shift) <= 10_000 }) {
        groups[place].objects.append(object)
      } else {
        groups.append(([object], shift))
      }
    }
    return groups
  }
}
