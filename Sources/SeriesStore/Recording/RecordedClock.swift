package import FoundationEssentials

/// Whether a wall clock can be believed. The raw values are those of the store's file.
package enum ClockBelief: Int64, Hashable, Sendable, CaseIterable {
  /// No service says, as in a container. Counts as not synchronised.
  case notKnown = 0
  /// The kernel's clock is as it was started, or as somebody set it.
  case notSynchronised = 1
  /// The kernel's greatest error is below 16 s: what `timedatectl` calls synchronised.
  case synchronised = 2
  /// A person said when the recording was.
  case byHand = 3

  /// The name in JSON.
  package var name: String {
    switch self {
    case .notKnown: "notKnown"
    case .notSynchronised: "notSynchronised"
    case .synchronised: "synchronised"
    case .byHand: "byHand"
    }
  }

  /// Whether it dates a recording for good.
  package var isTrusted: Bool { self == .synchronised || self == .byHand }
}

/// The clock by which a session or a workout is dated.
package struct RecordedClock: Hashable, Sendable {
  /// The start of the machine in which it was recorded; nil where nobody knows.
  package var boot: UUID?
  /// How far the wall clock is ahead of that boot's clock, in microseconds; nil where nobody knows.
  package var lead: Int64?
  package var belief: ClockBelief
  /// Whether its dates are in doubt: "clock not set".
  package var isDoubtful: Bool
  /// How often it was dated anew. Each dating has sample identifiers of its own.
  package var dating: Int64 = 0
  /// How far all datings together moved it from the dates of its recording, in microseconds.
  package var shift: Int64 = 0

  package init(boot: UUID?, lead: Int64?, belief: ClockBelief, isDoubtful: Bool) {
    self.boot = boot
    self.lead = lead
    self.belief = belief
    self.isDoubtful = isDoubtful
  }

  /// A clock further off than this is a wrong one, in microseconds.
  package static let tolerance: Int64 = 1_000_000

  /// Whether a lead is this clock's, but for what clocks are slewed by.
  package func isNear(_ other: Int64) -> Bool {
    guard let lead else { return false }
    return Self.isNear(lead, other)
  }

  /// Whether two leads are of the same clock, but for what it is slewed by.
  package static func isNear(_ lead: Int64, _ other: Int64) -> Bool {
    let (distance, overflow) = lead.subtractingReportingOverflow(other)
    return !overflow && distance.magnitude <= UInt64(tolerance)
  }
}

/// The outcome of dating anew.
package struct DatingOutcome: Hashable, Sendable {
  package var sessions: [UUID] = []
  package var workouts: [UUID] = []
  /// Workouts whose sessions were moved, and which stay: they have samples or a route that programs gave with dates of their own.
  package var staying: [UUID] = []
  /// By how much everything was moved, in microseconds.
  package var shift: Int64 = 0

  package init() {}
}
