import CSQLite
import Glibc

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
    // A statement of this program's that SQLite refuses, or a row that it does not take: the file is not as it was declared.
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
