public import HealthModel

/// Why an operation of the store failed: a code for programs, and one line for people.
///
/// The message has the failure, its cause and the remedy; it never contains a measured value.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// For decisions by a program.
  public let code: Code
  /// One line: what failed, why, and what to do about it.
  public let message: String

  /// The kind of failure. A later version may have more.
  @nonexhaustive
  public enum Code: Hashable, Sendable {
    /// There is no store at the path, and readers do not create one.
    case missing
    /// The file is something else, or its first page is damaged. It was not touched.
    case notADatabase
    /// The file was written by a later version of the program. It was not touched.
    case newerVersion(found: Int, supported: Int)
    /// Another recorder uses this store, or a writer did not finish in time.
    case locked
    /// The file or its folder cannot be created.
    case cannotCreate
    /// The user may not read or write the file.
    case permission
    /// The disk is full.
    case full
    /// The disk or the file system failed.
    case io
    /// The named object is damaged and cannot be read; everything else can.
    case corrupt(object: String)
    /// The file declares what no version of this program does, a trigger for instance. Nothing of it was run.
    case foreignDeclaration
    /// An answer takes more steps than any sound file of this size needs (``WorkLimit``): its pages are damaged, or made to.
    case tooMuchWork
    /// No session, sensor or sample has that name.
    case notFound
    /// Several sessions have identifiers that begin like this.
    case ambiguous
    /// The given object cannot be stored as it is.
    case invalid
    /// The file cannot be attached.
    case attachment(AttachmentError)
    /// The anchor belongs to another store.
    case foreignAnchor
    /// The anchor refers to a change that this store does not have: an older copy of the file was restored.
    case lostAnchor
    /// The system cannot report changes of the file: no watch is left, or this user may not watch it.
    case cannotObserve
    /// The predicate is deeper, or has more values, than the `limit`.
    case tooComplex(limit: Int)
    /// The task was cancelled before the answer was complete.
    case cancelled
    /// The store was closed before.
    case closed
    /// The given SQL statement cannot be run; the message is SQLite's.
    case statement
  }

  /// An error with its message.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// Whether stored data is damaged, and not a call or the disk at fault.
  var isCorrupt: Bool {
    if case .corrupt = code { true } else { false }
  }
}
