internal import Glibc

/// The clock that orders all events: `CLOCK_BOOTTIME`, which counts suspended time and cannot be set.
public enum BootClock {
  /// Microseconds since the machine started, suspend included.
  public static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
