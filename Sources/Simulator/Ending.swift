internal import DBus
internal import Synchronization

/// How the program is to end: the first reason that is given counts.
final class Ending: Sendable {
  private let loop: EventLoop
  private let reason = Mutex<SimulatorFailure?>(nil)

  init(loop: EventLoop) {
    self.loop = loop
  }

  /// Why the program failed; nil where it was asked to end.
  var failure: SimulatorFailure? { reason.withLock { $0.flatMap { $0.code == 0 ? nil : $0 } } }

  /// Ends the loop; the program then exits with `code` and, unless it is empty, says why.
  func end(_ code: Int32, _ message: String) {
    reason.withLock { if $0 == nil { $0 = SimulatorFailure(code: code, message: message) } }
    loop.stop()
  }
}
