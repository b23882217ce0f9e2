internal import DBus
internal import Glibc

/// The ground truth file: one JSON line for each entry, written at once, so that nothing is lost if the process ends.
final class GroundTruthLog {
  private let descriptor: FileDescriptor

  /// Creates or truncates the file; nil if it cannot be written.
  init?(path: String) {
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard number >= 0 else { return nil }
    descriptor = FileDescriptor(owning: number)
  }

  /// Writes one line.
  func write(_ entry: LogEntry) {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    let unix = Double(time.tv_sec) + Double(time.tv_nsec / 1000) / 1e6
    var line = Array(entry.json(unix: unix, boot: Double(BootClock.now()) / 1e6).utf8)
    line.append(UInt8(ascii: "\n"))
    // On a full disk lines are lost, but the run goes on.
    _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
  }
}
