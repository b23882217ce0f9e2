package import HealthModel

/// Makes sessions of what a reader finds: intervals get times, and gaps where the timer stood or sums and clock disagree.
///
/// Memory is bounded: a recording of too many values goes on in another session, as the recorder's own do.
package struct RecordingAssembly: Sendable {
  /// Intervals may be this far behind the clock of their records before beats must have been lost, and this far ahead of it before they
  /// cannot be what was measured.
  static let mostLagMicroseconds: Int64 = 5_000_000
  /// The same for intervals that have times of their own.
  static let mostPlacedLagMicroseconds: Int64 = 150_000
  /// Most formats have times in seconds, or nobody says more.
  private static let second: Int64 = 1_000_000
  /// Where there are no beats, a rate counts until the next, at most this long.
  static let mostRateGapMicroseconds: Int64 = 10_000_000
  /// A session ends after so many values.
  package static let mostValues = 500_000

  private static let disorder = "beat out of order"

  private let format: ForeignFormat
  private let defaultStart: Timestamp?
  private var parts = RecordingParts()
  private var device = Device()
  private var source: SourceRevision
  private var activity: WorkoutActivityType?
  private var identity: RecordingIdentity?
  /// The last time of a record or event.
  private var clock: Timestamp?
  private var timerStart: Timestamp?
  private var stop: Timestamp?
  private var isLossSaid = false
  /// Intervals behind the last time of a record: they were before the next.
  private var waiting: [UInt32] = []
  /// Where the run that was broken off would go on.
  private var resumption: Timestamp?
  /// Whether intervals are ahead of the clock, and wait for it.
  private var isAhead = false
  /// How far times of beats may be from what they were, in microseconds.
  private var uncertainty = Self.second
  /// The moment of tick 0.
  private var origin: Timestamp?
  /// The last beat that was told in ticks.
  private var lastTicked: Timestamp?
  /// Whether there are beats, and nothing says when they were.
  package private(set) var lacksStart = false
  /// What was passed over, for people.
  package private(set) var account = ReadingAccount()

  /// - Parameters:
  ///   - format: What is read.
  ///   - start: When a recording began that does not say it itself.
  package init(_ format: ForeignFormat, start: Timestamp? = nil) {
    self.format = format
    defaultStart = start
    source = SourceRevision(identifier: format.rawValue, name: format.rawValue)
    clock = start
    timerStart = start
    parts = RecordingParts(uncertainty: uncertainty)
  }

  /// Takes an element; a session where it ends one.
  package mutating func take(_ element: ForeignElement) throws(SeriesError) -> RecordedSession? {
    switch element {
    case .recording:
      let session = try finish()
      uncertainty = Self.second
      (device, activity, identity, origin, lastTicked) = (Device(), nil, nil, nil, nil)
      parts = RecordingParts(uncertainty: uncertainty)
      source = SourceRevision(identifier: format.rawValue, name: format.rawValue)
      (clock, timerStart, stop, isLossSaid) = (defaultStart, defaultStart, nil, false)
      (resumption, isAhead) = (nil, false)
      return session
    case .identity(let identity): self.identity = identity
    case .device(let device): merge(device)
    case .source(let source): self.source = source
    case .activity(let activity): self.activity = self.activity ?? activity
    case .rate(let time, let rate):
      try tick(time)
      let isAdded = parts.add(rate, at: time, after: stop, isLossSaid: isLossSaid)
      if !isAdded { account.leave(out: "heart rate out of order") }
      (stop, isLossSaid) = (nil, false)
    case .lostRates: isLossSaid = true
    case .lostBeats: parts.closeRun(RecordingParts.lost)
    case .timesWithin(let milliseconds, let known):
      uncertainty = min(milliseconds * 1000, Self.second)
      parts.uncertainty = uncertainty
      (parts.timeResolution, parts.known) = (milliseconds < 1000 ? "\(milliseconds) ms" : "1 s", known)
    case .moment(let time): try tick(time)
    case .timer(let isRunning, let time):
      try tick(time)
      parts.closeRun()
      (resumption, isAhead) = (nil, false)
      timerStart = isRunning ? time : nil
      stop = isRunning ? stop : time
    case .interval(let milliseconds): try hold(milliseconds)
    case .placedInterval(let milliseconds, let time): try place(milliseconds, at: time)
    case .beat(let time):
      parts.closeRun()
      guard parts.canBeginRun(at: time) else {
        account.leave(out: Self.disorder)
        break
      }
      try parts.beginRun(at: time)
      parts.closeRun()
    case .ticks(let perSecond, let start):
      let isDated = start != nil || (origin != nil && origin != defaultStart)
      // When somebody says that it began is known to a second at best.
      uncertainty = isDated ? (Self.second + Int64(perSecond) - 1) / Int64(perSecond) : Self.second
      parts = RecordingParts(ticksPerSecond: perSecond, uncertainty: uncertainty)
      origin = start ?? origin ?? defaultStart
    case .firstBeat(let tick, let flags):
      guard let origin, let perSecond = parts.ticksPerSecond else {
        lacksStart = true
        break
      }
      let time = origin.advanced(byTicks: tick, perSecond: Int64(perSecond))
      guard parts.canBeginRun(at: time) else {
        account.leave(out: Self.disorder)
        parts.closeRun()
        lastTicked = nil
        break
      }
      // Text has nothing else that ends a run.
      if format == .rr { parts.closeRun(RecordingParts.lost) }
      try parts.beginRun(at: time, flags: flags)
      lastTicked = parts.lastOfRun
    case .nextBeat(let ticks, let flags):
      guard let lastTicked else {
        // Of a run that was out of order.
        if !lacksStart { account.leave(out: Self.disorder) }
        break
      }
      // Where a session was too long and goes on in another.
      if parts.lastOfRun == nil { try parts.beginRun(at: lastTicked) }
      try parts.add(ticks, flags: flags)
      self.lastTicked = parts.lastOfRun
    case .lap(let time): parts.mark(time)
    }
    return parts.valueCount >= Self.mostValues ? try finish() : nil
  }

  /// The session that is under way; nil where there is no value.
  package mutating func finish() throws(SeriesError) -> RecordedSession? {
    if clock == nil {
      if !waiting.isEmpty { account.leave(out: "interval without a time", waiting.count) }
      waiting = []
    } else {
      try placeWaiting(until: nil)
    }
    // No session of the recorder's is so long that it would go on in another one.
    defer {
      parts = RecordingParts(ticksPerSecond: parts.ticksPerSecond, uncertainty: uncertainty)
      identity = nil
    }
    return try parts.session(format, device, source, activity, identity)
  }

  /// What is said later adds to what was known.
  private mutating func merge(_ more: Device) {
    device.name = more.name ?? device.name
    device.manufacturer = more.manufacturer ?? device.manufacturer
    device.model = more.model ?? device.model
    device.hardwareVersion = more.hardwareVersion ?? device.hardwareVersion
    device.firmwareVersion = more.firmwareVersion ?? device.firmwareVersion
    device.softwareVersion = more.softwareVersion ?? device.softwareVersion
    device.uniqueDeviceIdentifier = more.uniqueDeviceIdentifier ?? device.uniqueDeviceIdentifier
  }

  private mutating func tick(_ time: Timestamp) throws(SeriesError) {
    // The first intervals may come before the first record.
    if clock == nil { clock = time }
    try placeWaiting(until: time)
    clock = time
  }

  /// So many intervals wait for the next record.
  private static let mostWaiting = 512
  /// Where more than so many do at the end, no record came that could contradict them.
  private static let mostBehindRecord = 16
  /// So many wait for the first record.
  private static let mostWithoutClock = 64

  /// An interval follows a record, and says nothing of when it was but that the next record is behind it.
  private mutating func hold(_ milliseconds: UInt32) throws(SeriesError) {
    if clock == nil, waiting.count >= Self.mostWithoutClock { return account.leave(out: "interval without a time") }
    if waiting.count >= Self.mostWaiting { try placeWaiting(until: nil) }
    waiting.append(milliseconds)
  }

  private mutating func placeWaiting(until next: Timestamp?) throws(SeriesError) {
    guard let clock, !waiting.isEmpty else { return }
    let intervals = waiting
    waiting = []
    let isBounded = next != nil || intervals.count <= Self.mostBehindRecord
    let limit = isBounded ? max(next ?? clock, clock).advanced(byMicroseconds: Self.mostLagMicroseconds) : nil
    for milliseconds in intervals { try take(milliseconds, clock: clock, limit: limit) }
  }

  /// Takes an interval that was measured by `clock` or behind it, and ended before `limit`, if one is known.
  private mutating func take(_ milliseconds: UInt32, clock: Timestamp, limit: Timestamp?) throws(SeriesError) {
    let length = Int64(milliseconds) * 1000
    let arrival = clock.advanced(byMicroseconds: -length)
    guard Int64(milliseconds) <= IntervalLimits.mostMilliseconds else {
      account.leave(out: IntervalLimits.tooLong)
      // Time passes by it.
      resumption = (resumption ?? parts.lastOfRun)?.advanced(byMicroseconds: length)
      return parts.closeRun(RecordingParts.lost)
    }
    if let last = parts.lastOfRun, arrival.microseconds(since: last) > Self.mostLagMicroseconds {
      parts.closeRun()
      resumption = nil
    }
    let begin = parts.lastOfRun ?? beginning(arrival)
    let isTooLate = limit.map { begin.advanced(byMicroseconds: length) > $0 } ?? false
    if isTooLate || isAhead && parts.lastBeat.map({ begin <= $0 }) ?? false {
      account.leave(out: "interval ahead of the clock of its records")
      isAhead = true
      resumption = nil
      return parts.closeRun(RecordingParts.lost)
    }
    if parts.lastOfRun == nil {
      try parts.beginRun(at: begin)
      (timerStart, resumption, isAhead) = (nil, nil, false)
    }
    try parts.add(milliseconds)
  }

  /// Where a run begins whose first interval was told by a clock.
  private func beginning(_ arrival: Timestamp) -> Timestamp {
    // Where the timer has just started, the first beat is there: so it was written, or nearly so.
    if let timerStart, arrival.microseconds(since: timerStart) <= 3_000_000 { return timerStart }
    // Behind an interval that is none intervals go on, if the clock does not say another thing.
    if let resumption, abs(arrival.microseconds(since: resumption)) <= Self.mostLagMicroseconds { return resumption }
    return arrival
  }

  private mutating func place(_ milliseconds: UInt32, at time: Timestamp) throws(SeriesError) {
    let begin = time.advanced(byMicroseconds: -Int64(milliseconds) * 1000)
    if let last = parts.lastOfRun {
      // The column may have the beginning of an interval, or its end.
      let lag = begin.microseconds(since: last)
      let other = lag - Int64(milliseconds) * 1000 + Int64(parts.lastInterval) * 1000
      if min(abs(lag), abs(other)) > Self.mostPlacedLagMicroseconds { parts.closeRun() }
    }
    if parts.lastOfRun == nil {
      guard parts.canBeginRun(at: begin) else { return account.leave(out: Self.disorder) }
      try parts.beginRun(at: begin)
    }
    try parts.add(milliseconds)
  }
}
