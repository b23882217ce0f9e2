/// Builds a heartbeat series, from times since its start or from runs of RR intervals.
///
/// An invalid call throws and changes nothing. Times strictly increase, across runs too.
public struct HeartbeatSeriesBuilder: Sendable {
  /// Ticks per second, at least 1.
  public let timescale: Int32
  /// The runs that are complete.
  private var runs: [HeartbeatSeries.Run] = []
  /// The current run; it has all beats from its first one on.
  private var run: HeartbeatSeries.Run?
  private var beats: [Heartbeat] = []
  /// The tick of the last beat in its run.
  private var tick: Int64 = 0
  private var lastTime: Timestamp?
  /// The start of the series, if given.
  private var start: Timestamp?
  private var isFinished = false

  /// An empty series; a timescale below 1 counts as 1.
  public init(timescale: Int32 = 1024) {
    self.timescale = max(timescale, 1)
  }

  /// The number of beats so far.
  public var count: Int { beats.count }

  /// Makes room for so many beats.
  public mutating func reserveCapacity(_ count: Int) {
    beats.reserveCapacity(count)
  }

  /// Begins a run whose first beat is at `firstTick` of `map`. A run without beats is dropped.
  public mutating func beginRun(_ map: AffineTimeMap, firstTick: Int64 = 0) throws(SeriesError) {
    guard !isFinished else { throw .finished }
    closeRun()
    run = HeartbeatSeries.Run(beats: beats.count..<beats.count, firstTick: firstTick, map: map)
  }

  private mutating func closeRun() {
    guard var run, run.beats.lowerBound < beats.count else { return }
    run.beats = run.beats.lowerBound..<beats.count
    runs.append(run)
    self.run = nil
  }

  /// Adds a beat to the current run, `rrTicks` after the previous beat of that run.
  ///
  /// `time` is the beat's wall-clock time if it differs from the map's. The difference is stored with the beat and may be
  /// up to 35 minutes.
  public mutating func add(
    rrTicks: UInt32, precededByGap: Bool = false, flags: Heartbeat.Flags = [], at time: Timestamp? = nil
  ) throws(SeriesError) {
    guard !isFinished else { throw .finished }
    let position = beats.count
    guard let run else { throw .runsDoNotCoverBeats }
    let isFirst = run.beats.lowerBound == position
    let next = isFirst ? run.firstTick : tick &+ Int64(rrTicks)
    let mapped = run.map.time(atTicks: next, timescale: timescale)
    guard let offset = Int32(exactly: time?.microseconds(since: mapped) ?? 0) else {
      throw .beatOutOfRange(index: position)
    }
    let derived = mapped.advanced(byMicroseconds: Int64(offset))
    if let lastTime, derived <= lastTime { throw .timeNotIncreasing(index: position) }
    beats.append(
      Heartbeat(rrTicks: rrTicks, precededByGap: precededByGap, flags: flags, offsetMicroseconds: offset))
    lastTime = derived
    tick = next
  }

  /// Adds a beat `ticks` after the series' `start`, as in HealthKit: one run, whose map is anchored at the start.
  ///
  /// `start` must be the same in every call (``SeriesError/startDiffers(index:)``); ticks strictly increase from 0 on.
  public mutating func add(
    atTicks ticks: Int64, since start: Timestamp, precededByGap: Bool = false, flags: Heartbeat.Flags = []
  ) throws(SeriesError) {
    guard !isFinished else { throw .finished }
    let position = beats.count
    guard run.map({ $0.map.anchor == start }) ?? true else { throw .startDiffers(index: position) }
    guard ticks >= 0, beats.isEmpty || ticks > tick else { throw .timeNotIncreasing(index: position) }
    let (interval, overflow) = ticks.subtractingReportingOverflow(beats.isEmpty ? 0 : tick)
    guard !overflow, let rrTicks = UInt32(exactly: interval) else { throw .beatOutOfRange(index: position) }
    if run == nil { try beginRun(AffineTimeMap(anchor: start), firstTick: ticks) }
    try add(rrTicks: rrTicks, precededByGap: precededByGap, flags: flags)
    self.start = start
  }

