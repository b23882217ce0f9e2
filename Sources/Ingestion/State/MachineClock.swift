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
  ///   - remembered: What the store knows of that boot.
  ///   - newest: The end of the newest session that was stored while the clock was synchronised.
  /// - Returns: The clock.
  func clock(
    in boot: BootIdentifier?, at lead: Int64?, from start: Timestamp,
    remembered: (belief: ClockBelief, lead: Int64)?, newest: Timestamp?
  ) -> RecordedClock {
    let known: (belief: ClockBelief, lead: Int64)? = boot == self.boot ? (belief, self.lead) : remembered
    var clock = RecordedClock(boot: boot?.uuid, lead: lead, belief: known?.belief ?? .notKnown, isDoubtful: false)
    // Knowledge of a clock says nothing of the dates that it gave before it was set.
    if let known, known.belief.isTrusted, !clock.isNear(known.lead) { clock.belief = .notSynchronised }
    let isBehind = [newest, machine.programDate].contains { $0.map { start < $0 } ?? false }
    clock.isDoubtful = !clock.belief.isTrusted && (!machine.goesOnWithoutPower || isBehind)
    return clock
  }
}
