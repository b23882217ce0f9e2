/// Why a recovery of the heart rate is not given.
@nonexhaustive
public enum RecoveryRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The recording has no beats: the sensor sends no RR intervals, or invents them.
  case noBeats
  /// The recording does not reach over the window.
  case notRecorded(Window)
  /// Beats are missing, for this reason of a ``RecordingGap``; nil where nothing says why.
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
