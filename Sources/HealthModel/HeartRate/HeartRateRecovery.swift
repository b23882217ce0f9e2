public import FoundationEssentials

/// The fall of the heart rate in the first minute after exercise (Cole et al. 1999, N. Engl. J. Med. 341:1351), from beats.
///
/// The rate at the end is the mean over the last five seconds of exercise, the rate a minute later that over the five seconds
/// around that moment: by time, so that half an interval counts half. Both need every interval of their five seconds, between
/// beats without a flag; otherwise the figure is refused with the reason.
public struct HeartRateRecovery: Hashable, Sendable {
  /// The end of the exercise.
  public var end: Timestamp
  /// The mean rate over the five seconds before, in beats a minute.
  public var rateAtEnd: Double
  /// The mean rate over the five seconds around the moment 60 s later, in beats a minute.
  public var rateAfterMinute: Double
  /// The greatest rate that the sensor sent in that minute, in beats a minute; nil without a rate.
  public var greatestRate: Double?

  /// The fall of the rate, in beats a minute; 0 or more.
  public var fall: Double { max(0, rateAtEnd - rateAfterMinute) }

  /// The greatest rise of the rate, in beats a minute, that the sensor's ticks alone may cause; such a rise is a fall of 0.
  private static let noRise = 0.5

  /// The time for which a recording has to go on after the end of exercise, in microseconds: a minute, half a window, and the
  /// beat that ends its last interval.
  public static let timeAfterEnd: Int64 = 65_000_000
  static let minute: Int64 = 60_000_000
  static let windowLength: Int64 = 5_000_000

  /// Measures the recovery after the moment `end`.
  ///
  /// - Parameters:
  ///   - end: The end of the exercise.
  ///   - heartbeats: The beats of the recording.
  ///   - rates: The rates of the recording in order of time; they show whether the sensor was on the skin.
  ///   - gaps: The gaps of the recording.
  /// - Throws: ``RecoveryRefusal``.
  public init(
    after end: Timestamp, heartbeats: HeartbeatSeries, rates: [HeartRateValue], gaps: [RecordingGap]
  ) throws(RecoveryRefusal) {
    guard let bounds = heartbeats.bounds else { throw .noBeats }
    let later = end.advanced(byMicroseconds: Self.minute)
    let windows: [(RecoveryRefusal.Window, Timestamp)] = [
      (.end, end.advanced(byMicroseconds: -Self.windowLength)),
      (.minuteLater, later.advanced(byMicroseconds: -Self.windowLength / 2)),
    ]
    var means: [Double] = []
    for (name, start) in windows {
      var window = Window(name, from: start, to: start.advanced(byMicroseconds: Self.windowLength))
      try window.require(rates: rates, gaps: gaps)
      guard window.start >= bounds.start, window.end <= bounds.end else { throw .notRecorded(name) }
      for beat in heartbeats.locatedBeats { window.add(beat, ticksPerSecond: heartbeats.timescale) }
      means.append(try window.meanRate())
    }
    guard means[1] <= means[0] + Self.noRise else { throw .rateRose }
    self.end = end
    rateAtEnd = means[0]
    rateAfterMinute = means[1]
    let minute = rates.filter { $0.time >= end && $0.time <= later && $0.contact != .notDetected }
    greatestRate = minute.map { Double($0.beatsPerMinute) }.max()
  }
}

extension HeartRateRecovery {
  /// The five seconds of one of the two rates.
  fileprivate struct Window {
    let name: RecoveryRefusal.Window
    let start: Timestamp
    let end: Timestamp
    /// The beat before the next one.
    private var previous: HeartbeatSeries.LocatedBeat?
    /// The time of the window that good intervals cover, in microseconds, and its length in beats.
    private var covered: Int64 = 0
    private var beats = 0.0
    private var flags: Heartbeat.Flags = []

    /// The time around the window in which contact counts, in microseconds: sensors send once a second, and some are a second
    /// late.
    private static let contactMargin: Int64 = 2_000_000
    /// The time around the window in which gaps count, in microseconds: the place of silently lost beats is known to some
    /// seconds only.
    private static let gapMargin: Int64 = 4_000_000

    init(_ name: RecoveryRefusal.Window, from start: Timestamp, to end: Timestamp) {
      self.name = name
      self.start = start
      self.end = end
    }

    /// Throws where the recording has a gap here, or the sensor was off the skin.
    func require(rates: [HeartRateValue], gaps: [RecordingGap]) throws(RecoveryRefusal) {
      let first = start.advanced(byMicroseconds: -Self.contactMargin)
      let last = end.advanced(byMicroseconds: Self.contactMargin)
      let missing = gaps.filter { gap in
        gap.start < end.advanced(byMicroseconds: Self.gapMargin)
          && gap.end > start.advanced(byMicroseconds: -Self.gapMargin)
      }
      let isOff = rates.contains { $0.contact == .notDetected && $0.time >= first && $0.time <= last }
      guard !isOff, !missing.contains(where: { $0.reason == "contact" }) else { throw .offSkin(name) }
      if let gap = missing.first { throw .gap(name, reason: gap.reason) }
    }

    /// Adds a beat; beats come in order.
    mutating func add(_ beat: HeartbeatSeries.LocatedBeat, ticksPerSecond: Int32) {
      defer { previous = beat }
      guard let previous, previous.time < end, beat.time > start else { return }
      flags.formUnion(previous.beat.flags.union(beat.beat.flags).subtracting(.firstOfRun))
      guard previous.run == beat.run, !beat.beat.precededByGap, beat.beat.rrTicks > 0 else { return }
      let overlap = min(end, beat.time).microseconds(since: max(start, previous.time))
      covered += overlap
      beats += Double(overlap) / 1_000_000 * Double(ticksPerSecond) / Double(beat.beat.rrTicks)
    }

    /// The mean rate of the window, in beats a minute.
    func meanRate() throws(RecoveryRefusal) -> Double {
      guard flags.isEmpty else { throw .flagged(name, flags) }
      guard covered == HeartRateRecovery.windowLength else { throw .gap(name, reason: nil) }
      return beats * 60 / (Double(HeartRateRecovery.windowLength) / 1_000_000)
    }
  }
}

