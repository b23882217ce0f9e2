package import RecorderBus
import DBus
public import FoundationEssentials
public import HealthModel

/// A workout that goes on; see ``SensordClient/startWorkout(_:sensor:metadata:endsWithClient:)``.
///
/// ```swift
/// let race = try await client.startWorkout(WorkoutConfiguration(.swimBikeRun))
/// try await race.beginNewActivity(WorkoutConfiguration(.swimming, swimmingLocation: .openWater))
/// try await race.addEvent(.lap)
/// try await race.beginNewActivity(WorkoutConfiguration(.transition))
/// let heart = try await race.statistics(for: .heartRate)     // so far: heart.workout, heart.activity
/// let id = try await race.end()                              // 65 s later, with the heart rate recovery
/// ```
///
/// Each call but ``end(recovery:)`` takes effect now, or at a time that it names; times never go back. A call that the
/// workout rejects, such as a pause while it is paused, throws ``ClientError/invalidState(_:)`` or
/// ``ClientError/invalidArgument(_:)`` with the reason, and changes nothing. Once it is over all throw
/// ``ClientError/ended``. After 48 hours it ends by itself.
public struct LiveWorkout: Hashable, Sendable, Identifiable {
  /// Its identifier, also that of the workout in the store.
  public let id: UUID
  /// The address of its sensor; nil where it has none, or where this program may not read.
  public let sensor: String?
  /// When it began.
  public let start: Timestamp
  /// The program that began it.
  package let program: ClientIdentity
  let path: ObjectPath
  let client: SensordClient

  /// The state of a workout. A later recorder may have more states.
  public struct State: RawRepresentable, Hashable, Sendable {
    /// The recorder's word.
    public let rawValue: String

    /// Takes any word.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The workout goes on.
    public static let running = State(rawValue: "running")
    /// The workout is paused: values do not count.
    public static let paused = State(rawValue: "paused")
    /// The workout is over, and the heart rate is recorded for the recovery.
    public static let recovering = State(rawValue: "recovering")
    /// The workout is being stored.
    public static let ending = State(rawValue: "ending")
  }

  init(
    at path: ObjectPath, of client: SensordClient, isolation: isolated (any Actor)? = #isolation
  ) async throws(ClientError) {
    let begun = try await client.link.begun(path, ClientInterfaces.workout, below: ClientInterfaces.workoutObjects)
    (id, sensor, start, program) = (begun.id, begun.sensor, begun.start, begun.program)
    self.path = path
    self.client = client
  }

  /// Returns the workout's state.
  @concurrent public func state() async throws(ClientError) -> State {
    try await progress().state
  }

  /// Returns the workout's duration without pauses.
  @concurrent public func elapsedTime() async throws(ClientError) -> Duration {
    try await progress().elapsed
  }

  /// Returns the workout's state, and its duration without pauses.
  @concurrent package func progress() async throws(ClientError) -> (state: State, elapsed: Duration) {
    let properties = try await client.link.properties(of: ClientInterfaces.workout, at: path)
    guard let state = properties["State"]?.string, let elapsed = properties["Elapsed"]?.int64 else { throw .unreadable }
    return (State(rawValue: state), .microseconds(elapsed))
  }

  /// Begins an activity, and ends the one under way: one sport of a race, or one interval.
  ///
  /// - Parameters:
  ///   - configuration: The type of the activity, with its locations; nil for that of the workout. In `swimBikeRun`
  ///     activities are swimming, cycling, running or transition, in every other workout they have its type.
  ///   - time: When it begins; nil for now.
  ///   - metadata: Metadata to store.
  /// - Returns: Its identifier in the workout.
  /// - Throws: ``ClientError/invalidArgument(_:)`` for a type that cannot be in this workout, and others.
  @discardableResult
  @concurrent public func beginNewActivity(
    _ configuration: WorkoutConfiguration? = nil, at time: Timestamp? = nil, metadata: Metadata = [:]
  ) async throws(ClientError) -> UUID {
    let options = ActivityOptions(configuration, at: time, metadata: metadata)
    guard let id = try await call("BeginActivity", [options.value]).first?.string.flatMap({ UUID(uuidString: $0) })
    else { throw .unreadable }
    return id
  }

  /// Ends the activity under way, without beginning another.
  @concurrent public func endCurrentActivity(at time: Timestamp? = nil) async throws(ClientError) {
    _ = try await call("EndActivity", [.int64(time?.microseconds ?? 0)])
  }

