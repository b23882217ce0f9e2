import CLinux
import DBus
import Glibc

/// The descriptor that AcquireNotify gives: a socket of type SOCK_SEQPACKET with one packet for each notification.
///
/// An empty notification is an empty packet, and reading it gives 0 as the end of file does; epoll reports the hang-up,
/// but not whether empty packets are still before it. So the kernel is asked for the sender's credentials (unix(7),
/// SO_PASSCRED): it adds them to each packet, however short, and never to the end. The kernel also adds the time at
/// which each was sent.
final class NotificationSocket {
  enum Packet {
    /// A value, and its arrival in microseconds of the boot clock; nil if only the time of its reading is known.
    case value([UInt8], arrival: Int64?)
    /// Nothing is there now.
    case none
    /// The other side is gone and everything has been read.
    case end
  }

  /// An ATT value has at most 512 bytes (Core Specification, Vol 3, Part F, 3.2.9).
  private static let capacity = 1024

  private let descriptor: FileDescriptor
  private var clock: PacketClock

  init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
    clock = PacketClock()
    clinux_stamp_packets(self.descriptor.number)
  }

  /// For the event loop, as long as this object lives.
  var number: Int32 { descriptor.number }

  /// The next packet, without waiting. An error of the socket is its end.
  func read() -> Packet {
    unsafe withUnsafeTemporaryAllocation(byteCount: Self.capacity, alignment: 1) { buffer in
      while true {
        var isPacket: Int32 = 0
        var sent = Int64.min
        let count = unsafe clinux_receive_packet(
          descriptor.number, buffer.baseAddress, buffer.count, &isPacket, &sent)
        if count < 0, errno == EINTR { continue }
        if count < 0 { return errno == EAGAIN ? .none : .end }
        guard isPacket != 0 else { return .end }
        return unsafe .value(
          [UInt8](UnsafeRawBufferPointer(buffer).prefix(count)),
          arrival: clock.arrival(sent: sent == .min ? nil : sent, at: .now()))
      }
    }
  }
}

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

  /// The tolerated difference between two readings of two clocks, in microseconds.
  private static let tolerance: Int64 = 1_000

  /// The arrival of the packet before, or the making of the socket.
  private var last: Int64
  private var reading: Reading

  init(_ reading: Reading = .now()) {
    last = reading.boot
    self.reading = reading
  }

  /// Returns the arrival of the next packet.
  ///
  /// - Parameters:
  ///   - sent: The kernel's time, in microseconds of the wall clock; nil where the kernel gave none.
  ///   - now: The clocks when it was read.
  /// - Returns: Microseconds of the boot clock; nil if only the time of its reading is known.
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
