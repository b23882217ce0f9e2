public import Captures
public import DBus
public import SeriesStore

/// Why a recorder could not start, or could not store what it recorded.
public enum RecorderFailure: Error, Sendable {
  case store(StoreError)
  case journal(JournalError)
  /// The kernel gave no descriptors or no thread.
  case system(DBusError)
  /// The folder of the store cannot be made: its path and the system's error number.
  case folder(path: String, errorNumber: Int32)
  /// Sessions that ended could not be committed; they are safe in the journal, and the next start commits them.
  case uncommitted(sessions: Int)
}
