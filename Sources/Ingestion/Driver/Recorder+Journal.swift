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
        let recording = recordings[index]
        log(.info, "\(recording.address): session begins")
        let header = CaptureHeader(
          session: session, sensor: SensorIdentity(address: recording.address, name: recording.name),
          source: "sensord \(settings.version)", metadata: request?.metadata ?? [:], request: request?.request,
          linkedTo: previous)
        if let request { requests.note(request.request, session: session) }
        try files?.journal.open(header, events: events)
      }
    } catch {
      recordings[index].journalRefused(entry, error.code, room: settings.unwrittenBytes - unwritten.bytes)
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
    let written = try recordings[index].writeOwed(of: session, before: instant) { events throws(JournalError) in
      try journal.append(events, to: session)
    }
    guard let written else { return }
    log(written, of: "\(recordings[index].address)")
    publish(written.loss, of: index, session: session)
  }

  /// Writes the events that the journal refused of a session that has ended; its commit waits for that.
  func writeOwed(ofEnded session: UUID) throws(JournalError) {
    guard let journal = files?.journal else { return }
    let written = try commitQueue.writeOwed(of: session) { events, session throws(JournalError) in
      try journal.append(events, to: session)
    }
    guard let written else { return }
    log(written, of: "session \(session.uuidString.lowercased())")
    journalWorks()
  }

  /// Writes the end of a sensor's session, whose commit is the caller's, and of the paused session that ends at the same time.
  func end(_ ending: SessionEnding, of index: Int) {
    let name = "\(recordings[index].address)"
    write(ending, of: name, at: index)
    log(.info, "\(name): session ends (\(ending.reason.rawValue))")
    publishEnd(ending, of: index)
    guard let other = recordings[index].endedPaused else { return }
    recordings[index].endedPaused = nil
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
      if let index { lost(written.loss, upToTheEndOf: ending.session, of: index) }
      log(written, of: name)
      journalWorks()
    } catch {
      commitQueue.owe(backlog, of: ending.session)
      if let index { lost(backlog.loss(upTo: nil), upToTheEndOf: ending.session, of: index) }
      journalFailed(error)
    }
  }

  private func lost(_ loss: JournalLoss, upToTheEndOf session: UUID, of index: Int) {
    recordings[index].ended(with: loss)
    publish(loss, of: index, session: session)
  }

  private func log(_ written: JournalBacklog.Written, of name: String) {
    if written.values > 0 {
      log(.notice, "\(name): \(written.values) values that were in memory only are in the journal")
    }
    log(written.loss.line(of: name))
  }

  /// Events that the journal has refused, of all sessions, and has not got yet.
  var unwritten: UnwrittenValues {
    var sum = recordings.unwritten
    sum.add(commitQueue.unwritten)
    return sum
  }

  func journalFailed(_ error: JournalError) {
    for line in condition.journalFailed(error, unwritten) { log(line) }
    if journalRetryAt == nil, !isStopping {
      journalRetryAt = clock.now().advanced(byMicroseconds: Self.journalRetryInterval)
      armTimer(for: journalRetryAt)
    }
    publishStatus()
  }

  func journalWorks() {
    guard let line = condition.journalWorks() else { return }
    log(line)
    publishStatus()
  }

  /// Gives the journal what it has refused, also of sensors that send nothing now; while it refuses, again.
  func retryJournal(at now: BootInstant) {
    guard let due = journalRetryAt, due <= now else { return }
    journalRetryAt = nil
    do throws(JournalError) {
      for index in recordings.indices {
        for session in recordings[index].owing {
          try writeOwed(of: session, index, before: now)
          journalWorks()
        }
      }
      for session in commitQueue.owing { try writeOwed(ofEnded: session) }
    } catch {
      journalFailed(error)
    }
  }

  /// Microseconds. Nothing wakes for it while the journal works.
  private static let journalRetryInterval: Int64 = 5_000_000
}
