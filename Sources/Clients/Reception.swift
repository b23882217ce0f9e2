import Sensors

/// Whether a connection reads what it is sent. What it leaves unread stays in the memory of the bus.
///
/// It shows that it reads by its answer to a ping: everything that was sent before is read then. One ping is under way at most.
struct Reception {
  private let limits: ClientLimits
  /// Bytes that were sent and that it has not shown to have read.
  private(set) var unread = 0
  /// It has owed an answer too long.
  private(set) var isPaused = false
  /// A sensor's state was not sent while it did not read.
  var lacksStates = false
  /// When it last said something; nil before its first call.
  private var heard: BootInstant?
  /// Since when it owes an answer.
  private var owes: BootInstant?
  /// The ping that is under way: what was unread when it was sent.
  private var questioned: Int?
  private var lastPing: BootInstant?

  init(_ limits: ClientLimits) {
    self.limits = limits
  }

  /// Finds out whether it has owed an answer too long by `now`.
  mutating func update(at now: BootInstant) {
    if let owes, now.microseconds(since: owes) >= limits.patience { isPaused = true }
  }

  /// So many bytes are sent to it.
  mutating func sent(_ bytes: Int) {
    unread += bytes
  }

  /// Whether it has to be asked at `now`; then the ping is under way.
  mutating func asks(at now: BootInstant) -> Bool {
    guard questioned == nil else { return false }
    // Where the bus did not deliver a ping, the next one waits as long.
    let isSilent = [heard, lastPing].allSatisfy { $0.map { now.microseconds(since: $0) >= limits.silence } ?? true }
    guard isSilent || (owes == nil && unread >= limits.unquestionedBytes) else { return false }
    questioned = unread
    lastPing = now
    if owes == nil { owes = now }
    return true
  }

  /// It has called at `now`: it lives. Whether it reads is not known, so an answer that it owes is still owed.
  ///
  /// - Returns: Whether it was paused.
  mutating func called(at now: BootInstant) -> Bool {
    heard = now
    owes = questioned == nil ? nil : now
    defer { isPaused = false }
    return isPaused
  }

  /// It has answered the ping.
  ///
  /// - Returns: Whether it was paused, or was not told of states.
  mutating func answered(at now: BootInstant) -> Bool {
    unread -= questioned ?? 0
    questioned = nil
    owes = nil
    heard = now
    defer { (isPaused, lacksStates) = (false, false) }
    return isPaused || lacksStates
  }

  /// The bus did not deliver the ping, or lost the answer: nothing is known, and it is asked again.
  mutating func pingFailed() {
    questioned = nil
  }
}
