import DBus
import Glibc
import Testing

@Suite("An event loop that did not run")
struct EventLoopStallTests {
  /// Two ends of a stream.
  private func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(unsafe socketpair(AF_UNIX, type, 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  private func readByte(_ descriptor: Int32) -> UInt8? {
    var byte: UInt8 = 0
    return unsafe read(descriptor, &byte, 1) == 1 ? byte : nil
  }

  @Test("reads all that waits, at one instant, before a timer that is due fires")
  func readsFirst() throws {
    let loop = try EventLoop()
    let (reading, writing) = try pipe()
    defer {
      close(reading)
      close(writing)
    }
    let log = Log<String>()
    var arrivals: Set<Int64> = []
    var told: [(since: Int64, until: Int64)] = []
    loop.observeStalls { told.append(($0, $1)) }
    let first = BootClock.now() - 2_000_000
    let watch = try loop.watch(reading, for: .readable) { _ in
      // One byte for each time that it is readable, as a notification's socket is read.
      guard let byte = readByte(reading) else { return }
      if byte == 1 {
        loop.noteWaiting(since: first)
        // Due at once.
        _ = loop.schedule(at: BootClock.now()) {
          log.append("timer")
          loop.stop()
        }
      }
      loop.noteWaiting(since: first)
      arrivals.insert(loop.arrivalTime)
      log.append("\(byte)")
      // Work of its own, such as a message's, comes before the timer too.
      loop.execute { log.append("work \(byte)") }
    }
    #expect(unsafe write(writing, [1, 2, 3, 4] as [UInt8], 4) == 4)
    loop.run()
    loop.cancel(watch)
    #expect(log.entries == (1...4).flatMap { ["\($0)", "work \($0)"] } + ["timer"])
    #expect(told.count == 1 && told.first?.since == first)
    #expect(arrivals == Set(told.map(\.until)))
    #expect(loop.stallEnd == nil)
  }

  @Test("does not wait for the end of a flood")
  func flood() throws {
    let loop = try EventLoop()
    let (reading, writing) = try pipe()
    defer {
      close(reading)
      close(writing)
    }
    var stalls = 0
    loop.observeStalls { _, _ in stalls += 1 }
    // Never read: it is ready in every round.
    let watch = try loop.watch(reading, for: .readable) { _ in loop.noteWaiting(since: 0) }
    #expect(unsafe write(writing, [1] as [UInt8], 1) == 1)
    _ = loop.schedule(at: BootClock.now()) { loop.stop() }
    loop.run()
    loop.cancel(watch)
    // What it held up is no stall of its own.
    #expect(stalls == 1)
  }

  @Test("a timer set for the past, and something read in time, are no stall")
  func noStall() throws {
    let loop = try EventLoop()
    loop.observeStalls { _, _ in Issue.record("no stall") }
    loop.noteWaiting(since: BootClock.now())
    _ = loop.schedule(at: 1) { loop.stop() }
    loop.run()
    #expect(loop.stallEnd == nil)
  }
}
