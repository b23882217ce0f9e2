import CLinux
import DBus
import Glibc

/// Notifies when somebody sets the wall clock, without polling: a timer that the kernel cancels then (timerfd_create(2),
/// `TFD_TIMER_CANCEL_ON_SET`). It is due in the year 2261, after the last time to which the kernel lets a clock be set.
final class ClockSetWatch {
  private let loop: EventLoop
  private let token: WatchToken
  private let descriptor: FileDescriptor

  /// - Parameters:
  ///   - loop: Where the change is announced.
  ///   - wasSet: Called on the loop's thread after the clock was set, or the machine was suspended.
  /// - Throws: ``DBusError/Code/system(errno:)`` where the kernel has no descriptors left.
  init(on loop: EventLoop, wasSet: @escaping () -> Void) throws(DBusError) {
    let number = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    guard number >= 0 else { throw DBusError(.system(errno: errno), "watching the clock") }
    descriptor = FileDescriptor(owning: number)
    var setting = itimerspec()
    setting.it_value.tv_sec = 9_200_000_000
    let flags = Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
    guard unsafe timerfd_settime(number, flags, &setting, nil) == 0 else {
      throw DBusError(.system(errno: errno), "watching the clock")
    }
    self.loop = loop
    token = try loop.watch(number, for: .readable) { _ in
      // Fails with ECANCELED, after which the timer is as it was.
      var count: UInt64 = 0
      _ = unsafe read(number, &count, MemoryLayout.size(ofValue: count))
      wasSet()
    }
  }

  deinit { loop.cancel(token) }
}