  /// Returns the series; later calls throw. Throws ``SeriesError/empty`` without beats; then the builder can still be used.
  public mutating func finish() throws(SeriesError) -> HeartbeatSeries {
    guard !isFinished else { throw .finished }
    guard !beats.isEmpty else { throw .empty }
    isFinished = true
    closeRun()
    return HeartbeatSeries(checked: runs, beats: beats, timescale: timescale, start: start)
  }

  /// Discards all beats; later calls throw.
  public mutating func discard() throws(SeriesError) {
    guard !isFinished else { throw .finished }
    isFinished = true
    runs = []
    run = nil
    beats = []
  }
}

/// A reason why a series rejects an insertion, or cannot be finished. The values inserted before stay.
@nonexhaustive
public enum SeriesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The series was finished or discarded before this call.
  case finished
  /// The series has no values, so there is nothing to save.
  case empty
  /// A quantity or a beat comes before the series' start.
  case startsBeforeSeries
  /// The interval ends before it starts.
  case endsBeforeStart
  /// The end date lies before the end of an inserted interval.
  case endsBeforeInsertedEnd
  /// The unit cannot be converted to the unit of the type.
  case incompatibleUnit(unit: String, type: String)
  /// The type's unit or style is unknown to this program, so it cannot add values.
  case unknownType(String)
  /// A correlation lacks a sample of one of its type's parts.
  case partMissing(String)
  /// A correlation contains another correlation.
  case correlationWithin
  /// The time lies outside of the years 1 to 9999.
  case timeOutOfRange
  /// The magnitude of the value exceeds `limit`: sums of such values could overflow.
  case valueOutOfRange(limit: Double)
  /// The value is not a number, or infinite.
  case notFinite
  /// A recorded value is earlier than the one before it.
  case timeDecreases(index: Int)
  /// A beat is not later than the one before it.
  case timeNotIncreasing(index: Int)
  /// The beat is given relative to another start than the ones before it.
  case startDiffers(index: Int)
  /// The runs leave a beat out, overlap or are empty.
  case runsDoNotCoverBeats
  /// A timescale must be a positive number of ticks per second.
  case invalidTimescale(Int32)
  /// The beat is too far from its run's map, or from the previous beat, for the format.
  case beatOutOfRange(index: Int)
  /// The route of a workout breaks a rule.
  case invalidRoute(WorkoutRouteError)
  /// An audiogram breaks a rule.
  case invalidAudiogram(AudiogramError)
  /// A prescription breaks a rule.
  case invalidPrescription(VisionPrescriptionError)

  /// One line for a person.
  public var description: String {
    switch self {
    case .finished: "the series was finished or discarded before"
    case .empty: "the series is empty"
    case .startsBeforeSeries: "a value comes before the start of its series"
    case .endsBeforeStart: "the quantity ends before it starts"
    case .endsBeforeInsertedEnd: "the series would end before one of its quantities"
    case .incompatibleUnit(let unit, let type): "\(unit) cannot be converted to the unit of \(type)"
    case .unknownType(let type): "unit or style of \(type) are not known to this program"
    case .partMissing(let type): "there is no sample of \(type) among the parts"
    case .correlationWithin: "a correlation is no part of another"
    case .timeOutOfRange: "the time lies outside of the years 1 to 9999"
    case .valueOutOfRange(let limit): "a value lies between -\(limit) and \(limit)"
    case .notFinite: "the value is no finite number"
    case .timeDecreases(let index): "value \(index) is earlier than the one before it"
    case .timeNotIncreasing(let index): "beat \(index) is not later than the one before it"
    case .startDiffers(let index): "beat \(index) is given from another start than the ones before it"
    case .runsDoNotCoverBeats: "the runs do not hold every beat once"
    case .invalidTimescale(let timescale): "\(timescale) ticks per second are no timescale"
    case .invalidRoute(let error): error.description
    case .invalidAudiogram(let error): error.description
    case .invalidPrescription(let error): error.description
    case .beatOutOfRange(let index): "beat \(index) is too far from its run's map or from the beat before it"
    }
  }
}
