import Glibc

/// Where a store's file really is, behind whatever links lead to it.
///
/// Nothing is opened here: closing any descriptor of the file would drop SQLite's locks on it.
struct StorePlace {
  /// As it was asked for.
  let path: String
  /// The same without links; files beside the store have their names by it, SQLite's own ones too.
  let realPath: String

  /// Between a store's name and the random number of a draft, under which it is filled before it gets its name.
  static let draftMark = ".new-"

  /// Looks at what is at `path`.
  ///
  /// - Throws: ``StoreError/Code/missing``; ``StoreError/Code/notADatabase`` for what is no plain file, a pipe for instance,
  ///   which SQLite would wait for; ``StoreError/Code/invalid`` where a file that is to be written has several names: each
  ///   would have a log of its own, which SQLite calls a sure way to damage (sqlite.org/howtocorrupt.html, 2.5).
  init(_ path: String, for access: HealthStore.Access) throws(StoreError) {
    self.path = path
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { throw .missing(path) }
      // SQLite says why.
      realPath = path
      return
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notADatabase(path) }
    realPath = Self.resolved(path)
    guard access != .reading, status.st_nlink > 1 else { return }
    removeDrafts(of: status)
    guard unsafe stat(path, &status) == 0, status.st_nlink > 1 else { return }
    throw StoreError(
      .invalid,
      "\(path) has \(status.st_nlink) names (hard links), and what is written under one is missing under the others;"
        + " remove all but one")
  }

  /// Whether nobody writes to the file, so that it can be read without the log that every reader shares: a copy that
  /// came without its `-wal`, in a folder where none can be made. A recorder keeps its own `-wal` there for its readers.
  var isFrozen: Bool {
    unsafe access(realPath + "-wal", F_OK) != 0 && access(folder, W_OK) != 0
  }

  private static func resolved(_ path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  var folder: String {
    realPath.lastIndex(of: "/").map { String(realPath[...$0]) } ?? "."
  }

  /// The file's name in the folder.
  var name: String {
    realPath.split(separator: "/").last.map(String.init) ?? ""
  }

  /// Takes from the file the name under which it was filled: who made it is between its two names, or was killed there.
  private func removeDrafts(of file: stat) {
    let beginning = name + Self.draftMark
    guard !name.isEmpty, let entries = unsafe opendir(folder) else { return }
    defer { unsafe closedir(entries) }
    while let entry = unsafe readdir(entries) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      guard name.hasPrefix(beginning), unsafe lstat(folder + name, &status) == 0, status.st_ino == file.st_ino,
        status.st_dev == file.st_dev
      else { continue }
      unsafe unlink(folder + name)
    }
  }
}
