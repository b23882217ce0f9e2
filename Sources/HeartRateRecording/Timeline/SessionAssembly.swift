import HealthModel
import Sensors

/// From arrivals to beats in time: rules 1 to 8 and 11 of Documentation/timeline.md, one step after the other.
///
/// First the breaks, then the places of the runs between them, then the flags of the beats. Each step is a value made from
/// those before it, which it does not change.
struct SessionAssembly {
  let intervals: SessionIntervals
  let depth: ReleaseDepth
  /// Where runs begin; the first is beat 0.
  let starts: [RunStart]
  let placement: RunPlacement
  let flags: [Heartbeat.Flags]
  let earlyPackets: Int

  /// Nil without beats.
  init?(_ columns: TimelineCollector, _ clock: SensorClock, _ parameters: TimelineParameters) {
    var intervals = SessionIntervals(columns, clock, parameters)
    guard !intervals.rrTicks.isEmpty else { return nil }
    intervals.leaveOut(SurplusIntervals.impossible(in: intervals))
    let depth = ReleaseDepth(
      DepthCosts(intervals), model: columns.sensor.information[.modelNumber], parameters)
    var residuals = Residuals(
      intervals, depth: depth.beats, starts: RunBreaks.known(in: intervals, depth: depth.beats))
    let repeated = SurplusIntervals.repeated(in: residuals, intervals)
    if !repeated.isEmpty {
      intervals.leaveOut(repeated)
      residuals = Residuals(
        intervals, depth: depth.beats, starts: RunBreaks.known(in: intervals, depth: depth.beats))
    }
    residuals.divide(atLosses: RunBreaks.merge(residuals.starts, FloorSteps(residuals, intervals).starts), intervals)
    self.intervals = intervals
    self.depth = depth
    starts = residuals.starts
    placement = RunPlacement(intervals, residuals, depth: depth.beats)
    flags = BeatJudgement(intervals, starts).flags
    earlyPackets = residuals.early.count
  }
}
