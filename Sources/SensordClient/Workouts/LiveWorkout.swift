import ClientInterfaces
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
/// Each call but ``end(recovery:)`` takes effect now, or at a time that it names; times never go back. A call that the workout does not
/// take, such as a pause while it is paused, throws ``ClientError/invalidState(_:)`` or ``ClientError/invalidArgument(_:)`` with the
/// reason, and changes nothing. Once it is over all throw ``ClientError/ended``. After 48 hours it ends by itself.
public struct LiveWorkout: Hashable, Sendable, Identifiable {
  /// Its identifier, also that of the workout in the store.
  public let id: UUID
  /// The address of its sensor; nil where it has none, or where this program may not read.
  public let sensor: String?
  /// When it began.
  public let start: Timestamp
  let path: ObjectPath
  let client: SensordClient

  /// What a workout is doing. A later recorder may have more states.
  public struct State: RawRepresentable, Hashable, Sendable {
    /// The recorder's word.
    public let rawValue: String

    /// Takes any word.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// It goes on.
    public static let running = State(rawValue: "running")
    /// It is paused: what is measured does not count.
    public static let paused = State(rawValue: "paused")
    /// It is over, and the heart is listened to for its recovery.
    public static let recovering = State(rawValue: "recovering")
    /// It is being stored.
    public static let ending = State(rawValue: "ending")
  }

  init(
    at path: ObjectPath, of client: SensordClient, isolation: isolated (any Actor)? = #isolation
  ) async throws(ClientError) {
    let begun = try await client.link.begun(path, ClientInterfaces.workout, below: ClientInterfaces.workoutObjects)
    (id, sensor, start) = (begun.id, begun.sensor, begun.start)
    self.path = path
    self.client = client
  }

  /// What it is doing.
  @concurrent public func state() async throws(ClientError) -> State {
    guard let state = try await properties()["State"]?.string else { throw .unreadable }
    return State(rawValue: state)
  }

  /// How long it has gone on, pauses left out.
  @concurrent public func elapsedTime() async throws(ClientError) -> Duration {
    guard let elapsed = try await properties()["Elapsed"]?.int64 else { throw .unreadable }
    return .microseconds(elapsed)
  }

  /// Begins an activity, and ends the one under way: one sport of a race, or one interval.
  ///
  /// - Parameters:
  ///   - configuration: What it is; nil for the same as the workout. In `swimBikeRun` activities are swimming, cycling, running or
  ///     transition, in every other workout they have its type.
  ///   - time: When it begins; nil for now.
  ///   - metadata: What is stored with it.
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
  ///   - type: What happened; pauses are made by ``pause()`` and ``resume()``.
  ///   - span: When. Nil: now; a lap or a segment then lasts since the last one, or since the activity or the workout began.
  ///   - metadata: What is stored with it.
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
  /// The end is now, and safe in the recorder's journal before this waits for anything. The sensor is listened to for 65 s more, and how far
  /// the heart rate fell is stored with the workout. It is stored even if this program ends or the task is cancelled meanwhile; and
  /// calling this again waits again.
  ///
  /// - Parameter recovery: False: it is stored at once; so is one that was waiting for its recovery.
  /// - Returns: Its identifier in the store.
  /// - Throws: ``ClientError/notStored`` where the store could not be written: it is safe in the journal and stored later.
  ///   ``ClientError/ended`` if it was over before, or is discarded meanwhile; ``ClientError/interrupted`` or
  ///   ``ClientError/notRunning`` where the recorder is gone and does not come back: the next one stores it, and a `SampleQuery` for its
  ///   identifier tells when; ``ClientError/cancelled``, and others.
  @discardableResult
  @concurrent public func end(recovery: Bool = true) async throws(ClientError) -> UUID {
    try await WorkoutEnd(of: self).wait(recovery: recovery)
  }

  /// Discards it: no workout is stored. What was recorded and added meanwhile stays; later calls throw ``ClientError/ended``.
  @concurrent public func discard() async throws(ClientError) {
    _ = try await call("Discard")
  }

  @concurrent func properties() async throws(ClientError) -> [String: Value] {
    try await client.link.properties(of: ClientInterfaces.workout, at: path)
  }

  @concurrent func call(_ member: String, _ body: [Value] = []) async throws(ClientError) -> [Value] {
    try await client.link.call(ClientInterfaces.workout, member, body, at: path)
  }

  /// Whether both are the same workout.
  public static func == (one: LiveWorkout, other: LiveWorkout) -> Bool { one.id == other.id }

  /// By its identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
