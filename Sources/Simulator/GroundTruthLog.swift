internal import DBus
internal import Glibc

/// The file of the ground truth: one line of JSON for each entry, written at once, so that nothing is lost with the process.
final class GroundTruthLog {
  private let descriptor: FileDescriptor

  /// Begins the file anew; nil where it cannot be written.
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
    // A full disk costs the lines, not the run.
    _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
  }
}
