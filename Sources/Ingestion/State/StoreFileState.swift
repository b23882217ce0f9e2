import Glibc

/// What the file at the store's path looks like from outside: the same twice while nobody writes to it.
struct StoreFileState: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
  /// Bytes.
  var size: Int64
  /// Of its last change, in nanoseconds since 1970.
  var modified: Int64
}

extension StoreFileState {
  /// Nil where there is none, or one that nothing was written to yet.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_size > 0 else { return nil }
    self.init(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
  }
}
