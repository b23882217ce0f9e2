internal import Glibc

/// What went wrong last while forwarding, kept in a file for whoever asks: it has no value of a person.
struct LastFailure {
  let message: String
  /// Seconds since 1970.
  private let began: Int64
  private var ended: Int64?

  init(_ message: String) {
    (self.message, began) = (message, Self.now)
  }

  /// Whether it worked since.
  var isOver: Bool { ended != nil }

  /// Seconds since it began.
  var age: Int64 { max(0, Self.now - began) }

  /// It works; whether that is new.
  mutating func end() -> Bool {
    guard ended == nil else { return false }
    ended = Self.now
    return true
  }

  /// What a file has; nil where there is none, or it is another's.
  static func read(_ path: String) -> LastFailure? {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    let parts = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let began = Int64(parts[0]), let ended = Int64(parts[1]) else { return nil }
    let message = parts[2].unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }
    return LastFailure(
      message: String(String.UnicodeScalarView(message)), began: began, ended: ended == 0 ? nil : ended)
  }

  private init(message: String, began: Int64, ended: Int64?) {
    (self.message, self.began, self.ended) = (message, began, ended)
  }

  /// Puts it in the place of what the file had. Where that cannot be, for lack of a folder or of rights, nobody is told later.
  func write(to path: String) {
    let draft = path + ".new"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { return }
    // The unit's umask is for what is secret.
    fchmod(descriptor, 0o644)
    let bytes = Array("\(began) \(ended ?? 0) \(message)\n".utf8)
    let isWhole = unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    close(descriptor)
    if isWhole { unsafe rename(draft, path) } else { unsafe unlink(draft) }
  }

  private static var now: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec)
  }
}
