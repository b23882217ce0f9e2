internal import Glibc

/// A value behind a pthread mutex.
///
/// Not `Synchronization.Mutex`: it waits for a held lock inside the standard library, where the thread sanitizer does not
/// see it. The sanitizer would then report everything that goes through the event loop's inbox as a race.
@safe final class Locked<Value>: @unchecked Sendable {
  // SAFETY: the value is only accessed between lock and unlock; the mutex has an address of its own and never moves.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  init(_ value: Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
