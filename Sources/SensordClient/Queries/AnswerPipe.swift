import RecorderBus
import DBus
import Glibc

extension SensordClient {
  /// Asks the recorder, and reads its answer.
  @concurrent func ask<Reader: AnswerReader>(
    _ query: ClientQuery, _ reader: consuming Reader
  ) async throws(ClientError) -> Reader.Answer {
    let reply = try await link.call(ClientInterfaces.healthStore, "Query", [.string(query.kind), query.value])
    guard let descriptor = reply.first?.descriptor?.take() else { throw .unreadable }
    let pipe = AnswerPipe(descriptor, on: link.loop)
    var bytes: [UInt8] = []
    while true {
      let part = try await pipe.read()
      if part.isEmpty { break }
      if bytes.isEmpty { bytes = part } else { bytes += part }
      guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { continue }
      do throws(AnswerError) { try reader.read(bytes[...end]) } catch { throw ClientError(error) }
      bytes.removeFirst(end + 1)
    }
    do throws(AnswerError) { return try reader.finish() } catch { throw ClientError(error) }
  }
}

/// The pipe through which an answer comes. The pipe is read only as fast as its reader asks, so an answer of any length
/// needs little memory.
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

  /// Returns the bytes that have come since the last call, at least one; nothing at the end.
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
          // The kernel has no memory for it; the next read shows whether there is more.
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
