internal import FoundationEssentials
package import HealthModel

/// Makes sessions and rides of what a reader finds.
package struct ForeignAssembly: Sendable {
  /// A part of a file that can be stored.
  package enum Found: Sendable {
    case session(RecordedSession)
    /// A workout, which follows the sessions of the same recording.
    case ride(ForeignRide)
  }

  private var clock: SteadyClock?
  private var sessions: RecordingAssembly
  private var ride: RideAssembly
  private var isCopyOfSession = false
  /// The sessions of the recording under way.
  private var recorded: [UUID] = []
  private var rideAccount = ReadingAccount()

  /// - Parameters:
  ///   - format: The format that is read.
  ///   - start: The beginning of a recording whose file does not have it.
  package init(_ format: ForeignFormat, start: Timestamp? = nil) {
    clock = SteadyClock(format)
    sessions = RecordingAssembly(format, start: start)
    ride = RideAssembly(format)
  }

  /// Whether there are beats without a known time.
  package var lacksStart: Bool { sessions.lacksStart }

  /// The skipped elements, for people.
  package var account: ReadingAccount {
    var account = sessions.account
    account.add(rideAccount)
    if let clock { account.add(clock.account) }
    return account
  }

  /// Takes the next element.
  package mutating func take(_ element: ForeignElement, into found: inout [Found]) throws(SeriesError) {
    guard clock != nil else { return try takeSteady(element, into: &found) }
    var elements: [ForeignElement] = []
    clock?.pass(element, into: &elements)
    for element in elements { try takeSteady(element, into: &found) }
  }

  private mutating func takeSteady(_ element: ForeignElement, into found: inout [Found]) throws(SeriesError) {
    if case .recording = element {
      try end(into: &found)
      _ = try sessions.take(element)
      return
    }
    if case .identity(.session) = element { isCopyOfSession = true }
    ride.take(element)
    if let session = try sessions.take(element) { add(session, to: &found) }
  }

  private mutating func add(_ session: RecordedSession, to found: inout [Found]) {
    recorded.append(session.id)
    found.append(.session(session))
  }

  private mutating func end(into found: inout [Found]) throws(SeriesError) {
    if let session = try sessions.finish() { add(session, to: &found) }
    // A session that was written here is no workout, whatever its format needs.
    let rides = isCopyOfSession ? [] : ride.finish(&rideAccount)
    for var ride in rides {
      ride.sessions = recorded
      found.append(.ride(ride))
    }
    ride.begin()
    (recorded, isCopyOfSession) = ([], false)
  }

  /// The file has ended.
  package mutating func finish(into found: inout [Found]) throws(SeriesError) {
    var elements: [ForeignElement] = []
    clock?.settle(into: &elements)
    for element in elements { try takeSteady(element, into: &found) }
    try end(into: &found)
  }
}

/// Watches the times of a file whose device's clock may jump.
///
/// Values whose clock was elsewhere for a while are left out. Where the clock stays after a jump that no pause explains, what is behind
/// it is a recording of its own.
struct SteadyClock {
  /// Elements behind a jump wait until it is clear whether the clock returns.
  private var held: [ForeignElement] = []
  private var before: Timestamp?
  private var last: Timestamp?
  private var isStopped = false
  /// The elements that also hold for a second recording of the same file.
  private var context: [ForeignElement] = []
  private let longestSilence: Int64

  private static let suspicious: Int64 = 60_000_000
  /// So many elements wait.
  private static let mostHeld = 20_000

  /// The sum of what was left out, and of jumps.
  private(set) var account = ReadingAccount()

  /// Nil for formats whose times no clock of records orders.
  init?(_ format: ForeignFormat) {
    switch format {
    case .fit, .tcx: longestSilence = 600_000_000
    // Programs leave a pause out of GPX without a trace.
    case .gpx: longestSilence = 12 * 3_600_000_000
    case .hrvlogger, .rr, .wfdb, .apple: return nil
    }
  }

  private static func time(of element: ForeignElement) -> Timestamp? {
    switch element {
    case .rate(let time, _), .moment(let time), .quantity(_, _, let time): time
    case .location(let location): location.time
    default: nil
    }
  }

  /// Passes on what is certain.
  mutating func pass(_ element: ForeignElement, into elements: inout [ForeignElement]) {
    guard let time = Self.time(of: element) else { return passOther(element, into: &elements) }
    guard let last else {
      self.last = time
      return elements.append(element)
    }
    if !held.isEmpty {
      guard let before, time != last else { return held.append(element) }
      if abs(time.microseconds(since: before)) < abs(time.microseconds(since: last)) {
        dropHeld(into: &elements)
      } else {
        held.append(element)
        self.last = time
        if held.count >= Self.mostHeld { settle(into: &elements) }
        return
      }
    } else if abs(time.microseconds(since: last)) > Self.suspicious, !isStopped {
      (before, self.last) = (last, time)
      return held.append(element)
    }
    isStopped = false
    self.last = time
    elements.append(element)
  }

  private mutating func passOther(_ element: ForeignElement, into elements: inout [ForeignElement]) {
    switch element {
    case .recording:
      settle(into: &elements)
      (last, isStopped, context) = (nil, false, [])
    case .source, .device, .activity: context.append(element)
    case .timer(let isRunning, _): if held.isEmpty { isStopped = !isRunning || isStopped }
    default: break
    }
    if held.isEmpty { elements.append(element) } else { held.append(element) }
  }

  /// The clock has returned: what was measured meanwhile has no time.
  private mutating func dropHeld(into elements: inout [ForeignElement]) {
    var (rates, others) = (0, 0)
    for element in held {
      switch element {
      case .rate: rates += 1
      case .moment, .timer: break
      case .location, .quantity: others += 1
      default: elements.append(element)
      }
    }
    held = []
    last = before
    if rates > 0 { account.leave(out: "heart rate at a time when the clock was elsewhere", rates) }
    if others > 0 { account.leave(out: "other value at a time when the clock was elsewhere", others) }
  }

  /// The clock does not return, or the file ends.
  mutating func settle(into elements: inout [ForeignElement]) {
    guard let before, !held.isEmpty, let first = held.lazy.compactMap(Self.time).first else { return }
    let jump = first.microseconds(since: before)
    if abs(jump) > longestSilence {
      let isOfFirst = { (element: ForeignElement) -> Bool in
        let start: Timestamp?
        switch element {
        case .part(let part): start = part.span?.start
        case .stretch(let stretch): start = stretch.span.start
        default: start = nil
        }
        return start.map { abs($0.microseconds(since: before)) < abs($0.microseconds(since: first)) } ?? false
      }
      elements += held.filter(isOfFirst)
      elements.append(.recording)
      elements += context
      elements += held.filter { !isOfFirst($0) }
      account.note(
        "its clock jumps from \(before.iso8601()) to \(first.iso8601()) without a pause: what is behind that is a session of its own"
      )
    } else {
      elements += held
    }
    held = []
    self.before = nil
    isStopped = false
  }
}
