internal import DBus
internal import Glibc

/// Turns the kernel's times of a socket's packets into instants of the boot clock, as far as they can be believed.
///
/// The kernel notes the wall clock when a packet is sent. So a packet has its true arrival however long it waited, as where
/// this program was stopped meanwhile. The wall clock may be set while it waits: a time is believed only where the two clocks
/// are still as far apart as at the reading before, and where it lies between the packet before it and now.
struct PacketClock {
  /// A reading of both clocks, in microseconds.
  struct Reading {
    var boot: Int64
    /// The wall clock minus the boot clock.
    var lead: Int64

    /// Now. The clocks are read one after the other, and once more where this thread was put aside between them.
    static func now() -> Reading {
      var reading = Reading(boot: 0, lead: 0)
      for _ in 0..<5 {
        let before = BootClock.now()
        var wall = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &wall)
        reading.boot = BootClock.now()
        reading.lead = Int64(wall.tv_sec) * 1_000_000 + Int64(wall.tv_nsec) / 1_000 - before
        if reading.boot - before <= PacketClock.tolerance / 2 { break }
      }
      return reading
    }
  }

  /// What two readings of two clocks may differ by, in microseconds.
  private static let tolerance: Int64 = 1_000

  /// When the packet before arrived, or the socket was made.
  private var last: Int64
  private var reading: Reading

  init(_ reading: Reading = .now()) {
    last = reading.boot
    self.reading = reading
  }

  /// When the next packet arrived.
  ///
  /// - Parameters:
  ///   - sent: The kernel's time, in microseconds of the wall clock; nil where it says none.
  ///   - now: The clocks when it was read.
  /// - Returns: Microseconds of the boot clock; nil where nothing but its reading tells.
  mutating func arrival(sent: Int64?, at now: Reading) -> Int64? {
    let passed = now.boot - reading.boot
    // NTP slews by no more than half a thousandth.
    let isSteady = abs(now.lead - reading.lead) <= Self.tolerance + passed / 1_000
    reading = now
    guard let sent, isSteady else {
      last = now.boot
      return nil
    }
    let (arrival, overflow) = sent.subtractingReportingOverflow(now.lead)
    guard !overflow, arrival >= last - Self.tolerance, arrival <= now.boot + Self.tolerance else {
      last = now.boot
      return nil
    }
    last = min(max(arrival, last), now.boot)
    return last
  }
}
