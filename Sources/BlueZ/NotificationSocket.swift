internal import CLinux
internal import DBus
internal import Glibc

/// The descriptor that AcquireNotify gives: a socket of type SOCK_SEQPACKET with one packet for each notification.
///
/// An empty notification is an empty packet, and reading it gives 0 as the end of file does; epoll tells of the hang-up,
/// but not whether empty packets are still before it. So the kernel is asked for the sender's credentials (unix(7),
/// SO_PASSCRED): it adds them to each packet, however short, and never to the end. It is also asked when each was sent.
final class NotificationSocket {
  enum Packet {
    /// A value, and when it arrived, in microseconds of the boot clock; nil where nothing but its reading tells.
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
