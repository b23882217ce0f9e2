import Glibc

/// Reads all sessions in a journal's folder, across segments and boots.
public enum JournalReader {
  /// Reads the segments in `directory` in order. Changes nothing and locks nothing, so a recorder may run meanwhile.
  ///
  /// - Throws: ``JournalError`` with `cannotRead` if the folder itself cannot be read. A missing folder is empty.
  public static func read(directory: String) throws(JournalError) -> JournalContents {
    do {
      return try JournalScan(Directory(path: directory)).contents
    } catch {
      guard error.number != ENOENT else {
        return JournalContents(sessions: [], damages: [], damageCount: 0, foreignFiles: [])
      }
      throw JournalError(.cannotRead, errorNumber: error.number, path: directory)
    }
  }
}

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
  /// Files that are not segments of this journal, with their new names.
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
    /// No record ends the session: the recorder stopped unexpectedly, or still runs.
    case open
    /// The session ended and is not committed yet.
    case ended
    /// The store has the session; its segments can be deleted.
    case committed
  }
}

/// A file in a journal's folder that is not a readable segment.
public struct ForeignFile: Hashable, Sendable {
  public var name: String
  public var reason: Reason
  /// The file's new name, which gives the reason; nil if the file was left alone.
  public var setAsideAs: String?
  /// The number of the file's owner, where the file could not be read.
  public var owner: UInt32?

  public init(name: String, reason: Reason, setAsideAs: String? = nil, owner: UInt32? = nil) {
    self.name = name
    self.reason = reason
    self.setAsideAs = setAsideAs
    self.owner = owner
  }

  public enum Reason: Hashable, Sendable {
    /// The file has a segment's name, but another content.
    case notAJournal
    /// A newer sensord wrote the file.
    case newerVersion(Int)
    /// The file could not be opened or read: the system's error number.
    case unreadable(Int32)

    /// Whether the file may be readable another time and is a segment then: such a file keeps its name and its place.
    public var mayPass: Bool {
      if case .unreadable(let number) = self { ![EISDIR, ELOOP, EINVAL, ENXIO].contains(number) } else { false }
    }
  }
}

extension ForeignFile {
  /// The fault of the file and its remedy, in one line for a person.
  ///
  /// - Parameter directory: The journal's folder.
  /// - Returns: The line, which holds no health data.
  public func line(in directory: String) -> String {
    let place = setAsideAs.map { " and was set aside as \($0)" } ?? ""
    switch reason {
    case .notAJournal: return "\(name) is no segment of it\(place)"
    case .newerVersion(let version): return "\(name) is of a newer sensord (version \(version))\(place)"
    case .unreadable(let number):
      let path = "\(directory)/\(name)"
      let fault = "\(path) cannot be read (\(SystemError.text(number)))\(place)"
      guard reason.mayPass else { return fault }
      guard number == EACCES || number == EPERM, let owner else {
        return "\(fault); what it holds is stored by the first start that can read it"
      }
      let user = owner == 0 ? "root" : "user \(owner)"
      return "\(fault), it belongs to \(user); to have it stored: sudo chown --reference='\(directory)' '\(path)',"
        + " then start the recorder anew"
    }
  }
}
