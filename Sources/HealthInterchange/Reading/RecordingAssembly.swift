package import HealthModel

/// Makes sessions of what a reader finds: intervals get times, and gaps where the timer stood or sums and clock disagree.
///
/// Memory is bounded: a recording of too many values goes on in another session, as the recorder's own do.
package struct RecordingAssembly: Sendable {
  /// Intervals may be this far behind the clock of their records before beats must have been lost.
  static let mostLagMicroseconds: Int64 = 5_000_000
  /// The same for intervals that have times of their own.
  static let mostPlacedLagMicroseconds: Int64 = 150_000
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
  private var waiting: [UInt32] = []
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
  }

  /// Takes an element; a session where it ends one.
  package mutating func take(_ element: ForeignElement) throws(SeriesError) -> RecordedSession? {
    switch element {
    case .recording:
      let session = try finish()
      (device, activity, identity, parts, origin, lastTicked) = (Device(), nil, nil, RecordingParts(), nil, nil)
      source = SourceRevision(identifier: format.rawValue, name: format.rawValue)
      (clock, timerStart, stop, isLossSaid) = (defaultStart, defaultStart, nil, false)
      return session
    case .identity(let identity): self.identity = identity
    case .device(let device): merge(device)
    case .source(let source): self.source = source
    case .activity(let activity): self.activity = self.activity ?? activity
    case .rate(let time, let rate):
      tick(time)
      let isAdded = parts.add(rate, at: time, after: stop, isLossSaid: isLossSaid)
      if !isAdded { account.leave(out: "heart rate out of order") }
      (stop, isLossSaid) = (nil, false)
    case .lostRates: isLossSaid = true
    case .timesWithin(let milliseconds, let known):
      (parts.timeResolution, parts.known) = (milliseconds < 1000 ? "\(milliseconds) ms" : "1 s", known)
    case .moment(let time): tick(time)
    case .timer(let isRunning, let time):
      tick(time)
      parts.closeRun()
      timerStart = isRunning ? time : nil
      stop = isRunning ? stop : time
    case .interval(let milliseconds): try take(milliseconds)
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
      parts = RecordingParts(ticksPerSecond: perSecond)
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
    if !waiting.isEmpty { account.leave(out: "interval without a time", waiting.count) }
    waiting = []
    // No session of the recorder's is so long that it would go on in another one.
    defer { (parts, identity) = (RecordingParts(ticksPerSecond: parts.ticksPerSecond), nil) }
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

  private mutating func tick(_ time: Timestamp) {
    clock = time
    guard !waiting.isEmpty else { return }
    let intervals = waiting
    waiting = []
    for milliseconds in intervals { try? take(milliseconds) }
  }

  private mutating func take(_ milliseconds: UInt32) throws(SeriesError) {
    guard let clock else {
      // The first intervals may come before the first record.
      guard waiting.count < 64 else { return account.leave(out: "interval without a time") }
      return waiting.append(milliseconds)
    }
    let length = Int64(milliseconds) * 1000
    let arrival = clock.advanced(byMicroseconds: -length)
    if let last = parts.lastOfRun {
      let lag = arrival.microseconds(since: last)
      // Plain text has no clock.
      if lag > Self.mostLagMicroseconds, format != .rr {
        parts.closeRun()
        try parts.beginRun(at: arrival)
      }
    } else {
      // Where the timer has just started, the first beat is there: so it was written, or nearly so.
      let start = timerStart.flatMap { arrival.microseconds(since: $0) <= 3_000_000 ? $0 : nil }
      try parts.beginRun(at: start ?? arrival)
      timerStart = nil
    }
    try parts.add(milliseconds)
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
