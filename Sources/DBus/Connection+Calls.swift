/// A call whose answer has not arrived.
struct PendingCall {
  var reply: @Sendable (Result<Message, DBusError>) -> Void
  var timer: TimerToken?

  func finish(_ result: Result<Message, DBusError>, on loop: EventLoop) {
    if let timer { loop.cancel(timer) }
    reply(result)
  }
}

extension Connection {
  /// Identifies a call that waits for its answer.
  public struct CallToken: Hashable, Sendable {
    let serial: UInt32
  }

  /// Calls a method and waits for the answer. Any number of calls may wait at the same time.
  ///
  /// - Parameters:
  ///   - message: A method call.
  ///   - timeout: The longest wait; nil waits as long as the bus is there (bluetoothd gives up a Connect after 40 s).
  /// - Returns: The method's return.
  /// - Throws: ``DBusError/Code/remote(name:)`` where the answer is an error, ``DBusError/Code/timedOut``,
  ///   ``DBusError/Code/cancelled`` as soon as the task is, ``DBusError/Code/disconnected``, and what ``send(_:)`` throws.
  public func call(_ message: Message, timeout: Duration? = .seconds(25)) async throws(DBusError) -> Message {
    let token = CallToken(serial: nextSerial())
    let loop = self.loop
    // Without this preference the continuation would resume on the global pool before it gets to the actor: a detour over
    // another thread for each reply, which later signals could overtake.
    let result = await withTaskExecutorPreference(loop) {
      await withTaskCancellationHandler {
        await withCheckedContinuation { (continuation: CheckedContinuation<Result<Message, DBusError>, Never>) in
          guard !Task.isCancelled else { return continuation.resume(returning: .failure(Self.callCancelled)) }
          begin(message, token, timeout) { continuation.resume(returning: $0) }
        }
      } onCancel: {
        // Runs after the call has begun, because the loop runs its work in order.
        loop.execute { [weak self] in
          self?.assumeIsolated { $0.cancel(token) }
        }
      }
    }
    return try result.get()
  }

  /// Calls a method; the answer is passed to a closure when its message is dispatched, in order with signals and calls.
  ///
  /// A mirror of remote objects needs this order: no signal that came after the answer is seen before it.
  ///
  /// - Parameters:
  ///   - message: A method call.
  ///   - timeout: The longest wait; nil waits as long as the bus is there.
  ///   - reply: Called exactly once, on the loop's thread and never from within this function, with the method's return or
  ///     with what the other form throws.
  /// - Returns: A token for ``cancel(_:)``.
  @discardableResult
  public func call(
    _ message: Message, timeout: Duration? = .seconds(25),
    reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
  ) -> CallToken {
    let token = CallToken(serial: nextSerial())
    begin(message, token, timeout, reply)
    return token
  }

  /// Ends a call with ``DBusError/Code/cancelled`` at once; does nothing if the answer has come. The callee is not
  /// notified.
  public func cancel(_ token: CallToken) {
    finishCall(token.serial, .failure(Self.callCancelled))
  }

  private func begin(
    _ message: Message, _ token: CallToken, _ timeout: Duration?,
    _ reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
  ) {
    do throws(DBusError) {
      guard message.kind == .methodCall, !message.noReply else {
        throw DBusError(.invalid, "only a method call that wants a reply can be waited for")
      }
      try send(message, serial: token.serial)
    } catch {
      return loop.execute { reply(.failure(error)) }
    }
    let timer = timeout.map { timeout in
      loop.schedule(after: timeout) { [weak self] in
        self?.assumeIsolated { $0.finishCall(token.serial, .failure(Self.callTimedOut)) }
      }
    }
    pendingCalls[token.serial] = PendingCall(reply: reply, timer: timer)
  }

  /// Ends the call with this serial. An answer that nobody waits for is dropped.
  func finishCall(_ serial: UInt32, _ result: Result<Message, DBusError>) {
    pendingCalls.removeValue(forKey: serial)?.finish(result, on: loop)
  }

  static func result(of incoming: Transport.Incoming) -> Result<Message, DBusError> {
    let message = incoming.message
    if let error = incoming.bodyError { return .failure(error) }
    guard message.kind == .error else { return .success(message) }
    var error = DBusError(
      .remote(name: message.errorName ?? "org.freedesktop.DBus.Error.Failed"), message.body.first?.string ?? "")
    error.isFromBus = message.sender == "org.freedesktop.DBus"
    return .failure(error)
  }

  private static let callTimedOut = DBusError(.timedOut, "no reply in the time allowed")
  private static let callCancelled = DBusError(.cancelled, "the call was cancelled")
}
