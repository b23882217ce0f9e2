internal import StoreCommands

internal import StoreCommands

/// Whether a process of the demo that ended is started again, and when. Pure: the caller has the clock.
struct RestartPolicy: Hashable {
  /// What follows from an end.
  enum Decision: Hashable {
    case restart(after: Duration)
    case giveUp
  }

  /// A process that lived shorter than this has failed to start.
  static let shortLife: Duration = .seconds(2)
  private static let mostFailures = 5
  private var failures = 0

  /// Records that the process ended after `life`, by `exitStatus` or by a signal (nil).
  mutating func ended(after life: Duration, exitStatus: Int32?) -> Decision {
    if let exitStatus, Self.isFinal(exitStatus) { return .giveUp }
    guard life < Self.shortLife else {
      failures = 0
      return .restart(after: .milliseconds(200))
    }
    failures += 1
    guard failures < Self.mostFailures else { return .giveUp }
    return .restart(after: .milliseconds(200 << failures))
  }

  /// Codes that say that the same start would fail again: a store that is locked or newer, no permission.
  private static func isFinal(_ status: Int32) -> Bool {
    switch ExitStatus(rawValue: status) {
    case .usage, .badData, .noInput, .cannotCreate, .locked, .permission, .configuration: true
    default: false
    }
  }
}
