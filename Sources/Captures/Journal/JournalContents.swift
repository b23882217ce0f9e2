/// What was found in a journal's folder.
public struct JournalContents: Hashable, Sendable {
  /// In the order of their first records.
  public var sessions: [JournalSession]
  /// The first hundred places that could not be read, in order.
  public var damages: [CaptureDamage]
  /// How many such places there were.
  public var damageCount: Int
  /// The first hundred records whose kinds only a later version knows, in order.
  public var unknownRecords: [UnknownRecord]
  /// How many such records there were.
  public var unknownRecordCount: Int
  /// Files that are no segments of this journal, and what became of them.
  public var foreignFiles: [ForeignFile]

  public init(
    sessions: [JournalSession], damages: [CaptureDamage], damageCount: Int, foreignFiles: [ForeignFile],
    unknownRecords: [UnknownRecord] = [], unknownRecordCount: Int = 0
  ) {
    self.sessions = sessions
    self.damages = damages
    self.damageCount = damageCount
    self.foreignFiles = foreignFiles
    self.unknownRecords = unknownRecords
    self.unknownRecordCount = unknownRecordCount
  }
}

/// A session found in a journal: its capture so far, and whether it goes on.
public struct JournalSession: Hashable, Sendable {
  public var capture: Capture
  public var state: State

  public init(capture: Capture, state: State) {
    self.capture = capture
    self.state = state
  }

  public enum State: Hashable, Sendable {
    /// No record ends it: the recorder stopped without a word, or still runs.
    case open
    /// It ended and is yet to be committed.
    case ended
    /// The store has it; its segments are still to be deleted.
    case committed
  }
}

/// A file in a journal's folder that is no readable segment.
public struct ForeignFile: Hashable, Sendable {
  public var name: String
  public var reason: Reason
  /// Its name now, which says why; nil where it was left alone.
  public var setAsideAs: String?

  public init(name: String, reason: Reason, setAsideAs: String? = nil) {
    self.name = name
    self.reason = reason
    self.setAsideAs = setAsideAs
  }

  public enum Reason: Hashable, Sendable {
    /// It has a segment's name and the content of something else.
    case notAJournal
    /// A newer sensord wrote it.
    case newerVersion(Int)
    /// It could not be opened or read: the system's error number.
    case unreadable(Int32)
  }
}
