internal import DBus
internal import Glibc

/// Standard input, a line at a time, without holding up the loop.
actor LineInput {
  private nonisolated let loop: EventLoop
  private var watch: WatchToken?
  private var line: [UInt8] = []
  private var waiter: CheckedContinuation<String?, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop) {
    self.loop = loop
  }

  /// The next line without its end; nil where there is none any more, or the task is cancelled.
  func next() async -> String? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled, waiter == nil else { return continuation.resume(returning: nil) }
        waiter = continuation
        do {
          watch = try loop.watch(STDIN_FILENO, for: .readable) { [weak self] _ in
            self?.assumeIsolated { $0.read() }
          }
        } catch {
          // A file or /dev/null: always readable, which epoll refuses to watch.
          while waiter != nil { read() }
        }
      }
    } onCancel: {
      loop.execute { [weak self] in self?.assumeIsolated { $0.finish(nil) } }
    }
  }

  /// Reads one byte, so that nothing behind the end of the line is consumed.
  private func read() {
    var byte: UInt8 = 0
    let count = unsafe Glibc.read(STDIN_FILENO, &byte, 1)
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return }
    guard count == 1 else { return finish(line.isEmpty ? nil : String(decoding: line, as: UTF8.self)) }
    guard byte != UInt8(ascii: "\n") else { return finish(String(decoding: line, as: UTF8.self)) }
    // No answer is longer; without a limit the input could fill the memory.
    if line.count < 256 { line.append(byte) }
  }

  private func finish(_ text: String?) {
    if let watch { loop.cancel(watch) }
    watch = nil
    line = []
    waiter?.resume(returning: text)
    waiter = nil
  }
}
