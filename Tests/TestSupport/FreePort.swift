import Glibc

/// A port of this machine that nobody listens at.
public enum FreePort {
  /// Why there is none.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// One that was free just now. Nobody else gets a port soon after it was free.
  ///
  /// - Throws: ``Failure``.
  public static func find() throws(Failure) -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw Failure(description: "no free port: error \(errno)") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
