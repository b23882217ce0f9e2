/// A habit of a sensor that keeps its RR intervals from being one heart's, beat by beat, in units of 1/1024 s (rule 12
/// of Documentation/timeline.md).
public enum IntervalHabit: String, Hashable, Sendable, CaseIterable {
  /// It computes them from its rate instead of measuring them.
  case invented
  /// They add up to more or less than the time that passed.
  case unfit
  /// They add up to twice the time that passed: two hearts in one stream.
  case twoHearts
  /// It sends only the newest of each packet, so that others are missing between them.
  case newestOnly
  /// They are in milliseconds. The series has this timescale, and nothing is converted.
  case milliseconds
  /// It sends its last interval again where there was no beat, or before the new ones of each packet.
  case repeated
  /// Each packet comes twice.
  case doubled

  /// Whether beats can be made of what is left: where not, the session has rates only.
  public var leavesBeats: Bool {
    switch self {
    case .milliseconds, .repeated, .doubled: true
    case .invented, .unfit, .twoHearts, .newestOnly: false
    }
  }
}

extension IntervalHabit {
  /// One clause for a person.
  public var words: String {
    switch self {
    case .invented: "the sensor invents its RR intervals from its rate"
    case .unfit: "the RR intervals do not add up to the time that passed"
    case .twoHearts: "the RR intervals add up to twice the time that passed, as those of two hearts do"
    case .newestOnly: "the sensor sends only one RR interval in each value, and beats between them are missing"
    case .milliseconds: "the RR intervals are in milliseconds instead of 1/1024 s"
    case .repeated: "the sensor sends its last RR interval again"
    case .doubled: "each value came twice"
    }
  }
}
