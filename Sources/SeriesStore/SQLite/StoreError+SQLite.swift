import CSQLite
import Glibc

extension StoreError {
  /// What SQLite's result `code` about the file at `path` means to the user.
  ///
  /// SQLite's own message is left out: it may quote the statement or what was bound to it.
  static func sqlite(_ code: Int32, _ path: String) -> StoreError {
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
    case SQLITE_IOERR where isDirectory(path):
      return notADatabase(path)
    case SQLITE_FULL:
      return StoreError(.full, "\(path) cannot grow: the disk is full; free some space")
    case SQLITE_CORRUPT:
      return StoreError(
        .corrupt(object: "database"), "\(path) is damaged (\(reason)); copy it before anything else is tried")
    default:
      return StoreError(.io, "\(path) cannot be read or written: \(reason) (SQLite \(code)); check the disk")
    }
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func notADatabase(_ path: String) -> StoreError {
    StoreError(.notADatabase, "\(path) is no store of sensord; name another file with --store")
  }

  static func missing(_ path: String) -> StoreError {
    StoreError(.missing, "there is no store at \(path); record something first, or name another file with --store")
  }
}
