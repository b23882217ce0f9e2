import GATTHeartRate
import HealthModel
public import Sensors

extension SessionMachine {
  /// Handles the sensor's next event. Instants must not decrease within one boot.
  public mutating func handle(_ event: SensorEvent) -> SessionTransition {
    beginStep()
    if case .boot = event.kind { return restart(event) }
    if case .clock(let offset) = event.kind { adoptClock(offset) }
    if case .stalled = event.kind { stallEnd = event.instant }
    var transition = stallEnd == event.instant ? .none : expire(event.instant, isRestart: isRestarting)
    let wasLinked = context.isLinked
    context.update(with: event)
    lastInstant = event.instant
    switch event.kind {
    case .measurement(let bytes): receive(bytes, at: event.instant, into: &transition)
    case .connected: linkUp(at: event.instant)
    case .disconnected(let reason): linkDown(reason: reason, wasLinked: wasLinked, at: event.instant)
    case .lost(let values, let reason):
      guard isRecording else { break }
      counts.lostValues += values
      breakRun(.recorder(reason), at: event.instant)
    case .paused: pause(at: event.instant)
    case .continued: goOn(at: event.instant)
    case .ended(let reason):
      if isRecording { transition.end = close(reason, at: event.instant) }
    case .clock: isRestarting = false
    case .boot, .battery, .location, .information, .signal, .stalled, .marker: break
    }
    if isRecording { eventCount += 1 }
    return transition
  }

  /// Handles the passing of time until `instant`. Does nothing before ``deadline``.
  public mutating func timeReached(_ instant: BootInstant) -> SessionTransition {
    beginStep()
    return expire(instant, isRestart: false)
  }

  /// Begins a session on request, before the first measurement. Does nothing while a session is open.
  public mutating func begin(at instant: BootInstant) -> SessionTransition {
    beginStep()
    guard !isRecording else { return .none }
    waitsForSkin = false
    return SessionTransition(beginning: open(at: instant, isLinked: false))
  }

  /// Ends the open session, if there is one, for `reason`: `request` or `shutdown`.
  public mutating func end(_ reason: SessionEndReason, at instant: BootInstant) -> SessionTransition {
    beginStep()
    guard isRecording else { return .none }
    return SessionTransition(end: close(reason, at: instant))
  }

  /// Forgets the beats and the rate of the last step.
  private mutating func beginStep() {
    live.clear()
    bringsRate = false
  }

  /// Applies the limits that have passed by `instant`.
  mutating func expire(_ instant: BootInstant, isRestart: Bool) -> SessionTransition {
    while let deadline, deadline <= instant {
      switch phase {
      case .idle: return .none
      case .measuring: enter(.silent, since: lastMeasurement ?? deadline)
      // A limit that passed while the recorder did not run ends the session now: the recorder could not end it earlier.
      case _ where isRestart: return SessionTransition(end: close(.recovered, at: instant))
      case .silent, .contactLost: return SessionTransition(end: close(.offSkin, at: deadline))
      case .linkLost: return SessionTransition(end: close(.away, at: deadline))
      }
    }
    return .none
  }

  mutating func open(at instant: BootInstant, isLinked: Bool) -> SessionTransition.Beginning {
    sessionStart = instant
    lastMeasurement = instant
    lastInstant = instant
    awaySince = nil
    counts = SessionCounts()
    eventCount = context.events(at: instant).count
    live = LiveTimeline()
    gaps = LiveGaps()
    isPaused = false
    enter(context.isLinked ? .silent : .linkLost, since: instant)
    return .init(instant: instant, isLinked: isLinked)
  }

  mutating func close(_ reason: SessionEndReason, at instant: BootInstant) -> SessionTransition.End {
    waitsForSkin = reason == .offSkin && phase == .contactLost
    phase = .idle
    phaseSince = nil
    sessionStart = nil
    lastMeasurement = nil
    isRestarting = false
    restartWall = nil
    return .init(reason: reason, instant: instant)
  }

  mutating func enter(_ next: Phase, since instant: BootInstant) {
    guard next != phase else { return }
    phase = next
    phaseSince = instant
  }

  mutating func breakRun(_ reason: GapReason, at instant: BootInstant) {
    live.breakRun()
    gaps.lose(reason, at: instant.microseconds)
  }

  /// Pauses the session, because another one has the values from now on: missing values do not end this one.
  private mutating func pause(at instant: BootInstant) {
    guard isRecording else { return }
    breakRun(.clientSession, at: instant)
    isPaused = true
  }

  /// Ends the pause: the session has the values again, and the full time for the next one.
  private mutating func goOn(at instant: BootInstant) {
    guard isRecording, isPaused else { return }
    isPaused = false
    lastMeasurement = instant
    awaySince = context.isLinked ? nil : instant
    phase = context.isLinked ? .silent : .linkLost
    phaseSince = instant
  }

  private mutating func linkUp(at instant: BootInstant) {
    guard isRecording else { return }
    // Without a loss before it, the recorder itself was away: that time is unknown, too.
    breakRun(.recorder(nil), at: instant)
    isRestarting = false
    if phase != .measuring && phase != .contactLost { enter(.silent, since: instant) }
  }