  /// Pauses it: until it is resumed, nothing counts.
  @concurrent public func pause() async throws(ClientError) {
    _ = try await call("Pause")
  }

  /// Goes on after a pause.
  @concurrent public func resume() async throws(ClientError) {
    _ = try await call("Resume")
  }

  /// Adds an event that is over.
  ///
  /// - Parameters:
  ///   - type: The type of the event; pauses are made by ``pause()`` and ``resume()``.
  ///   - span: When. Nil: now; a lap or a segment then lasts since the last one, or since the activity or the workout began.
  ///   - metadata: Metadata to store.
  /// - Throws: ``ClientError/invalidSample(_:)`` for a time outside of the workout, and others.
  @concurrent public func addEvent(
    _ type: WorkoutEventType, over span: TimeSpan? = nil, metadata: Metadata = [:]
  ) async throws(ClientError) {
    _ = try await call("AddEvent", [EventOptions(type, over: span, metadata: metadata).value])
  }

  /// Adds metadata; the last value of a key counts.
  @concurrent public func addMetadata(_ metadata: Metadata) async throws(ClientError) {
    _ = try await call("AddMetadata", [metadata.value])
  }

  /// Ends it, and returns when it is stored.
  ///
  /// The end is now, and safe in the recorder's journal before this waits for anything. The sensor is listened to for
  /// 65 s more, and how far the heart rate fell is stored with the workout. The workout is stored even if this program
  /// ends or the task is cancelled meanwhile; and calling this again waits again.
  ///
  /// - Parameter recovery: False: it is stored at once; so is one that was waiting for its recovery.
  /// - Returns: Its identifier in the store.
  /// - Throws: ``ClientError/notStored`` where the store could not be written: it is safe in the journal and stored
  ///   later. ``ClientError/ended`` if it was over before, or is discarded meanwhile; ``ClientError/interrupted`` or
  ///   ``ClientError/notRunning`` where the recorder is gone and does not come back: the next one stores it, and a
  ///   `SampleQuery` for its identifier shows when; ``ClientError/cancelled``, and others.
  @discardableResult
  @concurrent public func end(recovery: Bool = true) async throws(ClientError) -> UUID {
    try await WorkoutEnd(of: self).wait(recovery: recovery)
  }

  /// Discards it: no workout is stored. Samples that were recorded and added meanwhile stay; later calls throw
  /// ``ClientError/ended``.
  @concurrent public func discard() async throws(ClientError) {
    _ = try await call("Discard")
  }

  @concurrent func call(_ member: String, _ body: [Value] = []) async throws(ClientError) -> [Value] {
    try await client.link.call(ClientInterfaces.workout, member, body, at: path)
  }

  /// Whether both are the same workout.
  public static func == (one: LiveWorkout, other: LiveWorkout) -> Bool { one.id == other.id }

  /// By its identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The figures of one type of a workout that goes on. They are provisional, as all live values are.
public struct LiveWorkoutStatistics: Hashable, Sendable {
  /// The type of the workout; nil if the recorder does not report it.
  public var activityType: WorkoutActivityType?
  /// The type of the activity under way; nil between activities.
  public var currentActivityType: WorkoutActivityType?
  /// Since the workout began; nil where nothing of the type was collected, or this program may not read it.
  public var workout: WorkoutStatistics?
  /// Since the activity under way began; nil also between activities.
  public var activity: WorkoutStatistics?
}

extension LiveWorkout {
  /// Saves samples and collects them: they count in the figures of the workout, and of the activities in which they lie.
  ///
  /// - Returns: Their identifiers in the store, in the same order.
  /// - Throws: As ``SensordClient/save(_:)-([SampleDraft])`` does, and ``ClientError/ended``.
  @discardableResult
  @concurrent public func addSamples(_ samples: [SampleDraft]) async throws(ClientError) -> [UUID] {
    let answer = try await call("AddSamples", [.array(samples.map(\.value), of: "a{sv}")])
    let ids = (answer.first?.strings ?? []).compactMap { UUID(uuidString: $0) }
    guard ids.count == samples.count else { throw .unreadable }
    return ids
  }

  /// Collects whatever this program saves of these types from now on, by ``SensordClient/save(_:)-([SampleDraft])`` for instance.
  ///
  /// Heart rates, beats and energy of the sensor are collected in any case.
  @concurrent public func enableCollection(for types: Set<SampleType>) async throws(ClientError) {
    try await collect(types, [])
  }

