/// A change of the wall clock during a session. Beat times do not follow it: they use the offset at the session's end.
public struct ClockStep: Hashable, Sendable {
  /// When, by the offset at the session's end, in microseconds since 1970 (UTC).
  public var wallMicroseconds: Int64
  /// By how much the wall clock moved, in microseconds; positive is forward.
  public var stepMicroseconds: Int64

  public init(wallMicroseconds: Int64, stepMicroseconds: Int64) {
    self.wallMicroseconds = wallMicroseconds
    self.stepMicroseconds = stepMicroseconds
  }
}
