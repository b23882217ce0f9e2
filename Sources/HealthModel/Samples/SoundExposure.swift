import Glibc

/// The dose of sound that a person heard, as a share of the safe dose of seven days.
///
/// ITU-T H.870 (2018) and WHO "Safe listening devices and systems" (2019), mode 1: 40 hours at 80 dB(A) a week; 3 dB more halve the time.
public enum SoundDose {
  /// A level that lasted.
  public struct Exposure: Hashable, Sendable {
    /// The time for which the level lasted.
    public var span: TimeSpan
    /// The equivalent continuous level, in dB(A).
    public var decibels: Double

    /// A level that lasted for that time.
    public init(_ decibels: Double, over span: TimeSpan) {
      self.decibels = decibels
      self.span = span
    }
  }

  /// Seven days, in microseconds.
  public static let window: Int64 = 7 * 86_400_000_000
  private static let safeMicroseconds = 40.0 * 3_600_000_000
  private static let safeLevel = 80.0
  private static let exchangeRate = 3.0
  /// The greatest level that counts, in dB(A), and the level as which louder ones count: a wrong level must not drown the others
  /// in its rounding.
  private static let loudest = 140.0

  /// The dose of the seven days before `end`: 1 is all that is safe.
  ///
  /// Of exposures that overlap, such as those of two programs that listened to the same headphones, the loudest counts.
  ///
  /// - Parameters:
  ///   - exposures: The exposures in any order; time outside of the seven days does not count.
  ///   - end: The end of the seven days.
  /// - Returns: The dose Σ t / (40 h · 2^((80 − L) / 3)).
  public static func week(of exposures: [Exposure], before end: Timestamp) -> Double {
    let from = Timestamp(microseconds: end.microseconds.subtractingSaturated(window))
    let inside = exposures.compactMap { exposure in
      TimeSpan(start: max(from, exposure.span.start), end: min(end, exposure.span.end))
        .map { Exposure(exposure.decibels, over: $0) }
    }
    return parts(of: inside).reduce(0) { $0 + $1.rate * Double($1.span.microseconds) }
  }

  /// A time in which one level counts.
  struct Part {
    var span: TimeSpan
    var decibels: Double
    /// The dose of a microsecond.
    var rate: Double
  }

  /// The times with sound, in order, each with its loudest level.
  static func parts(of exposures: [Exposure]) -> [Part] {
    let loudestFirst = exposures.filter(\.decibels.isFinite).sorted { $0.decibels > $1.decibels }
    return OverlapResolution.parts(of: loudestFirst.map(\.span)).map { part in
      let decibels = loudestFirst[part.place].decibels
      let rate = exp2((min(decibels, loudest) - safeLevel) / exchangeRate) / safeMicroseconds
      return Part(span: part.span, decibels: decibels, rate: rate)
    }
  }
}

/// Seven days in which a person's headphones were too loud for too long.
///
/// **Ours**: HealthKit's `headphoneAudioExposureEvent` means that the limit of seven days was passed. An event ends when
/// ``SoundDose`` passes 1, and begins seven days before. The next event begins at that end at the earliest, so no sound makes
/// two of them.
public struct SoundExposureEvent: Hashable, Sendable {
  /// The name and the version of the rule, as they stand with stored events.
  public static let rule = (name: "headphone-seven-days", version: Int64(1))

  /// Seven days, until the dose was more than is safe.
  public var span: TimeSpan
  /// The equivalent continuous level of the time with sound, in dB(A).
  public var decibels: Double
  /// The time with sound, in microseconds.
  public var microseconds: Int64

