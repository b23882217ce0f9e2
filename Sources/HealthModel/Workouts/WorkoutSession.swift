public import FoundationEssentials

/// The state machine of a live workout: the order of its calls, and the events and activities that they make.
///
/// Pure: each method has a parameter for its time, and times never go back. The same calls make the same session, so a journal
/// of the calls is enough to restore a session. A refused call changes nothing.
public struct WorkoutSession: Hashable, Sendable, Identifiable {
  /// The states, with HealthKit's raw values.
  public enum State: Int64, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case notStarted = 1
    case running = 2
    case ended = 3
    case paused = 4
    case prepared = 5
    case stopped = 6

    /// HealthKit's name.
    public var description: String {
      switch self {
      case .notStarted: "notStarted"
      case .running: "running"
      case .ended: "ended"
      case .paused: "paused"
      case .prepared: "prepared"
      case .stopped: "stopped"
      }
    }
  }

  /// The identifier of the workout.
  public let id: UUID
  /// The kind and the place of the workout.
  public let configuration: WorkoutConfiguration
  /// The present state.
  public private(set) var state = State.notStarted
  /// The start of the workout; nil before.
  public private(set) var start: Timestamp?
  /// The time at which the workout was stopped, or else ended; nil before.
  public private(set) var end: Timestamp?
  /// The events so far, without those of single activities.
  public private(set) var events: [WorkoutEvent] = []
  /// The activities that are over.
  public private(set) var activities: [WorkoutActivity] = []
  /// The activity under way; its end is the time of the last call. Nil without an activity.
  public private(set) var currentActivity: WorkoutActivity?
  /// The time of the last call.
  private var latest: Timestamp?

  /// A session that has not started. Throws ``WorkoutError/invalidLapLength``.
  public init(_ configuration: WorkoutConfiguration, id: UUID = UUID()) throws(WorkoutError) {
    try configuration.validate()
    self.id = id
    self.configuration = configuration
  }

  /// Makes ready, for sensors that need time; from `notStarted`.
  public mutating func prepare(at time: Timestamp) throws(WorkoutError) {
    try advance(to: time, from: [.notStarted])
    state = .prepared
  }

  /// Starts the workout; from `notStarted` or `prepared`.
  public mutating func startActivity(at time: Timestamp) throws(WorkoutError) {
    try advance(to: time, from: [.notStarted, .prepared])
    start = time
    state = .running
  }

  /// Pauses; from `running`.
  public mutating func pause(at time: Timestamp) throws(WorkoutError) {
    try checkRoom()
    try advance(to: time, from: [.running])
    events.append(WorkoutEvent(.pause, at: time))
    state = .paused
  }

  /// Goes on; from `paused`.
  public mutating func resume(at time: Timestamp) throws(WorkoutError) {
    try checkRoom()
    try advance(to: time, from: [.paused])
    events.append(WorkoutEvent(.resume, at: time))
    state = .running
  }

  /// Begins an activity, and ends the one under way; while `running` or `paused`.
  public mutating func beginNewActivity(
    _ configuration: WorkoutConfiguration, at time: Timestamp, metadata: Metadata = [:], id: UUID = UUID()
  ) throws(WorkoutError) {
    try configuration.validate()
    try self.configuration.activityType.admit(configuration.activityType)
    let limit = Workout.mostActivities
    guard activities.count + (currentActivity == nil ? 0 : 1) < limit else { throw .tooManyActivities(limit: limit) }
    guard currentActivity?.id != id, !activities.contains(where: { $0.id == id }) else { throw .activityTwice }
    try advance(to: time, from: [.running, .paused])
    closeActivity()
    currentActivity = WorkoutActivity(id: id, configuration, over: TimeSpan(at: time), metadata: metadata)
  }

  /// Ends the activity under way; while `running` or `paused`.
  public mutating func endCurrentActivity(on time: Timestamp) throws(WorkoutError) {
    guard currentActivity != nil || ![.running, .paused].contains(state) else { throw .noActivity }
    try advance(to: time, from: [.running, .paused])
    closeActivity()
  }

  /// Adds a lap, a segment, a marker or another event that is over at `time`; while `running` or `paused`.
  ///
  /// An event that lies in the current activity belongs to that, any other to the workout. Pauses by the device belong to the
  /// workout, too, since an activity may end in one; ``pause(at:)`` and ``resume(at:)`` make all other pauses.
  public mutating func addEvent(_ event: WorkoutEvent, at time: Timestamp) throws(WorkoutError) {
    guard event.type != .pause, event.type != .resume else { throw .eventOfSession(event.type) }
    guard WorkoutEventType.names[event.type] != nil else { throw .unknownEvent(event.type) }
    try checkRoom()
    guard let start, event.span.start >= start, event.span.end <= time else {
      throw start == nil ? .notPossible(in: state) : .eventOutside(event.type)
    }
    if event.type == .lap {
      let laps = allEvents.filter { $0.type == .lap }
      guard laps.allSatisfy({ $0.span.end <= event.span.start || event.span.end <= $0.span.start }) else {
        throw .lapsOverlap
      }
    }
    try advance(to: time, from: [.running, .paused])
    let isPause = event.type == .motionPaused || event.type == .motionResumed
    if let current = currentActivity, event.span.start >= current.start, !isPause {
      currentActivity?.events.append(event)
    } else {
      events.append(event)
    }
  }

  /// Stops the workout, which ends here, while the session goes on: the heart is still listened to. From `running` or `paused`.
  public mutating func stopActivity(at time: Timestamp) throws(WorkoutError) {
    try advance(to: time, from: [.running, .paused])
    closeActivity()
    end = time
    state = .stopped
  }

  /// Ends the session, and the activity under way; from every state but `ended`. One that never started has no workout.
  public mutating func end(at time: Timestamp) throws(WorkoutError) {
    try advance(to: time, from: Set(State.allCases).subtracting([.ended]))
    closeActivity()
    if start != nil { end = end ?? time }
    state = .ended
  }

  /// The time since the start without pauses, up to the end.
  public func elapsedTime(at time: Timestamp) -> Duration {
    guard let start, let span = TimeSpan(start: start, end: min(time, end ?? time)) else { return .zero }
    return Workout(configuration, over: span, events: events, activities: activities).duration
  }

  private var allEvents: [WorkoutEvent] {
    events + activities.flatMap(\.events) + (currentActivity?.events ?? [])
  }

  private func checkRoom() throws(WorkoutError) {
    let limit = Workout.mostEvents
    guard events.count + activities.reduce(currentActivity?.events.count ?? 0, { $0 + $1.events.count }) < limit else {
      throw .tooManyEvents(limit: limit)
    }
  }

  /// Makes the last check of a call: the statements that follow change the session.
  private mutating func advance(to time: Timestamp, from states: Set<State>) throws(WorkoutError) {
    guard states.contains(state) else { throw .notPossible(in: state) }
    guard Timestamp.calendarRange.contains(time) else { throw .timeOutOfRange }
    guard time >= latest ?? time else { throw .timeGoesBack }
    latest = time
    if let current = currentActivity {
      currentActivity?.span = TimeSpan(start: current.start, end: time) ?? current.span
    }
  }

  private mutating func closeActivity() {
    guard let current = currentActivity else { return }
    activities.append(current)
    currentActivity = nil
  }
}
