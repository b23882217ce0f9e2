/// Why the store could not do what was asked: a code to decide by, and one line to show.
///
/// The message says what, why, and what to do; it never holds a measured value.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// To decide by.
  public let code: Code
  /// One line: what failed, why, and what to do about it.
  public let message: String

  /// What kind of failure it is. A later version may have more.
  @nonexhaustive
  public enum Code: Hashable, Sendable {
    /// There is no store at the path, and a reader makes none.
    case missing
    /// The file is something else, or damaged in its first page. It was not touched.
    case notADatabase
    /// The file was written by a later version of the program. It was not touched.
    case newerVersion(found: Int, supported: Int)
    /// Another recorder has this store, or a writer did not finish in time.
    case locked
    /// The file or its folder cannot be made.
    case cannotCreate
    /// The user may not read or write the file.
    case permission
    /// The disk is full.
    case full
    /// The disk or the file system failed.
    case io
    /// What is stored of the named object cannot be read; everything else can.
    case corrupt(object: String)
    /// No session, sensor or sample has that name.
    case notFound
    /// Several sessions' identifiers begin so.
    case ambiguous
    /// What was handed over cannot be stored as it is.
    case invalid
    /// The anchor is of another store.
    case foreignAnchor
    /// The anchor names a change that this store does not have: an older copy of the file was put back.
    case lostAnchor
    /// The system cannot tell when the file changes: it has no watch left, or does not let this user watch.
    case cannotObserve
    /// The predicate is deeper, or has more values, than can be asked at once: more than `limit`.
    case tooComplex(limit: Int)
    /// The task that asked was cancelled before the answer was complete.
    case cancelled
    /// The store was closed before.
    case closed
    /// The SQL statement that was handed over cannot be run; the message is SQLite's.
    case statement
  }

  /// A failure with its one line.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// Whether something stored is damaged, as against a call or a disk that failed.
  var isCorrupt: Bool {
    if case .corrupt = code { true } else { false }
  }
}
