import DBus
import Glibc

/// The pipe through which an answer comes. It is read only as fast as it is taken, so an answer of any length needs little memory.
actor AnswerPipe {
  private static let capacity = 65_536

  private nonisolated let loop: EventLoop
  private let descriptor: FileDescriptor
  private var watch: WatchToken?
  private var waiter: CheckedContinuation<Void, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(_ descriptor: consuming FileDescriptor, on loop: EventLoop) {
    _ = fcntl(descriptor.number, F_SETFL, O_NONBLOCK)
    self.descriptor = descriptor
    self.loop = loop
  }

  /// What has come since the last call, at least one byte; nothing at the end.
  func read() async throws(ClientError) -> [UInt8] {
    while !Task.isCancelled {
      var bytes = [UInt8](repeating: 0, count: Self.capacity)
      let count = unsafe Glibc.read(descriptor.number, &bytes, Self.capacity)
      if count >= 0 {
        bytes.removeLast(Self.capacity - count)
        return bytes
      }
      guard errno == EAGAIN || errno == EINTR else { throw .cutOff }
      await untilReadable()
    }
    throw .cancelled
  }

  private func untilReadable() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume() }
        waiter = continuation
        do {
          watch = try loop.watch(descriptor.number, for: .readable) { [weak self] _ in
            self?.assumeIsolated { $0.resume() }
          }
        } catch {
          // The kernel has no memory for it; the next read says whether there is more.
          resume()
        }
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.resume() } }
    }
  }

  private func resume() {
    if let watch { loop.cancel(watch) }
    watch = nil
    waiter?.resume()
    waiter = nil
  }
}
