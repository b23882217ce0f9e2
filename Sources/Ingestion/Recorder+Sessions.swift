import DBus
import Captures
import FoundationEssentials
import HeartRateRecording
import Sensors

extension Recorder {
  /// Something happened to an allowed sensor: the session machine decides what it means, the journal keeps it.
  func take(_ kind: SensorEvent.Kind, of address: SensorAddress, at instant: BootInstant) {
    guard takesEvents, var channel = channels[address] else { return }
    followClock(&channel, at: instant)
    apply(SensorEvent(kind, at: instant), to: &channel)
    channels[address] = channel
    armTimer(for: channel.machine.deadline)
  }

  private func apply(_ event: SensorEvent, to channel: inout SensorChannel) {
    let transition = channel.machine.handle(event)
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
    channel.unwritten = 0
    channel.toldDefects = 0
    log(.info, "\(label(channel)): session begins")
    do {
      try journal?.open(header, events: channel.machine.preamble + [first])
    } catch {
      journalFailed(error)
      if case .measurement = first.kind { channel.unwritten = 1 }
    }
  }

  /// Writes the end of the channel's session; its commit is the caller's.
  func close(_ channel: inout SensorChannel, _ end: SessionTransition.End) {
    guard let session = channel.session else { return }
    write([SensorEvent(.ended(end.reason), at: end.instant)], to: session, of: &channel)
    channel.session = nil
    log(.info, "\(label(channel)): session ends (\(end.reason.rawValue))")
  }

  /// Ends a session that has no channel: its sensor is not allowed any more.
  func end(_ session: UUID, _ reason: SessionEndReason, at instant: BootInstant) {
    do { try journal?.append(SensorEvent(.ended(reason), at: instant), to: session) } catch { journalFailed(error) }
  }

  /// Appends to the journal. What cannot be written is counted, and told with the next event that can.
  func write(_ events: [SensorEvent], to session: UUID, of channel: inout SensorChannel) {
    do throws(JournalError) {
      if channel.unwritten > 0, let instant = events.first?.instant {
        let reason = journalProblem?.code.rawValue ?? JournalError.Code.notWritten.rawValue
        try journal?.append(
          [SensorEvent(.lost(values: channel.unwritten, reason: reason), at: instant)] + events, to: session)
        log(.warning, "\(label(channel)): values lost while the journal did not work: \(channel.unwritten)")
        channel.unwritten = 0
      } else if events.count == 1 {
        try journal?.append(events[0], to: session)
      } else {
        try journal?.append(events, to: session)
      }
      if journalProblem != nil {
        log(.notice, "the journal works again")
        journalProblem = nil
      }
    } catch {
      journalFailed(error)
      for case .measurement in events.map(\.kind) { channel.unwritten += 1 }
    }
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
    guard defects.total > 0 else { return }
    for (number, defect) in PayloadDefect.allCases.enumerated() where defects[defect] > 0 {
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

  func journalSynced(_ failure: JournalError?) {
    if let failure { log(.error, "\(failure)") } else { log(.notice, "the journal reaches the disk again") }
  }

  func label(_ channel: SensorChannel) -> String {
    channel.address.description
  }
}