  /// Collects them no more by itself; what was collected stays.
  @concurrent public func disableCollection(for types: Set<SampleType>) async throws(ClientError) {
    try await collect([], types)
  }

  @concurrent private func collect(_ on: Set<SampleType>, _ off: Set<SampleType>) async throws(ClientError) {
    func names(_ types: Set<SampleType>) -> Value { .strings(types.map(\.identifier).sorted()) }
    _ = try await call("Collect", [names(on), names(off)])
  }

  /// The figures of a type so far, pauses left out: heart rates as the sensor sends them, everything else as it was added.
  ///
  /// - Throws: ``ClientError/unknownType``, ``ClientError/ended``, and others.
  @concurrent public func statistics(for type: QuantityType) async throws(ClientError) -> LiveWorkoutStatistics {
    let figures = try await figures(for: type)
    return LiveWorkoutStatistics(
      activityType: figures.activityType, currentActivityType: figures.currentActivityType,
      workout: figures.workout?.statistics, activity: figures.activity?.statistics)
  }

  /// The same with the durations.
  @concurrent package func figures(for type: QuantityType) async throws(ClientError) -> WorkoutFigures {
    let answer = try await call("Statistics", [.string(type.identifier)])
    guard let figures = answer.first.flatMap({ WorkoutFigures($0, of: type) }) else { throw .unreadable }
    return figures
  }
}

/// The sensor of a workout.
@nonexhaustive
public enum WorkoutSensor: Hashable, Sendable {
  /// The sensor that is measuring.
  case any
  /// The sensor with this address.
  case address(String)
  /// No sensor: the workout has what the program adds to it.
  case none
}

extension SensordClient {
  /// Starts a workout now: HealthKit's session and its live builder in one. The recorder collects heart rates, beats and energy of
  /// the sensor by itself, and stores the workout with its figures when it is over.
  ///
  /// The workout outlives this program and the recorder: the recorder stores each call before it answers, and goes on
  /// after a restart. A program that was restarted finds it in ``workouts()``.
  ///
  /// - Parameters:
  ///   - configuration: The type of the workout, its locations, and the length of a lap.
  ///   - sensor: The sensor. A session of it that is open ends, and another begins after the workout; no value is lost
  ///     or stored twice.
  ///   - metadata: Metadata to store; more can be added while the workout lasts.
  ///   - endsWithClient: Whether it ends when this program's connection does, without a heart rate recovery.
  /// - Returns: The workout, which is running.
  /// - Throws: ``ClientError/notAuthorized`` without permission to save workouts, ``ClientError/noSensor(_:)``,
  ///   ``ClientError/busy`` where the sensor has another workout or a session, ``ClientError/invalidArgument(_:)`` for a length of a
  ///   lap that cannot be one, and others.
  @concurrent public func startWorkout(
    _ configuration: WorkoutConfiguration, sensor: WorkoutSensor = .any, metadata: Metadata = [:],
    endsWithClient: Bool = true
  ) async throws(ClientError) -> LiveWorkout {
    let whose: WorkoutOptions.Sensor =
      switch sensor {
      case .any: .any
      case .address(let address): .one(address)
      case .none: .none
      }
    let options = WorkoutOptions(configuration, sensor: whose, metadata: metadata, endsWithClient: endsWithClient)
    let answer = try await link.call(ClientInterfaces.workouts, "Begin", [options.value])
    guard let path = answer.first?.objectPath else { throw .unreadable }
    return try await LiveWorkout(at: path, of: self)
  }

  /// The workouts of this program that go on, also those that an earlier run of it started, in the order of their starts.
  @concurrent public func workouts() async throws(ClientError) -> [LiveWorkout] {
    let paths = try await link.objects(below: ClientInterfaces.workoutObjects)
    let workouts = try await present(paths) { path throws(ClientError) in try await LiveWorkout(at: path, of: self) }
    return workouts.sorted { ($0.start, $0.id.uuidString) < ($1.start, $1.id.uuidString) }
  }

  /// A workout of this program that goes on, by its identifier.
  ///
  /// - Throws: ``ClientError/ended`` where none does, and others.
  @concurrent public func workout(_ id: UUID) async throws(ClientError) -> LiveWorkout {
    try await LiveWorkout(at: .object(id, below: ClientInterfaces.workoutObjects), of: self)
  }
}
