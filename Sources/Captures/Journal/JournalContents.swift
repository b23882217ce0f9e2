/// The content of a journal's folder.
public struct JournalContents: Hashable, Sendable {
  /// In the order of their first records.
  public var sessions: [JournalSession]
  /// The series of clients that the store is not known to have, in the order of their first records.
  public var series: [ClientSeriesContents]
  /// The live workouts that the store is not known to have, in the order of their first records.
  public var workouts: [WorkoutContents]
  /// The first hundred places that could not be read, in order.
  public var damages: [CaptureDamage]
  /// The number of such places.
  public var damageCount: Int
  /// The first hundred records whose kinds only a later version knows, in order.
  public var unknownRecords: [UnknownRecord]
  /// The number of such records.
  public var unknownRecordCount: Int
  /// Files that are not segments of this journal, and what was done with them.
  public var foreignFiles: [ForeignFile]

  public init(
    sessions: [JournalSession], damages: [CaptureDamage], damageCount: Int, foreignFiles: [ForeignFile],
    unknownRecords: [UnknownRecord] = [], unknownRecordCount: Int = 0, series: [ClientSeriesContents] = [],
    workouts: [WorkoutContents] = []
  ) {
    self.sessions = sessions
    self.series = series
    self.workouts = workouts
    self.damages = damages
    self.damageCount = damageCount
    self.foreignFiles = foreignFiles
    self.unknownRecords = unknownRecords
    self.unknownRecordCount = unknownRecordCount
  }
}

/// A session of a journal: its capture so far, and its state.
public struct JournalSession: Hashable, Sendable {
  public var capture: Capture
  public var state: State

  public init(capture: Capture, state: State) {
    self.capture = capture
    self.state = state
  }

  public enum State: Hashable, Sendable {
    /// No record ends it: the recorder stopped unexpectedly, or still runs.
    case open
    /// It ended and is not committed yet.
    case ended
    /// The store has it; its segments can be deleted.
    case committed
  }
}

/// A file in a journal's folder that is not a readable segment.
public struct ForeignFile: Hashable, Sendable {
  public var name: String
  public var reason: Reason
  /// Its new name, which says why; nil if it was left alone.
  public var setAsideAs: String?

  public init(name: String, reason: Reason, setAsideAs: String? = nil) {
    self.name = name
    self.reason = reason
    self.setAsideAs = setAsideAs
  }

  public enum Reason: Hashable, Sendable {
    /// It has a segment's name, but another content.
    case notAJournal
    /// A newer sensord wrote it.
    case newerVersion(Int)
    /// It could not be opened or read: the system's error number.
    case unreadable(Int32)
  }
}
