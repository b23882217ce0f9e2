package import HealthModel

/// What a reader finds in a file, one after the other.
package enum ForeignElement: Hashable, Sendable {
  /// A recording begins; what came before belongs to another one.
  case recording
  /// The recording is a copy of that one: written by this program, from whatever store.
  case identity(RecordingIdentity)
  /// The hardware that measured, as the file names it; what is said later adds to it.
  case device(Device)
  /// The program or device that made the file, as the file names it.
  case source(SourceRevision)
  /// What was done.
  case activity(WorkoutActivityType)
  /// A heart rate.
  case rate(Timestamp, UInt16)
  /// A moment without a value: a clock for the intervals that follow.
  case moment(Timestamp)
  /// The timer starts or stops: where it stands there is nothing.
  case timer(isRunning: Bool, Timestamp)
  /// Rates were lost between the one before and the next: the file says so, however short that is.
  case lostRates
  /// Beats were lost between the one before and the next: something stands there that is no interval.
  case lostBeats
  /// Times of beats are known to so many milliseconds; by the file's first line alone the first one would be at `knownBy`.
  case timesWithin(milliseconds: Int64, knownBy: Timestamp)
  /// An interval in milliseconds. It follows the one before, or the start of the timer.
  case interval(UInt32)
  /// An interval in milliseconds, whose beat was at that time.
  case placedInterval(UInt32, Timestamp)
  /// A beat at a time of which nothing else is known.
  case beat(Timestamp)
  /// Beats are told in so many ticks a second, and counted from that moment; nil where the file does not say when that was.
  case ticks(perSecond: Int32, from: Timestamp?)
  /// A run of beats begins with one at that tick.
  case firstBeat(Int64, Heartbeat.Flags)
  /// A beat so many ticks after the one before.
  case nextBeat(UInt32, Heartbeat.Flags)
  /// A lap ended.
  case lap(Timestamp)
}
