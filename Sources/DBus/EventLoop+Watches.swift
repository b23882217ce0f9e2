internal import CLinux

/// Names a watched descriptor of an ``EventLoop``.
public struct WatchToken: Hashable, Sendable {
  let identifier: UInt64
}

struct WatchRecord {
  var descriptor: Int32
  var handler: (Readiness) -> Void
}

extension EventLoop {
  /// Calls `handler` on the loop's thread whenever `descriptor` is ready, as long as it is (level-triggered).
  ///
  /// Only on the loop's thread, or before the loop runs. The caller keeps the descriptor open until it has cancelled.
  ///
  /// - Parameters:
  ///   - descriptor: A socket, pipe or the like.
  ///   - events: What to watch for; hang-up and error are always told.
  ///   - handler: Gets what the descriptor is ready for.
  /// - Returns: What ``cancel(_:)-(WatchToken)`` takes.
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

  /// Changes what a descriptor is watched for; nothing where the watch was cancelled.
  ///
  /// - Throws: ``DBusError/Code/system(errno:)``.
  public func change(_ token: WatchToken, to events: Readiness) throws(DBusError) {
    preconditionOnLoop()
    guard let watch = watches[token.identifier] else { return }
    try control(EPOLL_CTL_MOD, watch.descriptor, events.rawValue, identifier: token.identifier)
  }

  /// Ends a watch: its handler is not called again, not even for what the kernel has already told.
  public func cancel(_ token: WatchToken) {
    preconditionOnLoop()
    guard let watch = watches.removeValue(forKey: token.identifier) else { return }
    // Fails only where the descriptor was closed too early, and then the kernel has forgotten it.
    try? control(EPOLL_CTL_DEL, watch.descriptor, 0, identifier: token.identifier)
  }
}
