package import HealthModel

/// Makes sessions of what a reader finds: intervals get times, and gaps where the timer stood or sums and clock disagree.
///
/// Memory is bounded: a recording of too many values goes on in another session, as the recorder's own do.
package struct RecordingAssembly: Sendable {
  /// Intervals may be this far behind the clock of their records before beats must have been lost, and this far ahead of it before they
  /// cannot be what was measured.
  static let mostLagMicroseconds: Int64 = 5_000_000
  /// The same limits for intervals that have times of their own.
  static let mostPlacedLagMicroseconds: Int64 = 150_000
  /// The resolution of times in most formats.
  private static let second: Int64 = 1_000_000
  /// Without beats, a rate counts until the next rate, at most this long.
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
  /// The time at which the run that was broken off would go on.
  private var resumption: Timestamp?
  /// Whether intervals are ahead of the clock, and wait for it.
  private var isAhead = false
  /// The greatest error of times of beats, in microseconds.
  private var uncertainty = Self.second
  /// The moment of tick 0.
  private var origin: Timestamp?
  /// The last beat with a time in ticks.
  private var lastTicked: Timestamp?
  /// Whether there are beats without a known time.
  package private(set) var lacksStart = false
  /// The skipped elements, for people.
  package private(set) var account = ReadingAccount()

  /// - Parameters:
  ///   - format: The format that is read.
  ///   - start: The beginning of a recording whose file does not have it.
  package init(_ format: ForeignFormat, start: Timestamp? = nil) {
    self.format = format
    defaultStart = start
    source = SourceRevision(identifier: format.rawValue, name: format.rawValue)
    clock = start
    timerStart = start
    parts = RecordingParts(uncertainty: uncertainty)
  }

  /// Adds an element; returns the session that the element ends.
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
    case .device(let device): self.device.merge(device)
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
      // A beginning that a person gives is known to a second at best.
      uncertainty = isDated ? (Self.second + Int64(perSecond) - 1) / Int64(perSecond) : Self.second
      parts.count(ticksPerSecond: perSecond, uncertainty: uncertainty)
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
        // The beat of a run that was out of order.
        if !lacksStart { account.leave(out: Self.disorder) }
        break
      }
      // A session that was too long goes on in another.
      if parts.lastOfRun == nil { try parts.beginRun(at: lastTicked) }
      try parts.add(ticks, flags: flags)
      self.lastTicked = parts.lastOfRun
    case .origin(let time): origin = time
    case .storedRate(let time, let rate):
      if !parts.add(rate, at: time, after: nil) { account.leave(out: "heart rate out of order") }
    case .lap(let time): parts.mark(time)
    case .location, .quantity, .part, .stretch: break
    }
    return parts.valueCount >= Self.mostValues ? try finish() : nil
  }

  /// The session under way; nil without values.
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

  private mutating func tick(_ time: Timestamp) throws(SeriesError) {
    // The first intervals may come before the first record.
    if clock == nil { clock = time }
    try placeWaiting(until: time)
    clock = time
  }

  /// So many intervals wait for the next record.
  private static let mostWaiting = 512
  /// More than so many at the end have no record behind them that could contradict them.
  private static let mostBehindRecord = 16
  /// So many wait for the first record.
  private static let mostWithoutClock = 64

  /// Holds an interval that follows a record: its time is unknown but for the next record, which is behind the interval.
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

  /// Adds an interval that was measured by `clock` or behind it, and ended before `limit`, if one is known.
  private mutating func take(_ milliseconds: UInt32, clock: Timestamp, limit: Timestamp?) throws(SeriesError) {
    let length = Int64(milliseconds) * 1000
    let arrival = clock.advanced(byMicroseconds: -length)
    guard Int64(milliseconds) <= IntervalLimits.mostMilliseconds else {
      account.leave(out: IntervalLimits.tooLong)
      // The time of the interval passes.
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

  /// The beginning of a run whose first interval has its time from a clock.
  private func beginning(_ arrival: Timestamp) -> Timestamp {
    // The timer has just started, so the first beat is there: the file was written like that, or nearly so.
    if let timerStart, arrival.microseconds(since: timerStart) <= 3_000_000 { return timerStart }
    // Behind an interval that is too long others go on, unless the clock contradicts.
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

extension Device {
  /// Adds later details of the device to those that are known.
  mutating func merge(_ more: Device) {
    name = more.name ?? name
    manufacturer = more.manufacturer ?? manufacturer
    model = more.model ?? model
    hardwareVersion = more.hardwareVersion ?? hardwareVersion
    firmwareVersion = more.firmwareVersion ?? firmwareVersion
    softwareVersion = more.softwareVersion ?? softwareVersion
    uniqueDeviceIdentifier = more.uniqueDeviceIdentifier ?? uniqueDeviceIdentifier
  }
}
