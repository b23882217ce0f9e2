public import FoundationEssentials

/// What its sample says beside the figure; the keys are HealthKit's.
extension HeartRateRecovery {
  /// The kind of exercise test, a whole number (``TestType``).
  public static let testTypeKey = "heartRateRecoveryTestType"
  /// The workout's activity, a whole number with HealthKit's raw values.
  public static let activityTypeKey = "heartRateRecoveryActivityType"
  /// How long the exercise was, a quantity.
  public static let activityDurationKey = "heartRateRecoveryActivityDuration"
  /// The greatest rate in the minute of recovery, a quantity.
  public static let greatestRateKey = "heartRateRecoveryMaxObservedRecoveryHeartRate"

  /// How the exercise was chosen, with HealthKit's raw values. Only who exercised can say it.
  @nonexhaustive
  public enum TestType: Int64, Hashable, Sendable, CaseIterable {
    /// To exhaustion.
    case maxExercise = 1
    /// Predicted from exercise below the maximum.
    case predictionSubMaxExercise = 2
    /// Predicted without exercise.
    case predictionNonExercise = 3
  }

  /// What is known of the exercise; nothing is made up where it is not.
  public struct Exercise: Hashable, Sendable {
    /// How it was chosen.
    public var testType: TestType?
    /// The workout's activity, with HealthKit's raw values.
    public var activityType: Int64?
    /// How long it was.
    public var duration: Duration?

    /// Exercise of which so much is known.
    public init(testType: TestType? = nil, activityType: Int64? = nil, duration: Duration? = nil) {
      self.testType = testType
      self.activityType = activityType
      self.duration = duration
    }

    /// What a workout says: its activity, how long it was without pauses, and the kind of test where its metadata name one.
    public init(_ workout: Workout) {
      var testType: TestType?
      if case .integer(let number) = workout.metadata[HeartRateRecovery.testTypeKey] {
        testType = TestType(rawValue: number)
      }
      self.init(
        testType: testType, activityType: workout.configuration.activityType.rawValue, duration: workout.duration)
    }
  }

  /// The minute of recovery.
  public var span: TimeSpan {
    TimeSpan(start: end, end: end.advanced(byMicroseconds: Self.minute)) ?? TimeSpan(at: end)
  }

  /// What its sample says beside figure and time.
  public func metadata(after exercise: Exercise) -> Metadata {
    var metadata: Metadata = [:]
    metadata[Self.testTypeKey] = exercise.testType.map { .integer($0.rawValue) }
    metadata[Self.activityTypeKey] = exercise.activityType.map { .integer($0) }
    metadata[Self.activityDurationKey] = exercise.duration.map {
      .quantity(Quantity(Double($0.wholeMicroseconds) / 1_000_000, .second))
    }
    metadata[Self.greatestRateKey] = greatestRate.map { .quantity(Quantity($0, .countPerMinute)) }
    return metadata
  }

  /// The figure as a quantity sample over the minute of recovery, the same each time that it is saved.
  ///
  /// - Parameters:
  ///   - session: The recording.
  ///   - exercise: What is known of it.
  ///   - device: The hardware that measured.
  /// - Returns: One sample, with an identity of session and moment.
  public func draft(in session: UUID, after exercise: Exercise = Exercise(), device: Device? = nil) -> SampleDraft {
    SampleDraft(
      .heartRateRecoveryOneMinute, Quantity(fall, .countPerMinute), over: span, device: device,
      metadata: metadata(after: exercise),
      sync: SyncIdentity(
        identifier: "heartRateRecovery.1.\(session.uuidString.lowercased()).\(end.microseconds)", version: 1))
  }
}