  /// The events of all that was heard, in order of time.
  ///
  /// The dose changes in straight lines between the moments at which a level begins or ends, or leaves the seven days. So the
  /// end of an event is exact: the first whole microsecond with a dose of more than 1.
  ///
  /// - Parameter exposures: The exposures in any order; of those that overlap, the loudest counts.
  /// - Returns: The events; empty where the dose never passes 1. O(n log n).
  public static func events(of exposures: [SoundDose.Exposure]) -> [SoundExposureEvent] {
    let parts = SoundDose.parts(of: exposures)
    // Each part is under way in the window from its start on, and leaves it from a week later on.
    let steps = parts.flatMap { part in
      [
        Step(at: part.span.start, by: part.rate), Step(at: part.span.end, by: -part.rate),
        Step(at: part.span.start.aWeekLater, by: -part.rate), Step(at: part.span.end.aWeekLater, by: part.rate),
      ]
    }.sorted { $0.time < $1.time }
    var events: [SoundExposureEvent] = []
    var (dose, slope) = (0.0, 0.0)
    for (step, next) in zip(steps, steps.dropFirst()) {
      slope += step.change
      let length = next.time.microseconds(since: step.time)
      let after = dose + slope * Double(length)
      defer { dose = max(0, after) }
      // The seven days of an event may end within a line, and the dose be over the limit in it both before and after.
      let earliest = events.last.map { max(step.time, $0.span.end.aWeekLater) } ?? step.time
      guard earliest < next.time, max(dose, after) > 1 + tolerance else { continue }
      let begun = dose + slope * Double(earliest.microseconds(since: step.time))
      if begun > 1 + tolerance {
        events.append(SoundExposureEvent(until: earliest, parts))
      } else if slope > 0 {
        let passes = earliest.advanced(byMicroseconds: Int64(((1 - begun) / slope).rounded(.down)) + 1)
        if passes <= next.time { events.append(SoundExposureEvent(until: passes, parts)) }
      }
    }
    return events
  }

  /// The rounding of sums over thousands of levels: all that is safe, and no more, is no event.
  private static let tolerance = 1e-9

  private struct Step {
    var time: Timestamp
    /// The change of the slope of the dose.
    var change: Double

    init(at time: Timestamp, by change: Double) {
      self.time = time
      self.change = change
    }
  }

  private init(until end: Timestamp, _ parts: [SoundDose.Part]) {
    let start = Timestamp(microseconds: end.microseconds.subtractingSaturated(SoundDose.window))
    span = TimeSpan(start: start, end: end) ?? TimeSpan(at: end)
    var energy = 0.0
    microseconds = 0
    for part in parts {
      let heard = min(end, part.span.end).microseconds(since: max(start, part.span.start))
      guard heard > 0 else { continue }
      microseconds += heard
      energy += Double(heard) * pow(10, part.decibels / 10)
    }
    decibels = 10 * log10(energy / Double(microseconds))
  }
}

/// The sample of an event, with the keys of its metadata; the first two keys are HealthKit's.
extension SoundExposureEvent {
  /// The equivalent continuous level, a quantity in dB(A).
  public static let levelKey = "audioExposureLevel"
  /// The time with sound, a quantity of time.
  public static let durationKey = "audioExposureDuration"
  /// The name of the rule, a text.
  public static let ruleKey = "audioExposureRule"
  /// The version of the rule, a whole number.
  public static let ruleVersionKey = "audioExposureRuleVersion"

  /// The event as a category sample; the same sound leads to the same identity, so it is stored once.
  public var draft: SampleDraft {
    let (name, version) = Self.rule
    return SampleDraft(
      .headphoneAudioExposureEvent, .sevenDayLimit, over: span,
      metadata: [
        Self.levelKey: .quantity(Quantity(decibels, .decibelAWeightedSoundPressureLevel)),
        Self.durationKey: .quantity(Quantity(Double(microseconds) / 1e6, .second)),
        Self.ruleKey: .text(name), Self.ruleVersionKey: .integer(version),
      ], sync: SyncIdentity(identifier: "\(name).\(version).\(span.end.microseconds)", version: 1))
  }
}

extension Timestamp {
  fileprivate var aWeekLater: Timestamp { advanced(byMicroseconds: SoundDose.window) }
}
