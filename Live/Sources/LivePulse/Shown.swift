/// What the outputs show, with the number of the change that led to it.
public struct Shown: Hashable, Sendable {
  public var pulse: Pulse
  /// Counts what was shown since the hub's start, from 1: who reads slowly sees a hole. 0 before there was anything.
  public var sequence: UInt64

  public init(_ pulse: Pulse, sequence: UInt64) {
    self.pulse = pulse
    self.sequence = sequence
  }
}
