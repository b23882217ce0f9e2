/// What the file at the store's path looks like from outside: the same twice while nobody writes to it.
struct StoreFileState: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
  /// Bytes.
  var size: Int64
  /// Of its last change, in nanoseconds since 1970.
  var modified: Int64
}
