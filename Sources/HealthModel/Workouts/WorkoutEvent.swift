/// Something that happened in a workout, at a moment or over a time.
public struct WorkoutEvent: Hashable, Sendable, Codable {
  /// The kind of the event.
  public var type: WorkoutEventType
  /// The time of the event: a moment for everything but laps and segments.
  public var span: TimeSpan
  /// Further information.
  public var metadata: Metadata

  /// The key of metadata for the strokes and seconds that a lap or segment of a swim took, as a quantity in `count`.
  public static let swolfScoreKey = "SWOLFScore"

  /// An event over a time.
  public init(_ type: WorkoutEventType, over span: TimeSpan, metadata: Metadata = [:]) {
    self.type = type
    self.span = span
    self.metadata = metadata
  }

  /// An event at a moment.
  public init(_ type: WorkoutEventType, at moment: Timestamp, metadata: Metadata = [:]) {
    self.init(type, over: TimeSpan(at: moment), metadata: metadata)
  }
}

/// The kinds of events, with HealthKit's raw values.
///
/// Open: a number of a later version can be read. Saving it is refused, since this version does not know its rules.
public struct WorkoutEventType: RawRepresentable, Hashable, Sendable, Codable {
  /// The integer in the store.
  public let rawValue: Int64

  /// The type with that number.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// The workout was paused.
  public static let pause = WorkoutEventType(rawValue: 1)
  /// The workout goes on after a ``pause``.
  public static let resume = WorkoutEventType(rawValue: 2)
  /// A round or a length of a pool; laps do not overlap.
  public static let lap = WorkoutEventType(rawValue: 3)
  /// A point of interest.
  public static let marker = WorkoutEventType(rawValue: 4)
  /// The device paused the workout because the person stood still.
  public static let motionPaused = WorkoutEventType(rawValue: 5)
  /// The workout goes on after ``motionPaused``.
  public static let motionResumed = WorkoutEventType(rawValue: 6)
  /// A part of the workout that stands for itself; segments may overlap.
  public static let segment = WorkoutEventType(rawValue: 7)
  /// A person asked for a pause, or for its end; the program decides.
  public static let pauseOrResumeRequest = WorkoutEventType(rawValue: 8)

  static let names: [WorkoutEventType: String] = [
    pause: "pause", resume: "resume", lap: "lap", marker: "marker", motionPaused: "motionPaused",
    motionResumed: "motionResumed", segment: "segment", pauseOrResumeRequest: "pauseOrResumeRequest",
  ]
}

extension WorkoutEventType: LosslessStringConvertible {
  /// HealthKit's name; the number where HealthKit has no name.
  public var description: String { Self.names[self] ?? "\(rawValue)" }

  /// The kind of that name, or of that number; nil for any other text.
  public init?(_ description: String) {
    self.init(description, of: Self.names)
  }
}

extension TimeStretches {
  /// The pauses of a workout with these events: from each `pause` to the next `resume`, and by the device in the same way.
  ///
  /// A `pause` within a pause, and a `resume` outside of one, change nothing. A pause that does not end lasts until `end`.
  init(pausesIn events: [WorkoutEvent], until end: Timestamp) {
    self.init()
    let pairs: [(WorkoutEventType, WorkoutEventType)] = [(.pause, .resume), (.motionPaused, .motionResumed)]
    for (pause, resume) in pairs {
      var pauses = TimeStretches()
      var start: Timestamp?
      for event in events.inOrder {
        if event.type == pause {
          start = start ?? event.span.start
        } else if event.type == resume, let from = start {
          pauses.append(from: from.microseconds, to: event.span.start.microseconds)
          start = nil
        }
      }
      if let start { pauses.append(from: start.microseconds, to: end.microseconds) }
      formUnion(pauses)
    }
  }

  /// The time of the span that lies outside of the stretches, in microseconds.
  package func microsecondsLeft(of span: TimeSpan) -> Int64 {
    var left: Int64 = 0
    forEachFreePart(from: span.start.microseconds, to: span.end.microseconds) {
      left = left.addingSaturated($1.subtractingSaturated($0))
    }
    return left
  }
}
