import DBus
import Glibc
import Testing

@Suite("EventLoop")
struct EventLoopTests {
  @Test("timers fire in the order of their deadlines, equal ones in the order of their creation, cancelled ones never")
  func timers() throws {
    let loop = try EventLoop()
    var log: [Int] = []
    let now = BootClock.now()
    _ = loop.schedule(at: now + 3_000) { log.append(3) }
    _ = loop.schedule(at: now + 1_000) { log.append(1) }
    let cancelled = loop.schedule(at: now + 1_500) { log.append(-1) }
    _ = loop.schedule(at: now + 2_000) { log.append(2) }
    _ = loop.schedule(at: now + 3_000) { log.append(4) }
    _ = loop.schedule(at: .min) { log.append(0) }
    _ = loop.schedule(at: now + 5_000) { loop.stop() }
    loop.cancel(cancelled)
    loop.cancel(cancelled)
    loop.run()
    #expect(log == [0, 1, 2, 3, 4])
  }

  @Test("no timer is early, and the far future is no trap")
  func deadlines() throws {
    let loop = try EventLoop()
    let before = BootClock.now()
    var firedAt: Int64 = 0
    _ = loop.schedule(after: .seconds(Int64.max)) { Issue.record("the end of time") }
    _ = loop.schedule(at: .max) { Issue.record("the end of time") }
    _ = loop.schedule(after: .milliseconds(3)) {
      firedAt = BootClock.now()
      loop.stop()
    }
    loop.run()
    #expect(firedAt - before >= 3_000)
  }

  @Test("an idle loop does not wake, and a timer wakes it once")
  func idle() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connectEcho()
    let client = try await fixture.connect()
    _ = try await client.echo([], from: service)
    let (before, after) = await withCheckedContinuation { (done: CheckedContinuation<(Int, Int), Never>) in
      fixture.loop.execute {
        let loop = fixture.loop
        // Calls of long ago have left their time limits behind, none of which may wake the loop.
        _ = loop.schedule(after: .milliseconds(60)) {
          let before = loop.wakeups
          _ = loop.schedule(after: .milliseconds(60)) { done.resume(returning: (before, loop.wakeups)) }
        }
      }
    }
    #expect(after - before == 1)
  }

  @Test("work from other threads wakes the loop and runs in order")
  func execute() async throws {
    let loop = try EventLoop.startThread(named: "test loop")
    defer { loop.stop() }
    let log = Log<Int>()
    for number in 0..<1_000 { loop.execute { log.append(number) } }
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in loop.execute { done.resume() } }
    #expect(log.entries == Array(0..<1_000))
  }

  @Test("tasks run on the loop's thread, before and after they wait")
  func taskExecutor() async throws {
    let loop = try EventLoop.startThread(named: "test loop")
    defer { loop.stop() }
    let task = Task(executorPreference: loop) {
      let first = loop.isCurrent
      try? await loop.sleep(for: .milliseconds(1))
      let second = loop.isCurrent
      await Task.yield()
      return [first, second, loop.isCurrent]
    }
    #expect(await task.value == [true, true, true])
    #expect(!loop.isCurrent)
  }

  @Test("a sleeping task wakes when it is cancelled, also when it was before")
  func cancelledSleep() async throws {
    let loop = try EventLoop.startThread(named: "test loop")
    defer { loop.stop() }
    let task = Task { try await loop.sleep(for: .seconds(1_000)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let cancelledBefore = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try await loop.sleep(for: .seconds(1_000))
    }
    await #expect(throws: CancellationError.self) { try await cancelledBefore.value }
    try await loop.sleep(for: .zero)
    try await loop.sleep(until: .min)
  }

  @Test("a task that yields for ever does not starve timers")
  func yielding() async throws {
    let loop = try EventLoop.startThread(named: "test loop")
    defer { loop.stop() }
    let task = Task(executorPreference: loop) {
      while !Task.isCancelled { await Task.yield() }
    }
    try await loop.sleep(for: .milliseconds(1))
    task.cancel()
    await task.value
  }

  @Test("a watched descriptor is reported until the watch is cancelled, and can be watched for something else")
  func watches() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let reading = FileDescriptor(owning: ends[0])
    let writing = FileDescriptor(owning: ends[1])
    let loop = try EventLoop()
    var count = 0
    var token: WatchToken?
    token = try loop.watch(reading.number, for: .readable) { readiness in
      #expect(readiness == .readable)
      count += 1
      guard let token else { return }
      switch count {
      case 1: break
      case 2:
        #expect(throws: Never.self) { try loop.change(token, to: []) }
        _ = loop.schedule(after: .milliseconds(2)) {
          #expect(count == 2)
          #expect(throws: Never.self) { try loop.change(token, to: .readable) }
        }
      default:
        loop.cancel(token)
        loop.cancel(token)
        _ = loop.schedule(after: .milliseconds(2)) { loop.stop() }
      }
    }
    _ = unsafe write(writing.number, "x", 1)
    loop.run()
    #expect(count == 3)
    #expect(throws: DBusError.self) { try loop.watch(-1, for: .readable) { _ in } }
  }

  @Test("a handler can cancel the watch of another descriptor that is ready in the same round")
  func cancelOther() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let reading = FileDescriptor(owning: ends[0])
    let writing = FileDescriptor(owning: ends[1])
    let copy = try reading.duplicate()
    let loop = try EventLoop()
    var tokens: [WatchToken] = []
    var count = 0
    for number in [reading.number, copy.number] {
      tokens.append(
        try loop.watch(number, for: .readable) { _ in
          count += 1
          for token in tokens { loop.cancel(token) }
          _ = loop.schedule(after: .milliseconds(2)) { loop.stop() }
        })
    }
    _ = unsafe write(writing.number, "x", 1)
    loop.run()
    #expect(count == 1)
  }

  @Test("signals are events")
  func signals() throws {
    let loop = try EventLoop()
    var log: [Int32] = []
    let token = try loop.watch(signals: [SIGUSR1, SIGUSR2]) { signal in
      log.append(signal)
      if log.count == 2 { loop.stop() }
    }
    // To this thread alone: the others of the test process have not blocked them.
    pthread_kill(pthread_self(), SIGUSR1)
    pthread_kill(pthread_self(), SIGUSR2)
    loop.run()
    #expect(log.sorted() == [SIGUSR1, SIGUSR2].sorted())
    loop.cancel(token)
  }

  @Test("a loop can be stopped from within: by a job, a closure, a timer")
  func stopInside() throws {
    let loop = try EventLoop()
    Task(executorPreference: loop) {
      // The second half is a job that the loop's own thread has queued.
      await Task.yield()
      loop.stop()
    }
    loop.run()
    _ = loop.schedule(at: 0) { loop.execute { loop.stop() } }
    loop.run()
    _ = loop.schedule(at: 0) { loop.stop() }
    loop.run()
  }

  @Test("a stopped loop can run again, and what was queued meanwhile runs then")
  func runAgain() throws {
    let loop = try EventLoop()
    let log = Log<Int>()
    loop.stop()
    loop.run()
    loop.execute { log.append(1) }
    loop.execute { loop.stop() }
    loop.run()
    #expect(log.entries == [1])
    #expect(!loop.isCurrent)
  }
}
