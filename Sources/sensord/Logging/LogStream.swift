internal import Recordings
internal import Glibc
internal import Synchronization

/// Where log lines go, without waiting for whoever reads them.
///
/// They are written on the thread that receives values: a terminal that was stopped with Ctrl-S, or a pipe whose reader
/// sleeps, must not stop it. A line for which there is no room is left out, and the next one that is written says so.
final class LogStream: Sendable {
  static let standardError = LogStream(descriptor: STDERR_FILENO)

  private let descriptor: CInt
  /// Lines left out since the last that was written.
  private let missed = Mutex(0)

  init(descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Writes a line, or leaves it out. `note` makes the line that says how many were left out.
  func write(_ line: String, note: (_ missed: String) -> String) {
    missed.withLock { missed in
      guard hasRoom else { return missed += 1 }
      var text = line
      if missed > 0 {
        text = note("\(missed) log lines were left out, since nobody read them") + line
        missed = 0
      }
      _ = FileAccess.write(Array(text.utf8), to: descriptor)
    }
  }

  /// Whether a line can be written at once. A pipe that is writable has room for 4096 bytes, a terminal for some. Asked each
  /// time, rather than making the descriptor non-blocking: the shell and other programs share it.
  private var hasRoom: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&request, 1, 0) != 0
  }
}
