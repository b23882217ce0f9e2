internal import Glibc

/// Why the hub cannot do what it was asked, as one line for a person: what failed, why, and what to do.
public struct LiveFailure: Error, Hashable, Sendable {
  /// Codes of `sysexits.h`.
  public enum Status: Int32, Sendable {
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
  }

  public var status: Status
  public var message: String

  public init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }

  /// What the system calls an error.
  public static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
