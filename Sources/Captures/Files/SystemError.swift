import Glibc

/// A system call that failed, by its error number.
struct SystemError: Error, Hashable {
  let number: Int32

  init(_ number: Int32) {
    self.number = number
  }

  /// The error of this thread's last system call.
  static var last: SystemError { SystemError(errno) }

  /// The text of `strerror`, in its thread-safe form.
  static func text(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    let status = unsafe strerror_r(number, &buffer, buffer.count)
    guard status == 0 else { return "error \(number)" }
    let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: text, as: UTF8.self)
  }
}
