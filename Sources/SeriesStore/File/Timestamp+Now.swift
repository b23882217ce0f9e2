import Glibc
import HealthModel

extension Timestamp {
  /// The wall clock now. Only for when a row was written: measurements have their own times.
  static func now() -> Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
