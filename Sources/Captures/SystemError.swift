import Glibc

/// The system's error numbers in words.
enum SystemError {
  /// What `strerror` says, in a form that is safe to call from several threads.
  static func text(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    let status = unsafe strerror_r(number, &buffer, buffer.count)
    guard status == 0 else { return "error \(number)" }
    let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: text, as: UTF8.self)
  }
}
