import Captures
import FoundationEssentials
import Timeline

// Writing to the journal. Events that the journal refuses stay in memory, and are written with the next event of their
// sensor, or by a timer.

extension Recorder {
  /// Writes an entry of a sensor to the journal; the recording stores it if the journal refuses it.
  func write(_ entry: JournalEntry, of index: Int) {
    do throws(JournalError) {
      switch entry {
      case .event(let event, let session): try files?.journal.append(event, to: session)
      case .events(let events, let session):
        if let first = events.first { try writeOwed(of: session, index, before: first.instant) }
        try files?.journal.append(events, to: session)
      case .beginning(let session, let previous, let request, let events):
        let recording = sensors.recordings[index]
        log(.info, "\(recording.address): session begins")
        let header = CaptureHeader(
          session: session, sensor: SensorIdentity(address: recording.address, name: recording.name),
          source: "sensord \(settings.version)", metadata: request?.metadata ?? [:], request: request?.request,
          linkedTo: previous)
        if let request { requests.note(request.request, session: session) }
        try files?.journal.open(header, events: events)
      }
    } catch {
      sensors.recordings[index].journalRefused(entry, error.code, room: settings.unwrittenBytes - unwritten.bytes)
      return journalFailed(error)
    }
    journalWorks()
  }

  /// Writes what a program has asked for: all of it, or there is a failure.
  func write<Failure>(
    or refusal: Failure, _ body: (Journal) throws(JournalError) -> Void
  ) throws(Failure) {
    guard let journal = files?.journal else { throw refusal }
    do throws(JournalError) { try body(journal) } catch {
      journalFailed(error)
      throw refusal
    }
    journalWorks()
  }

  /// Writes the events that the journal refused of a sensor's open or paused session.
  private func writeOwed(of session: UUID, _ index: Int, before instant: BootInstant) throws(JournalError) {
    guard let journal = files?.journal else { return }
    let written = try sensors.recordings[index].writeOwed(of: session, before: instant) { events throws(JournalError) in
      try journal.append(events, to: session)
    }
    guard let written else { return }
    for line in written.lines(of: "\(sensors.recordings[index].address)") { log(line) }
    publish(written.loss, of: index, session: session)
  }

  /// Writes the events that the journal refused of a session that has ended; its commit waits for that.
  func writeOwed(ofEnded session: UUID) throws(JournalError) {
    guard let journal = files?.journal else { return }
    let written = try commitQueue.writeOwed(of: session) { events, session throws(JournalError) in
      try journal.append(events, to: session)
    }
    guard let written else { return }
    for line in written.lines(of: "session \(session.uuidString.lowercased())") { log(line) }
    journalWorks()
  }

  /// Writes the end of a sensor's session, whose commit is the caller's, and of the paused session that ends at the same time.
  func end(_ ending: SessionEnding, of index: Int) {
    let name = "\(sensors.recordings[index].address)"
    write(ending, of: name, at: index)
    log(.info, "\(name): session ends (\(ending.reason.rawValue))")
    if observers.want(.sessions) {
      observers.publish(sensors.recordings[index].news(of: ending, wallMinusBoot: sensors.wallMinusBoot))
    }
    guard let other = sensors.recordings[index].endedPaused else { return }
    sensors.recordings[index].endedPaused = nil
    end(other, of: index)
    commitSoon(other.session)
  }

  /// Writes the end of a session; `name` is what the log calls it, `index` its sensor's, where it is still one's.
  func write(_ ending: SessionEnding, of name: String, at index: Int? = nil) {
    guard let journal = files?.journal else { return }
    var backlog = ending.backlog
    do throws(JournalError) {
      let written = try backlog.write(before: ending.instant) { events throws(JournalError) in
        try journal.append(events, to: ending.session)
      }
      if let index { publish(written.loss, of: index, session: ending.session, hasEnded: true) }
      for line in written.lines(of: name) { log(line) }
      journalWorks()
    } catch {
      commitQueue.owe(backlog, of: ending.session)
      if let index { publish(backlog.loss(upTo: nil), of: index, session: ending.session, hasEnded: true) }
      journalFailed(error)
    }
  }

  /// Publishes a loss of values in a session that goes on or `hasEnded`.
  private func publish(_ loss: JournalLoss, of index: Int, session: UUID, hasEnded: Bool = false) {
    if hasEnded { sensors.recordings[index].ended(with: loss) }
    guard observers.want(.sessions) else { return }
    observers.publish(sensors.recordings[index].news(of: loss, session: session, at: clock.wallMicroseconds()))
  }

  /// Events that the journal has refused, of all sessions, and has not got yet.
  var unwritten: UnwrittenValues {
    var sum = sensors.recordings.unwritten
    sum.add(commitQueue.unwritten)
    return sum
  }

  func journalFailed(_ error: JournalError) {
    for line in condition.journalFailed(error, unwritten, at: clock.now()) { log(line) }
    if !isStopping { armTimer(for: condition.journalRetryAt) }
    publishStatus()
  }

  func journalWorks() {
    guard let line = condition.journalWorks() else { return }
    log(line)
    publishStatus()
  }

  /// Gives the journal what it has refused, also of sensors that send nothing now; while it refuses, again.
  func retryJournal(at now: BootInstant) {
    guard condition.isJournalRetryDue(at: now) else { return }
    do throws(JournalError) {
      for index in sensors.recordings.indices {
        for session in sensors.recordings[index].owing {
          try writeOwed(of: session, index, before: now)
          journalWorks()
        }
      }
      for session in commitQueue.owing { try writeOwed(ofEnded: session) }
    } catch {
      journalFailed(error)
    }
  }
}
