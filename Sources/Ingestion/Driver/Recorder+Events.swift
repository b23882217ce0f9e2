import BlueZ
import Captures
import FoundationEssentials
import HealthModel
import HeartRateRecording
package import Sensors

// The way of everything that happens to a sensor, from top to bottom: what BlueZ reports, the sensor's recording that decides
// what it means, and the journal that keeps it.

extension Recorder {
  /// A notification: the one event that comes often, so nothing is done here but what it needs.
  func receive(_ bytes: [UInt8], from device: DeviceAddress, at instant: BootInstant) {
    guard let address = SensorAddress(bits: device.bits) else { return }
    readValue(bytes, of: address, at: instant)
    if let index = recordings.index(of: address), recordings[index].hasNewState {
      publishStatus()
    } else {
      publishStatusSoon()
    }
  }

  /// A value of a sensor that arrived at `instant`.
  func readValue(_ bytes: [UInt8], of address: SensorAddress, at instant: BootInstant) {
    if stall != nil { placeStall(beforeValueOf: address, at: instant) }
    plan.valueReceived(from: address, at: instant)
    record(.measurement(bytes), of: address, at: instant)
  }

  /// A link is gone, the recorded one or another: the session learns of it, then the plan decides how to get it back.
  func linkLost(_ address: SensorAddress, over adapter: AdapterIndex, reason: String?, at now: BootInstant) {
    guard let index = recordings.index(of: address) else { return }
    perform(recordings[index].linkDown(over: adapter, reason: reason), of: address, at: now)
    perform(plan.linkLost(address, on: adapter, at: now))
    removeUnlisted()
  }

  /// Does what a change of a sensor's link leads to.
  func perform(_ change: SensorRecording.LinkChange?, of address: SensorAddress, at now: BootInstant) {
    guard let change else { return }
    log(change.line)
    for event in change.events { record(event, of: address, at: now) }
  }

  /// Something happened to an allowed sensor.
  package func record(_ kind: SensorEvent.Kind, of address: SensorAddress, at instant: BootInstant) {
    guard isTakingEvents, let index = recordings.index(of: address) else { return }
    // What waited has instants of its own: an event of the clock at one sensor's would be later than what the others wait with.
    if stall == nil { followClock(first: index, at: instant) }
    handle(kind, of: index, at: instant)
    armTimer(for: recordings[index].deadline)
  }

  /// Has the recording decide, and does what it says.
  private func handle(_ kind: SensorEvent.Kind, of index: Int, at instant: BootInstant) {
    let gaps = recordings[index].machine.counts.gaps
    perform(recordings[index].handle(kind, at: instant, session: UUID()), of: index, gapsBefore: gaps)
    if case .measurement(let bytes) = kind, observers.want(.measurements) { publishMeasurement(bytes, of: index) }
  }

  /// Does what a recording has left to do.
  func perform(_ step: SensorRecording.Step, of index: Int, gapsBefore gaps: Int) {
    if let ending = step.ending {
      end(ending, of: index)
      commitSoon(ending.session)
    }
    if observers.want([.sessions, .values]) { publishNews(of: step, index, gapsBefore: gaps) }
    if let entry = step.entry { write(entry, of: index) }
    for defect in step.defects {
      log(
        .warning,
        "\(recordings[index].address): notifications that are no valid measurement (\(defect.rawValue)); counted")
    }
  }

  /// Gives the journal what it is to keep of a sensor, and notes in the recording whether it did.
  func write(_ entry: JournalEntry, of index: Int) {
    do throws(JournalError) {
      switch entry {
      case .event(let event, let session): try files?.journal.append(event, to: session)
      case .events(let owed, let events, let session): try files?.journal.append(owed + events, to: session)
      case .beginning(let session, let previous, let metadata, let events):
        let recording = recordings[index]
        log(.info, "\(recording.address): session begins")
        let header = CaptureHeader(
          session: session, sensor: SensorIdentity(address: recording.address, name: recording.name),
          source: "sensord \(settings.version)", metadata: metadata, linkedTo: previous)
        try files?.journal.open(header, events: events)
      }
    } catch {
      recordings[index].journalRefused(entry, error.code)
      return journalFailed(error)
    }
    if let loss = recordings[index].journalTook(entry) {
      log(loss.line(of: "\(recordings[index].address)"))
      publish(loss, of: index, session: recordings[index].session?.id)
    }
    journalWorks()
  }

  /// Writes the end of a sensor's session; its commit is the caller's.
  func end(_ ending: SessionEnding, of index: Int) {
    let name = "\(recordings[index].address)"
    write(ending, of: name, at: index)
    log(.info, "\(name): session ends (\(ending.reason.rawValue))")
    publishEnd(ending, of: index)
  }

  /// Writes the end of a session; `name` is what the log calls it, `index` its sensor's, where it is still one's.
  func write(_ ending: SessionEnding, of name: String, at index: Int? = nil) {
    do {
      try files?.journal.append(ending.events, to: ending.session)
    } catch {
      let backlog = ending.refused(error.code)
      commitQueue.owe(backlog, of: ending.session)
      if let index { lost(backlog.loss(upTo: nil), upToTheEndOf: ending.session, of: index) }
      return journalFailed(error)
    }
    if let index { lost(ending.loss, upToTheEndOf: ending.session, of: index) }
    log(ending.loss.line(of: name))
    journalWorks()
  }

  private func lost(_ loss: JournalLoss, upToTheEndOf session: UUID, of index: Int) {
    recordings[index].ended(with: loss)
    publish(loss, of: index, session: session)
  }

  func journalFailed(_ error: JournalError) {
    log(condition.journalFailed(error))
    publishStatus()
  }

  func journalWorks() {
    guard let line = condition.journalWorks() else { return }
    log(line)
    publishStatus()
  }

  /// The wall clock may have been set or slewed; every session must know before its next event.
  func followClock(first index: Int, at instant: BootInstant) {
    let offset = clock.wallMinusBoot()
    guard abs(offset - wallOffset) > 1_000 else { return }
    wallOffset = offset
    let event = SensorEvent.Kind.clock(wallMinusBootMicroseconds: offset)
    handle(event, of: index, at: instant)
    for other in recordings.indices where other != index { handle(event, of: other, at: instant) }
  }
}
