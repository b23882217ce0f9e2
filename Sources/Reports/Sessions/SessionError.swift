internal import Documents
internal import SeriesStore
import Support

/// The reason why a session cannot be shown, exported or deleted.
package enum SessionError: Error, Hashable, Sendable {
  /// No session can have this name.
  case noName(String)
  /// The same for a deletion, which does not understand `last`.
  case noNameToDelete(String)
  /// `last` was to be deleted.
  case lastNotDeleted
  /// No session of this store has values, perhaps since rows of its sessions are damaged.
  case noneYet(store: String, isDamaged: Bool = false)
  /// The session has neither rates nor beats.
  case noValues(String)
  /// The session has rates alone, for a reason that may be known.
  case noBeats(String, because: String?)
  /// The session has beats alone.
  case noRates(String)
  /// No session has this name.
  case notFound(String, store: String)
  /// Neither a session nor a workout can have this name.
  case noNameOfEither(String)
  /// Neither a session nor a workout has this name.
  case neitherFound(String, store: String)
  /// Several sessions begin with these digits.
  case ambiguous(String)
  /// Several sessions and workouts begin with these digits.
  case ambiguousWorkout(String)
  /// No session belongs to the workout, so that it has no beats.
  case noHeartbeats(String)
  /// The name is that of a workout, and this table is of sessions alone.
  case workout(String, _ format: String)
  /// A recorder has the session open, so that it cannot be deleted.
  case stillRecorded(String)
  /// A recorder is about to store the session, so that it cannot be deleted.
  case beingStored(String)
  /// The session is deleted from the store; the recorder still has its notifications in the journal.
  case notErased(String)

  /// The failed action and the reason, without a full stop at the end.
  package var message: String {
    switch self {
    case .noName(let text), .noNameToDelete(let text):
      "'\(PrintableText.line(text, columns: 40))' names no session"
    case .lastNotDeleted: "'last' is not deleted"
    case .noNameOfEither(let text): "'\(PrintableText.line(text, columns: 40))' names no session and no workout"
    case .noneYet(let store, isDamaged: false): "there is no session with values in \(store) yet"
    case .noneYet(let store, isDamaged: true):
      "no values of a session are to be found in \(store), and rows of its sessions are not as they were written"
    case .noValues(let name): "session \(name) has no values: its sensor was there and sent no rate and no beat"
    case .noBeats(let name, let reason): "session \(name) has no beats\(reason.map { ": \($0)" } ?? "")"
    case .noRates(let name): "session \(name) has no rates"
    case .notFound(let name, let store): "no session \(name) in \(store)"
    case .neitherFound(let name, let store): "no session or workout \(name) in \(store)"
    case .ambiguous(let name): "several sessions begin with \(name)"
    case .ambiguousWorkout(let name): "several sessions or workouts begin with \(name)"
    case .noHeartbeats(let name): "no recorded heartbeats belong to workout \(name)"
    case .workout(let name, let format): "\(name) is a workout, and \(format) is a table of one session"
    case .stillRecorded(let name): "session \(name) is still being recorded"
    case .beingStored(let name): "session \(name) is being stored just now"
    case .notErased(let name): "session \(name) is deleted, but the recorder has not erased it from its journal"
    }
  }

  /// The remedy, as a command or a short clause.
  package var remedy: String {
    switch self {
    case .noName:
      "give at least \(SessionName.fewestDigits) digits of its name, or last; 'sensord sessions' lists them"
    case .noNameOfEither:
      "give at least \(SessionName.fewestDigits) digits of its name, or last; 'sensord sessions' and 'sensord workouts' list them"
    case .noNameToDelete: "give at least \(SessionName.fewestDigits) digits of its name; 'sensord sessions' shows it"
    case .lastNotDeleted: "give the session's name; 'sensord sessions' shows it"
    case .noneYet(_, isDamaged: true): "'sensord check' names them"
    case .noneYet: "record one with 'sensord run', or try 'sensord demo'"
    case .noBeats(let name, _): "export its rates: sensord export \(name) --format rates"
    case .noRates(let name): "export its beats: sensord export \(name) --format beats"
    case .noValues, .notFound: "'sensord sessions' lists what there is"
    case .neitherFound: "'sensord sessions' and 'sensord workouts' list what there is"
    case .ambiguous, .ambiguousWorkout: "give more digits"
    case .noHeartbeats: "name the session instead; 'sensord sessions' lists them"
    case .workout:
      "name the session of its time, which 'sensord sessions' lists, or take a format for workouts, such as fit"
    case .stillRecorded: "stop the recorder, then delete it"
    case .beingStored: "try again"
    case .notErased: "restart the recorder"
    }
  }
}
