/// Names one start of the machine: the 16 bytes of `/proc/sys/kernel/random/boot_id`.
public struct BootIdentifier: Hashable, Sendable {
  public var high: UInt64
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