/// The sample of a recovery, with the keys of its metadata, which are HealthKit's.
extension HeartRateRecovery {
  /// The kind of exercise test, a whole number (``TestType``).
  public static let testTypeKey = "heartRateRecoveryTestType"
  /// The workout's activity, a whole number with HealthKit's raw values.
  public static let activityTypeKey = "heartRateRecoveryActivityType"
  /// The duration of the exercise, a quantity.
  public static let activityDurationKey = "heartRateRecoveryActivityDuration"
  /// The greatest rate in the minute of recovery, a quantity.
  public static let greatestRateKey = "heartRateRecoveryMaxObservedRecoveryHeartRate"

  /// The kind of an exercise test, with HealthKit's raw values. Only the person who exercised knows it.
  @nonexhaustive
  public enum TestType: Int64, Hashable, Sendable, CaseIterable {
    /// Exercise to exhaustion.
    case maxExercise = 1
    /// Predicted from exercise below the maximum.
    case predictionSubMaxExercise = 2
    /// Predicted without exercise.
    case predictionNonExercise = 3
  }

  /// The known facts of an exercise; unknown ones are nil.
  public struct Exercise: Hashable, Sendable {
    /// The kind of exercise test.
    public var testType: TestType?
    /// The workout's activity, with HealthKit's raw values.
    public var activityType: Int64?
    /// The duration of the exercise.
    public var duration: Duration?

    /// An exercise with the given facts.
    public init(testType: TestType? = nil, activityType: Int64? = nil, duration: Duration? = nil) {
      self.testType = testType
      self.activityType = activityType
      self.duration = duration
    }

    /// The exercise of a workout: its activity, its duration without pauses, and the kind of test where its metadata have one.
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

  /// The metadata of the figure's sample: the facts of the exercise, and the greatest rate.
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
  ///   - exercise: The known facts of the exercise.
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

/// A reason to refuse the recovery of the heart rate.
@nonexhaustive
public enum RecoveryRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The recording has no beats: the sensor sends no RR intervals, or invents them.
  case noBeats
  /// The recording does not reach over the window.
  case notRecorded(Window)
  /// Beats are missing, for this reason of a ``RecordingGap``; nil where the reason is unknown.
  case gap(Window, reason: String?)
  /// The sensor was off the skin.
  case offSkin(Window)
  /// A beat is flagged as doubtful.
  case flagged(Window, Heartbeat.Flags)
  /// The rate was higher a minute later: the exercise had not ended.
  case rateRose

  /// The five seconds of one of the two rates.
  public enum Window: String, Hashable, Sendable {
    /// The last five seconds of exercise.
    case end
    /// The five seconds around the moment one minute later.
    case minuteLater
  }

  /// A word for programs.
  public var code: String {
    switch self {
    case .noBeats: "noBeats"
    case .notRecorded: "notRecorded"
    case .gap: "gap"
    case .offSkin: "offSkin"
    case .flagged: "flagged"
    case .rateRose: "rateRose"
    }
  }

  /// One line for a person.
  public var description: String {
    switch self {
    case .noBeats: "there are no beats, and a sensor's own rates are too slow for it"
    case .notRecorded(let window): "\(window.phrase) was not recorded"
    case .gap(let window, let reason): "beats are missing in \(window.phrase)" + (reason.map { " (\($0))" } ?? "")
    case .offSkin(let window): "the sensor was off the skin in \(window.phrase)"
    case .flagged(let window, let flags):
      "beats in \(window.phrase) are doubtful (\(flags.names.joined(separator: ", ")))"
    case .rateRose: "the rate was higher a minute later"
    }
  }
}

extension RecoveryRefusal.Window {
  fileprivate var phrase: String {
    switch self {
    case .end: "the last 5 s of exercise"
    case .minuteLater: "the 5 s one minute later"
    }
  }
}
