internal import HealthModel

/// Where the timer of a FIT file starts and stops, in whole seconds.
///
/// FIT has intervals without times: a reader adds them up from where the timer started. So the time that the timer ran and the sum of the
/// intervals must agree, at every record and after any number of gaps. Rounding each start and stop by itself would let the errors
/// pile up; here each start takes up what is left over from before.
struct FITTimer {
  /// When the timer started last; nil while it stands.
  private(set) var start: Int64?
  /// The second of the last stop.
  private(set) var lastStop = Int64.min
  /// How long it ran until the last stop, in seconds.
  private(set) var seconds: Int64 = 0
  /// How far the timer is ahead of the sum of the intervals, in microseconds, at the last stop: half a second either way.
  private var ahead: Int64 = 0
  private var sum: Int64 = 0

  var isRunning: Bool { start != nil }

  /// Starts at a beat, or at a rate: returns the second, which is less than one away from it.
  mutating func start(at microseconds: Int64) -> Int64 {
    let second = max((microseconds + ahead + 500_000).flooredSeconds, lastStop)
    start = second
    sum = 0
    return second
  }

  mutating func add(milliseconds: Int64) { sum += milliseconds * 1000 }

  /// Stops after something that was at `microseconds`: at its second, or the next. A single beat stops where it started.
  mutating func stop(at microseconds: Int64, isSingle: Bool, countsSums: Bool) -> Int64 {
    guard let start else { return lastStop }
    var second = start
    if !isSingle {
      if countsSums { second += (sum - ahead + 500_000).flooredSeconds }
      second = max(second, microseconds.flooredSeconds, start)
    }
    seconds += second - start
    if countsSums { ahead += (second - start) * 1_000_000 - sum }
    lastStop = second
    self.start = nil
    return second
  }

  /// When the timer runs where there are no beats, in whole seconds: from rate to rate, and of a workout from its start to its end. It stands
  /// in gaps that were recorded, and in pauses.
  static func parts(of recording: InterchangeRecording) -> [ClosedRange<Int64>] {
    var parts: [ClosedRange<Int64>] = []
    let isWorkout = recording.workout != nil
    var start = isWorkout ? recording.span.start.microseconds.flooredSeconds : nil
    var last: Int64?
    for one in RateSeconds(recording, withoutPauses: true) {
      if let first = start, let last, one.isPrecededByGap {
        parts.append(first...max(first, last))
        start = one.second
      }
      start = start ?? one.second
      last = one.second
    }
    let end = isWorkout ? max(last ?? .min, recording.span.end.microseconds.flooredSeconds) : last
    if let start, let end { parts.append(start...max(start, end)) }
    var pauses = TimeStretches()
    for pause in recording.pauses.stretches {
      pauses.append(from: pause.lowerBound.flooredSeconds, to: pause.upperBound.flooredSeconds)
    }
    guard !pauses.isEmpty else { return parts }
    var free: [ClosedRange<Int64>] = []
    for part in parts {
      // A rate between two gaps stands alone.
      if part.lowerBound == part.upperBound, !pauses.contains(part.lowerBound) { free.append(part) }
      pauses.forEachFreePart(from: part.lowerBound, to: part.upperBound) { if $0 < $1 { free.append($0...$1) } }
    }
    return free
  }
}
