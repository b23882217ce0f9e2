internal import DBus
internal import Glibc

/// The descriptor that AcquireNotify gives: a socket of type SOCK_SEQPACKET with one packet for each notification.
///
/// An empty notification is an empty packet, and reading it gives 0 as the end of file does; epoll tells of the hang-up,
/// but not whether empty packets are still before it. So the kernel is asked for the sender's credentials (unix(7),
/// SO_PASSCRED): it adds them to each packet, however short, and never to the end.
final class NotificationSocket {
  enum Packet {
    case value([UInt8])
    /// Nothing is there now.
    case none
    /// The other side is gone and everything has been read.
    case end
  }

  /// An ATT value has at most 512 bytes (Core Specification, Vol 3, Part F, 3.2.9).
  private static let capacity = 1024

  private let descriptor: FileDescriptor

  init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
    var on: Int32 = 1
    unsafe setsockopt(self.descriptor.number, SOL_SOCKET, SO_PASSCRED, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// For the event loop, as long as this object lives.
  var number: Int32 { descriptor.number }

  /// The next packet, without waiting. An error of the socket is its end.
  func read() -> Packet {
    unsafe withUnsafeTemporaryAllocation(byteCount: Self.capacity, alignment: 1) { buffer in
      unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: MemoryLayout<cmsghdr>.alignment) { control in
        var vector = unsafe iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
        return unsafe withUnsafeMutablePointer(to: &vector) { vector in
          var header = unsafe msghdr()
          unsafe header.msg_iov = vector
          unsafe header.msg_iovlen = 1
          while true {
            unsafe header.msg_control = control.baseAddress
            unsafe header.msg_controllen = control.count
            let count = unsafe recvmsg(descriptor.number, &header, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            if count < 0 { return errno == EAGAIN ? .none : .end }
            guard unsafe count > 0 || header.msg_controllen > 0 else { return .end }
            return unsafe .value([UInt8](UnsafeRawBufferPointer(buffer).prefix(count)))
          }
        }
      }
    }
  }
}
