import DBus
import Captures
import FoundationEssentials
import HealthModel
import HeartRateRecording
package import Sensors

extension Recorder {
  /// Something happened to an allowed sensor: the session machine decides what it means, the journal keeps it.
  package func take(_ kind: SensorEvent.Kind, of address: SensorAddress, at instant: BootInstant) {
    guard takesEvents, var channel = channels[address] else { return }
    // What waited is told at instants of its own: one sensor's must not run ahead of the others' by way of the clock.
    if stall == nil { followClock(&channel, at: instant) }
    apply(SensorEvent(kind, at: instant), to: &channel)
    channels[address] = channel
    armTimer(for: channel.machine.deadline)
  }

  private func apply(_ event: SensorEvent, to channel: inout SensorChannel) {
    var event = event
    if let last = channel.lastInstant { event.instant = max(event.instant, last) }
    channel.lastInstant = event.instant
    let transition = channel.machine.handle(event)
    // Now: a loss that is told with this event clears them.
    let beats = channel.machine.beats
    let previous = channel.session
    if let end = transition.end, let previous {
      close(&channel, end)
      commitSoon(previous)
    }
    if transition.beginning != nil {
      open(&channel, first: event, linkedTo: transition.end?.reason == .rolled ? previous : nil)
    } else if let session = channel.session {
      write([event], to: session, of: &channel)
    }
    for beat in beats { qualities[channel.address]?.append(beat) }
    tellDefects(&channel)
  }

  /// The time is `now`: sessions whose limits have passed end.
  func sessionsReached(_ now: BootInstant) {
    for address in channels.keys.sorted() {
      guard var channel = channels[address], let deadline = channel.machine.deadline, deadline <= now else { continue }
      if let end = channel.machine.timeReached(now).end, let session = channel.session {
        close(&channel, end)
        commitSoon(session)
      }
      channels[address] = channel
    }
  }

  private func open(_ channel: inout SensorChannel, first: SensorEvent, linkedTo previous: UUID?) {
    let session = UUID()
    let header = CaptureHeader(
      session: session, sensor: SensorIdentity(address: channel.address, name: channel.name),
      source: "sensord \(settings.version)", linkedTo: previous)
    channel.session = session
    qualities[channel.address] = LiveQuality()
    channel.backlog = JournalBacklog()
    channel.lostValues = 0
    channel.lostMicroseconds = 0
    channel.toldDefects = 0
    log(.info, "\(label(channel)): session begins")
    let events = channel.machine.preamble + [first]
    do {
      try journal?.open(header, events: events)
      journalWorks()
    } catch {
      journalFailed(error)
      for event in events { channel.backlog.take(event) }
    }
  }

  /// Writes the end of the channel's session; its commit is the caller's.
  func close(_ channel: inout SensorChannel, _ end: SessionTransition.End) {
    guard let session = channel.session else { return }
    write([SensorEvent(.ended(end.reason), at: end.instant)], to: session, of: &channel)
    if !channel.backlog.isEmpty { endings[session] = channel.backlog }
    channel.lostMicroseconds += channel.backlog.microseconds(upTo: nil)
    channel.lostValues += channel.backlog.values
    channel.backlog = JournalBacklog()
    channel.session = nil
    channel.provisional = nil
    channel.judgedAt = nil
    qualities[channel.address] = nil
    log(.info, "\(label(channel)): session ends (\(end.reason.rawValue))")
  }

  /// Ends a session that has no channel: its sensor is not allowed any more.
  func end(_ session: UUID, _ reason: SessionEndReason, at instant: BootInstant) {
    let event = SensorEvent(.ended(reason), at: instant)
    do {
      try journal?.append(event, to: session)
    } catch {
      journalFailed(error)
      endings[session, default: JournalBacklog()].take(event)
    }
  }

