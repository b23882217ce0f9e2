import CSQLite
import Glibc
public import HealthModel

/// The reason for the failure of an operation of the store: a code for programs, and one line for people.
///
/// The message names the failure, its cause and the remedy; it never contains a measured value.
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
    /// The file was written by a program from before version 0.1.0, in a layout that is not read any more. It was not touched.
    case olderVersion(found: Int, supported: Int)
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
    /// The file has a declaration that no version of this program writes, a trigger for instance. No part of it was
    /// run.
    case foreignDeclaration
    /// An answer takes more steps than any sound file of this size needs (``WorkLimit``): the pages of the file are
    /// damaged, or were made to cause endless work.
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
    /// The predicate is nested deeper, or has more values, than the `limit` permits.
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

  /// The message, for a person.
  public var description: String { message }

  /// Whether stored data is damaged, and not a call or the disk at fault.
  var isCorrupt: Bool {
    if case .corrupt = code { true } else { false }
  }
}

extension StoreError {
  /// The error for SQLite's result `code` for the file at `path`. `system` is the error number of the failed system call,
  /// if there was one.
  ///
  /// SQLite's own message is left out, since it may quote the statement or its bound values.
  static func sqlite(_ code: Int32, _ path: String, system: Int32 = 0) -> StoreError {
    if let error = limit(code, system, path) { return error }
    let reason = unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return StoreError(.locked, "\(path) is in use: another program has been writing to it for too long; try again")
    case SQLITE_NOTADB:
      return notADatabase(path)
    case SQLITE_PERM, SQLITE_AUTH, SQLITE_READONLY:
      return StoreError(.permission, "\(path) may not be written: \(reason); check owner and mode of it and its folder")
    case SQLITE_CANTOPEN:
      return StoreError(
        .permission, "\(path) cannot be opened: check owner and mode of it, its -wal and -shm, its folder")
    case SQLITE_FULL:
      return StoreError(.full, "\(path) cannot grow: the disk is full; free some space")
    case SQLITE_INTERRUPT:
      return StoreError(
        .tooMuchWork,
        "\(path) takes more work than any sound file of its size: it is damaged, or made to; look at it with sensord check"
      )
    // SQLite refuses a statement or a row of this program: the tables of the file are not as they were declared.
    case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_SCHEMA:
      return StoreError(
        .corrupt(object: "database"), "\(path) is damaged (\(reason)); copy it before anything else is tried")
    default:
      return StoreError(.io, "\(path) cannot be read or written: \(reason) (SQLite \(code)); check the disk")
    }
  }

  /// A limit of the process or the system; neither the file nor the disk is at fault.
  private static func limit(_ code: Int32, _ system: Int32, _ path: String) -> StoreError? {
    switch (code & 0xFF, system) {
    case (SQLITE_IOERR, _) where system == EFBIG || code == writeFailed && isSizeLimited:
      StoreError(.full, "\(path) cannot grow: its size has reached a limit of this process or file system (ulimit -f)")
    case (SQLITE_CANTOPEN, EMFILE), (SQLITE_CANTOPEN, ENFILE):
      StoreError(.io, "\(path) cannot be opened: too many files are open; close some, or raise the limit (ulimit -n)")
    default: nil
    }
  }

  /// `SQLITE_IOERR_WRITE`, a macro that Swift does not import. SQLite's rollback may have hidden the error number.
  private static let writeFailed: Int32 = SQLITE_IOERR | 3 << 8

  private static var isSizeLimited: Bool {
    var limit = rlimit()
    return unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 && limit.rlim_cur != rlim_t.max
  }

  static func notADatabase(_ path: String) -> StoreError {
    StoreError(.notADatabase, "\(path) is no store of sensord; name another file with --store")
  }

  static func missing(_ path: String) -> StoreError {
    StoreError(.missing, "there is no store at \(path); record something first, or name another file with --store")
  }
}
