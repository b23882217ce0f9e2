public import Captures
public import HealthModel

/// The sessions that a journal holds now: those being recorded, and those that are yet to be committed.
public enum OpenSessions {
  /// Works out each session as if it ended here. Takes no lock and changes nothing, so it runs beside a recorder.
  ///
  /// The end reason of a session that is still open is empty.
  ///
  /// - Throws: ``JournalError`` where the journal's folder cannot be read; a missing folder holds no session.
  public static func read(journal: String, version: String) throws(JournalError) -> [RecordedSession] {
    sessions(of: try JournalReader.read(directory: journal), version: version)
  }

  /// The same of a journal that was read.
  public static func sessions(of contents: JournalContents, version: String) -> [RecordedSession] {
    var sessions: [RecordedSession] = []
    for found in contents.sessions where found.state != .committed {
      // A session that the timeline cannot order is reported when it is committed; a list goes on without it.
      guard var session = try? RecordedSession(of: found.capture, version: version) else { continue }
      if found.state == .open { session.endReason = "" }
      sessions.append(session)
    }
    return sessions
  }
}
