import RecorderBus
import DBus
import Synchronization

extension Link {
  /// A connection to the bus that reports when the recorder comes and goes.
  func connected() async throws(ClientError) -> Connection {
    if let connection { return connection }
    let connection: Connection
    do throws(DBusError) {
      connection = try await Self.connect(to: bus, on: loop)
    } catch {
      throw .noBus(error.message)
    }
    guard !isClosed else {
      await connection.close()
      throw .closed
    }
    self.connection = connection
    _ = await connection.observeSignals { [weak self] message in
      self?.assumeIsolated { $0.receive(message) }
    }
    await connection.onDisconnect { [weak self] _ in
      self?.assumeIsolated { $0.busWasLost() }
    }
    do throws(DBusError) {
      try await connection.addMatch(
        MatchRule(
          sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
          path: "/org/freedesktop/DBus", firstArgument: ClientInterfaces.busName))
    } catch {
      throw ClientError(error)
    }
    return connection
  }

  @concurrent private static func connect(
    to bus: SensordClient.Bus, on loop: EventLoop
  ) async throws(DBusError) -> Connection {
    switch bus {
    case .system: return try await Connection.open(.system, on: loop)
    case .session: return try await Connection.open(.session, on: loop)
    case .address(let address): return try await Connection.open(.address(address), on: loop)
    case .automatic:
      if let connection = try? await Connection.open(.session, on: loop) {
        if try await connection.nameOwner(of: ClientInterfaces.busName) != nil { return connection }
        await connection.close()
      }
      return try await Connection.open(.system, on: loop)
    }
  }

  /// Calls `subscribe` whenever the recorder knows this connection: now, and again after bus or recorder were gone. Returns when the
  /// link is closed and the task cancelled.
  ///
  /// The service is never started again by this call: whoever stopped it had a reason.
  ///
  /// - Throws: The errors of `subscribe` that do not pass; at the first attempt all its errors, but an owner waits for a recorder.
  func keep(_ subscribe: @Sendable (Link) async throws(ClientError) -> Void) async throws(ClientError) {
    var isFirst = true
    var failures = 0
    while !Task.isCancelled, !isClosed {
      do throws(ClientError) {
        _ = try await open(starting: isFirst)
        try await subscribe(self)
        isFirst = false
        failures = 0
        await end()
      } catch {
        let isAwaited = application == nil && !error.isLackOfBus
        guard !isFirst || isAwaited, error.isPassing else { throw error }
        if isFirst { events(.lost) }
        isFirst = false
      }
      await comeBack(failures)
      failures += 1
    }
  }

  /// Returns when it is worth another attempt.
  private func comeBack(_ failures: Int) async {
    if failures > 0 { try? await loop.sleep(for: .seconds([1, 2, 5, 10, 30][min(failures - 1, 4)])) }
    guard !isClosed, let connection = try? await connected() else { return }
    do throws(DBusError) {
      if try await connection.nameOwner(of: ClientInterfaces.busName) == nil { await ownerCame() }
    } catch {
      // The bus has gone, too: the next attempt is made after a while.
    }
  }
}

/// Tells who waits for a signal of the recorder that it came, or that the recorder has to be asked anew.
final class Signals: Sendable {
  private struct Waiter {
    var isAwaited: @Sendable (Message) -> Bool
    var event: AsyncStream<Link.Event>.Continuation
  }

  private let waiters = Mutex<[UInt64: Waiter]>([:])
  private let last = Atomic<UInt64>(0)

  /// Passes an event at the door to the streams that wait for it.
  func note(_ event: Link.Event) {
    for waiter in waiters.withLock({ Array($0.values) }) {
      if case .signal(let message) = event, !waiter.isAwaited(message) { continue }
      waiter.event.yield(event)
    }
  }

  /// Has everybody who waits ask anew.
  func tell() {
    note(.lost)
  }

  /// The last of these signals, or of losses of the recorder, since this call; one waits at most.
  func events(_ isAwaited: @escaping @Sendable (Message) -> Bool) -> AsyncStream<Link.Event> {
    let (events, event) = AsyncStream.makeStream(of: Link.Event.self, bufferingPolicy: .bufferingNewest(1))
    let number = last.add(1, ordering: .relaxed).newValue
    waiters.withLock { $0[number] = Waiter(isAwaited: isAwaited, event: event) }
    event.onTermination = { [weak self] _ in
      _ = self?.waiters.withLock { $0.removeValue(forKey: number) }
    }
    return events
  }
}
