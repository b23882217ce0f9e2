import CLinux
import Glibc

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
