internal import CLinux

/// What a descriptor is watched for, or is ready for.
public struct Readiness: OptionSet, Hashable, Sendable {
  public var rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
  public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  /// The other side has closed; what it wrote can still be read. Always reported.
  public static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue)
  /// Always reported.
  public static let error = Readiness(rawValue: EPOLLERR.rawValue)
}
