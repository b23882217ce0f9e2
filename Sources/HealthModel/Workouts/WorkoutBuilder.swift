public import FoundationEssentials

/// Makes a ``Workout``: begins, collects, ends and finishes. Pure: each call has its time, and a refused one changes nothing.
///
/// Events of one activity alone stand in its ``WorkoutActivity``. A ``WorkoutSession`` makes events and activities live;
/// ``init(of:)`` continues with these.
public struct WorkoutBuilder: Hashable, Sendable {
  /// The identifier of the workout.
  public let id: UUID
  /// The kind and the place of the workout.
  public let configuration: WorkoutConfiguration
  /// The start of the collection; nil before.
  public private(set) var start: Timestamp?
  /// The end of the collection; nil before.
  public private(set) var end: Timestamp?
  /// The events so far.
  public private(set) var events: [WorkoutEvent] = []
  /// The activities that are over.
  public private(set) var activities: [WorkoutActivity] = []
  /// Further information so far.
  public private(set) var metadata: Metadata = [:]
  /// The samples that were collected so far.
  public private(set) var samples: [WorkoutSample] = []
  private var isFinished = false

  /// A builder that has not begun. Throws ``WorkoutError/invalidLapLength``.
  public init(_ configuration: WorkoutConfiguration, id: UUID = UUID()) throws(WorkoutError) {
    try configuration.validate()
    self.id = id
    self.configuration = configuration
  }

  /// Goes on with the events and activities of a session: it collects, and has ended if the session has.
  ///
  /// Throws ``WorkoutError/notBegun`` for a session that never started.
  public init(of session: WorkoutSession) throws(WorkoutError) {
    guard let start = session.start else { throw .notBegun }
    try self.init(session.configuration, id: session.id)
    self.start = start
    events = session.events
    activities = session.activities
    if let end = session.end { try endCollection(at: end) }
  }

  /// Begins to collect.
  public mutating func beginCollection(at time: Timestamp) throws(WorkoutError) {
    guard !isFinished else { throw .finished }
    guard start == nil else { throw .alreadyBegun }
    guard Timestamp.calendarRange.contains(time) else { throw .timeOutOfRange }
    start = time
  }

  /// Adds samples that were collected; one with the identifier of another replaces it.
  public mutating func addSamples(_ samples: [WorkoutSample]) throws(WorkoutError) {
    try checkBegun()
    let news = Set(samples.map(\.id))
    self.samples.removeAll { news.contains($0.id) }
    self.samples += samples
  }

  /// Adds all of these events, or throws and adds no event.
  public mutating func addEvents(_ events: [WorkoutEvent]) throws(WorkoutError) {
    try checkBegun()
    var copy = self
    copy.events += events
    try copy.draft().validate()
    self = copy
  }

  /// Adds an activity that is over.
  public mutating func addActivity(_ activity: WorkoutActivity) throws(WorkoutError) {
    try checkBegun()
    var copy = self
    copy.activities.append(activity)
    try copy.draft().validate()
    self = copy
  }

  /// Adds metadata; a new value replaces that of the same key.
  public mutating func addMetadata(_ metadata: Metadata) throws(WorkoutError) {
    guard !isFinished else { throw .finished }
    self.metadata.merge(metadata) { $1 }
  }

  /// Ends the collection. Samples, events and activities of the time before may still be added.
  public mutating func endCollection(at time: Timestamp) throws(WorkoutError) {
    try checkBegun()
    guard end == nil else { throw .alreadyEnded }
    guard time >= start ?? time else { throw .endsBeforeStart }
    var copy = self
    copy.end = time
    try copy.draft().validate()
    self = copy
  }

  /// The workout, with the figures of what was collected and the scores of its swims; later calls throw.
  public mutating func finishWorkout() throws(WorkoutError) -> Workout {
    try checkBegun()
    guard end != nil else { throw .notEnded }
    let quantities = CollectedQuantities(samples)
    let workout = try draft().scored(quantities).with(quantities)
    isFinished = true
    return workout
  }

  /// Ends the builder without a workout; later calls throw. Samples that were saved stay.
  public mutating func discard() throws(WorkoutError) {
    guard !isFinished else { throw .finished }
    isFinished = true
  }

  /// The time since the start without pauses, up to the end.
  public func elapsedTime(at time: Timestamp) -> Duration {
    guard let start, let span = TimeSpan(start: start, end: min(time, end ?? time)) else { return .zero }
    return Workout(configuration, over: span, events: events, activities: activities).duration
  }

  /// The figures of one type so far; nil if nothing of it was collected.
  public func statistics(for type: QuantityType) -> WorkoutStatistics? {
    guard let start else { return nil }
    // Behind the last value, as long as the end is unknown.
    let last = samples.compactMap { sample in
      sample.quantities.starts.last.map { max($0, sample.quantities.ends.max() ?? $0) }
    }
    let open = Timestamp(microseconds: (last.max() ?? start.microseconds).addingSaturated(1))
    guard let span = TimeSpan(start: start, end: end ?? max(open, start)) else { return nil }
    let pauses = Workout(configuration, over: span, events: events, activities: activities).pauses
    return CollectedQuantities(samples).statistics(for: type, over: span, without: pauses)
  }

  private func checkBegun() throws(WorkoutError) {
    guard !isFinished else { throw .finished }
    guard start != nil else { throw .notBegun }
  }

  /// The workout as it is so far; without an end it is open.
  private func draft() throws(WorkoutError) -> Workout {
    guard let start, let span = TimeSpan(start: start, end: end ?? Timestamp.calendarRange.upperBound) else {
      throw .notBegun
    }
    return Workout(id: id, configuration, over: span, events: events, activities: activities, metadata: metadata)
  }
}
