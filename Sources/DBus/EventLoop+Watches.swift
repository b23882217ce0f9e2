internal import CLinux

/// Identifies a watched descriptor of an ``EventLoop``.
public struct WatchToken: Hashable, Sendable {
  let identifier: UInt64
}

struct WatchRecord {
  var descriptor: Int32
  var handler: (Readiness) -> Void
}

extension EventLoop {
  /// Calls `handler` on the loop's thread for as long as `descriptor` is ready (level-triggered).
  ///
  /// Only on the loop's thread, or before the loop runs. The caller keeps the descriptor open until it has cancelled the
  /// watch.
  ///
  /// - Parameters:
  ///   - descriptor: A socket, pipe or the like.
  ///   - events: What to watch for; hang-up and error are always reported.
  ///   - handler: Gets what the descriptor is ready for.
  /// - Returns: A token for ``cancel(_:)-(WatchToken)``.
  /// - Throws: ``DBusError/Code/system(errno:)``, for a regular file or one that is watched already.
  public func watch(
    _ descriptor: Int32, for events: Readiness, _ handler: @escaping (Readiness) -> Void
  ) throws(DBusError) -> WatchToken {
    preconditionOnLoop()
    let identifier = nextIdentifier()
    try control(EPOLL_CTL_ADD, descriptor, events.rawValue, identifier: identifier)
    watches[identifier] = WatchRecord(descriptor: descriptor, handler: handler)
    return WatchToken(identifier: identifier)
  }

  /// Changes what a descriptor is watched for; does nothing if the watch was cancelled.
  ///
  /// - Throws: ``DBusError/Code/system(errno:)``.
  public func change(_ token: WatchToken, to events: Readiness) throws(DBusError) {
    preconditionOnLoop()
    guard let watch = watches[token.identifier] else { return }
    try control(EPOLL_CTL_MOD, watch.descriptor, events.rawValue, identifier: token.identifier)
  }

  /// Ends a watch. Its handler is not called again, not even for events that the kernel has already reported.
  public func cancel(_ token: WatchToken) {
    preconditionOnLoop()
    guard let watch = watches.removeValue(forKey: token.identifier) else { return }
    // Fails only if the descriptor was closed too early; then the kernel has removed it.
    try? control(EPOLL_CTL_DEL, watch.descriptor, 0, identifier: token.identifier)
  }
}
