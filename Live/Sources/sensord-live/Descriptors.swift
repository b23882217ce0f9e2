internal import Glibc

/// How many descriptors the program may have: one for each connection, and more than a shell usually lets a program have.
enum Descriptors {
  /// As many, or what may be had at the most.
  static func allow(_ count: rlim_t) {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < count else { return }
    limit.rlim_cur = min(count, limit.rlim_max)
    unsafe setrlimit(resource, &limit)
  }
}