  /// Writes what the journal is still owed of a session that has ended; its commit waits for that.
  func settleEnding(of session: UUID) throws(JournalError) {
    guard let backlog = endings[session], let end = backlog.events.last?.instant else { return }
    try journal?.append(backlog.owed(reason: lossReason, before: end), to: session)
    endings[session] = nil
    tellLoss(backlog, upTo: nil, of: "session \(session.uuidString.lowercased())")
    journalWorks()
  }

  /// Appends to the journal. What cannot be written is kept or counted, and told with the next event that can.
  func write(_ events: [SensorEvent], to session: UUID, of channel: inout SensorChannel) {
    guard let instant = events.first?.instant else { return }
    do throws(JournalError) {
      if channel.backlog.isEmpty {
        if events.count == 1 {
          try journal?.append(events[0], to: session)
        } else {
          try journal?.append(events, to: session)
        }
      } else {
        let owed = channel.backlog.owed(reason: lossReason, before: instant)
        try journal?.append(owed + events, to: session)
        for event in owed {
          if case .lost = event.kind { _ = channel.machine.handle(event) }
        }
        tellLoss(channel.backlog, upTo: instant, of: label(channel))
        channel.lostValues += channel.backlog.values
        channel.lostMicroseconds += channel.backlog.microseconds(upTo: instant)
        channel.backlog = JournalBacklog()
      }
      journalWorks()
    } catch {
      journalFailed(error)
      for event in events { channel.backlog.take(event) }
    }
  }

  /// What a capture says of values that never reached it.
  private var lossReason: String {
    (journalProblem?.code ?? .notWritten).rawValue
  }

  func tellLoss(_ backlog: JournalBacklog, upTo instant: BootInstant?, of name: String) {
    guard backlog.values > 0 else { return }
    let tenths = backlog.microseconds(upTo: instant) / 100_000
    log(
      .warning, "\(name): \(backlog.values) values were lost in \(tenths / 10).\(tenths % 10) s without a journal")
  }

  /// The wall clock may have been set or slewed; every session must know before its next event.
  private func followClock(_ channel: inout SensorChannel, at instant: BootInstant) {
    let offset = clock.wallMinusBoot()
    guard abs(offset - wallOffset) > 1_000 else { return }
    wallOffset = offset
    apply(SensorEvent(.clock(wallMinusBootMicroseconds: offset), at: instant), to: &channel)
    for address in channels.keys.sorted() where address != channel.address {
      guard var other = channels[address] else { continue }
      apply(SensorEvent(.clock(wallMinusBootMicroseconds: offset), at: instant), to: &other)
      channels[address] = other
    }
  }

  /// One line for each kind of junk in a session, never the bytes.
  private func tellDefects(_ channel: inout SensorChannel) {
    let defects = channel.machine.counts.defects
    guard !defects.isEmpty else { return }
    for (number, defect) in PayloadDefect.allCases.enumerated() where defects[defect] != nil {
      guard channel.toldDefects & 1 << number == 0 else { continue }
      channel.toldDefects |= 1 << number
      log(.warning, "\(label(channel)): notifications that are no valid measurement (\(defect.rawValue)); counted")
    }
  }

  private func journalFailed(_ error: JournalError) {
    if journalProblem == nil { log(.error, "\(error); values are lost until it works again") }
    journalProblem = error
    tellStatus()
  }

  private func journalWorks() {
    guard journalProblem != nil else { return }
    journalProblem = nil
    log(.notice, "the journal works again")
    tellStatus()
  }

  func journalSynced(_ failure: JournalError?) {
    switch failure?.code {
    case nil: log(.notice, "the journal reaches the disk again")
    // Nothing is lost, and nothing is left to do.
    case .rewritten: return log(.warning, failure.map { "\($0)" } ?? "")
    default: log(.error, failure.map { "\($0)" } ?? "")
    }
    syncProblem = failure
    tellStatus()
  }

  func label(_ channel: SensorChannel) -> String {
    channel.address.description
  }
}
