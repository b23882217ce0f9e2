internal import FoundationEssentials
package import HealthModel

/// Makes sessions and rides of what a reader finds.
package struct ForeignAssembly: Sendable {
  /// A part of a file that can be stored.
  package enum Found: Sendable {
    case session(RecordedSession)
    /// It follows the sessions of the same recording.
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
