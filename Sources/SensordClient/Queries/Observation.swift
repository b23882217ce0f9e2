import RecorderBus
import DBus

/// Reports changes of the store to live queries. The observation has a connection of its own, as long as one of them
/// waits.
actor Observation {
  private let application: String?
  private let bus: SensordClient.Bus
  private let loop: EventLoop
  private var link: Link?
  private var work: Task<Void, Never>?
  private var waiters: [UInt64: (types: Set<String>, signal: AsyncStream<Signal>.Continuation)] = [:]
  private var last: UInt64 = 0
  private var isClosed = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// A signal for a live query.
  enum Signal: Sendable {
    /// Something may have changed.
    case changed
    case failed(ClientError)
  }

  init(application: String?, bus: SensordClient.Bus, loop: EventLoop) {
    self.application = application
    self.bus = bus
    self.loop = loop
  }

  /// Signals of changes of these types; the first one comes when they are observed. One waits at most.
  func signals(_ types: Set<String>) -> AsyncStream<Signal> {
    let (stream, signal) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingNewest(1))
    guard !isClosed else {
      signal.yield(.failed(.closed))
      signal.finish()
      return stream
    }
    last += 1
    let number = last
    waiters[number] = (types, signal)
    signal.onTermination = { [weak self, loop] _ in
      Task(executorPreference: loop) { await self?.leave(number) }
    }
    if let link {
      Task(executorPreference: loop) { await self.widen(link) }
    } else {
      begin()
    }
    return stream
  }

  private func begin() {
    let link = Link(application: application, bus: bus, loop: loop) { [weak self] event in
      guard case .signal(let message) = event, message.isSignal(ClientInterfaces.healthStore.name, "Changed") else {
        return
      }
      self?.assumeIsolated { $0.tell(.changed) }
    }
    self.link = link
    work = Task(executorPreference: loop) { [weak self] in
      do throws(ClientError) {
        try await link.keep { [weak self] link throws(ClientError) in try await self?.observe(link) }
      } catch {
        await self?.fail(error)
      }
    }
  }

  private func observe(_ link: Link) async throws(ClientError) {
    let types = waiters.values.reduce(into: Set()) { $0.formUnion($1.types) }
    _ = try await link.call(ClientInterfaces.healthStore, "Observe", [.strings(types.sorted())])
    // Changes before this point are in no signal.
    tell(.changed)
  }

  /// Another query waits.
  private func widen(_ link: Link) async {
    do throws(ClientError) {
      try await observe(link)
    } catch {
      // Whoever keeps the link observes anew when the recorder is back.
      guard !error.isPassing else { return }
      await fail(error)
    }
  }

  private func tell(_ signal: Signal) {
    for waiter in waiters.values { waiter.signal.yield(signal) }
  }

  private func fail(_ error: ClientError) async {
    tell(.failed(error))
    let all = waiters
    waiters = [:]
    for waiter in all.values { waiter.signal.finish() }
    await stop()
  }

  private func leave(_ number: UInt64) async {
    guard waiters.removeValue(forKey: number) != nil, waiters.isEmpty else { return }
    await stop()
  }

  private func stop() async {
    let (link, work) = (link, work)
    self.link = nil
    self.work = nil
    work?.cancel()
    await link?.close()
  }

  /// Ends all live queries.
  func close() async {
    isClosed = true
    await fail(.closed)
  }
}