  private mutating func linkDown(reason: String?, wasLinked: Bool, at instant: BootInstant) {
    // BlueZ may report the reason of a loss after the loss itself.
    lastDisconnectReason = wasLinked ? reason : lastDisconnectReason ?? reason
    guard isRecording, phase != .linkLost else { return }
    counts.linkLosses += 1
    breakRun(.link(reason), at: instant)
    // A link that came up and brought no values has not ended the absence.
    let since = awaySince ?? instant
    awaySince = since
    enter(.linkLost, since: since)
  }
}

extension SessionMachine {
  /// Handles a measurement: it begins a session, continues one, or ends one and begins the next.
  mutating func receive(_ bytes: [UInt8], at instant: BootInstant, into transition: inout SessionTransition) {
    let header: HeartRateMeasurement.Header
    do {
      header = try HeartRateMeasurement.Header(decoding: bytes.span)
    } catch {
      guard isRecording else { return }
      counts.notifications += 1
      counts.defects[PayloadDefect(error), default: 0] += 1
      return
    }
    // Some sensors without contact detection send a rate of 0 for "no signal".
    let isOnSkin = header.rrCount > 0 || (header.contact != .notDetected && header.beatsPerMinute > 0)
    if let sessionStart {
      if instant.microseconds(since: sessionStart) >= limits.lengthMicroseconds || eventCount >= limits.eventCount {
        transition.end = close(.rolled, at: instant)
        transition.beginning = open(at: instant, isLinked: true)
      }
    } else {
      // Otherwise a strap that lies on a table would fill the store with sessions of five minutes.
      guard isOnSkin || !waitsForSkin else { return }
      transition.beginning = open(at: instant, isLinked: false)
    }
    isRestarting = false
    // Also where the record of its end is damaged.
    isPaused = false
    restartWall = nil
    awaySince = nil
    lastMeasurement = instant
    contact = header.contact
    if header.beatsPerMinute > 0 {
      beatsPerMinute = header.beatsPerMinute
      rateInstant = instant
      bringsRate = true
    }
    if isOnSkin {
      if phase == .contactLost { live.breakRun() }
      enter(.measuring, since: instant)
    } else {
      enter(.contactLost, since: instant)
    }
    live.append(header, bytes.span, at: instant)
    gaps.append(header, isOnSkin: isOnSkin, live.beats, at: instant.microseconds)
    count(header, byteCount: bytes.count)
  }

  private mutating func count(_ header: HeartRateMeasurement.Header, byteCount: Int) {
    counts.notifications += 1
    counts.beats += header.rrCount
    counts.runs = live.runs
    counts.gaps = gaps.count
    PayloadDefect.forEach(in: header, byteCount: byteCount) { counts.defects[$0, default: 0] += 1 }
  }
}

extension SessionMachine {
  /// Handles a `boot` event: the recorder, and perhaps the machine, was restarted.
  ///
  /// An open session goes on; its sensor counts as away since the last journalled event.
  mutating func restart(_ event: SensorEvent) -> SessionTransition {
    let earlier = context
    context.update(with: event)
    defer { lastInstant = event.instant }
    stallEnd = nil
    guard isRecording, let lastInstant, let boot = earlier.boot else { return .none }
    live.breakRun()
    isRestarting = true
    if boot != context.boot {
      live.restart()
      gaps.lose(.boot, at: event.instant.microseconds)
      // Instants of two boots cannot be compared: no time counts as passed until the clock shows how much.
      shiftInstants(by: event.instant.microseconds(since: lastInstant))
      restartWall = earlier.clockOffset.map { lastInstant.microseconds + $0 }
    }
    let since = awaySince ?? (boot == context.boot ? lastInstant : event.instant)
    awaySince = since
    enter(.linkLost, since: since)
    return expire(event.instant, isRestart: true)
  }

  /// Handles the clock's offset. After a reboot it shows how long that took.
  mutating func adoptClock(_ offset: Int64) {
    guard let wall = restartWall, let now = lastInstant else { return }
    restartWall = nil
    let passed = now.microseconds &+ offset &- wall
    // Without a clock battery a machine may believe that it is 1970.
    if passed > 0 { shiftInstants(by: -passed) }
  }

  private mutating func shiftInstants(by microseconds: Int64) {
    sessionStart = sessionStart?.advanced(byMicroseconds: microseconds)
    phaseSince = phaseSince?.advanced(byMicroseconds: microseconds)
    lastMeasurement = lastMeasurement?.advanced(byMicroseconds: microseconds)
    awaySince = awaySince?.advanced(byMicroseconds: microseconds)
    rateInstant = rateInstant?.advanced(byMicroseconds: microseconds)
  }
}

extension PayloadDefect {
  /// The defect of a value that cannot be decoded.
  init(_ error: HeartRateMeasurement.DecodingError) {
    switch error {
    case .truncated(.flags, _, _): self = .empty
    case .truncated(.heartRate, _, _): self = .truncatedRate
    case .truncated(.energyExpended, _, _): self = .truncatedEnergy
    }
  }

  /// Calls `body` with each defect of a value that can be decoded.
  static func forEach(in header: HeartRateMeasurement.Header, byteCount: Int, _ body: (PayloadDefect) -> Void) {
    if !header.flags.isDisjoint(with: .reserved) { body(.reservedFlags) }
    if header.rrOffset + 2 * header.rrCount < byteCount { body(.trailingBytes) }
  }
}
