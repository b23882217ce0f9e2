internal import Glibc
internal import LiveForms
internal import LivePulse

/// A file with the rate alone, for programs that read one: replaced by rename, so that nobody ever reads half of it or nothing.
final class TextFileOutput: Output {
  private let path: String
  private let complain: (String) -> Void
  private var written: String?
  private var isComplaining = false

  /// Tells `complain` in one line why it cannot be written, once until it can be again.
  init(_ path: String, complain: @escaping (String) -> Void) {
    self.path = path
    self.complain = complain
  }

  func show(_ shown: Shown) {
    let text = PlainRate.text(shown.pulse)
    guard text != written else { return }
    if let code = replace(with: text) {
      // The next one may succeed, and must not be taken for the one that is there.
      written = nil
      if !isComplaining {
        complain(
          "\(path) cannot be written: \(unsafe String(cString: strerror(code))); mend that, or choose another --text-file"
        )
      }
      isComplaining = true
    } else {
      written = text
      isComplaining = false
    }
  }

  /// The error's number; nil where it was done.
  private func replace(with text: String) -> Int32? {
    let draft = path + ".new"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return errno }
    let bytes = Array(text.utf8)
    let count = unsafe write(descriptor, bytes, bytes.count)
    let code = errno
    close(descriptor)
    guard count == bytes.count, unsafe rename(draft, path) == 0 else {
      let code = count == bytes.count ? errno : code
      unsafe unlink(draft)
      return code
    }
    return nil
  }
}
