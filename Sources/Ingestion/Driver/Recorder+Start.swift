package import Captures
import DBus
import FoundationEssentials
import Glibc
import SeriesStore
import Timeline

extension Recorder {
  /// Opens the store and the journal and goes on with the sessions that a crash left open.
  ///
  /// - Returns: The sessions that have ended and are yet to be committed.
  func open() async throws(RecorderFailure) -> [UUID] {
    try settings.makeFolderOfStore()
    let store: HealthStore
    do { store = try HealthStore.open(settings.store, for: .recording, mode: settings.fileMode) } catch {
      throw .store(error)
    }
    let (files, recovered) = try openFiles(with: store)
    self.files = files
    // First, so that nothing that is written from now on is missed.
    let follower = StoreFollower(of: self, files)
    let keeper = ClockKeeper(of: self, follower)
    (self.store, wallClock) = (follower, keeper)
    await follower.start()
    await keeper.start()
    await follower.reload()
    await follower.countDoubtful()
    return await recover(recovered)
  }

  private func openFiles(with store: HealthStore) throws(RecorderFailure) -> (OpenFiles, JournalContents) {
    let configuration = JournalConfiguration(
      directoryMode: settings.directoryMode, fileMode: settings.fileMode, segmentBytes: settings.segmentBytes)
    let archive = settings.captures.map {
      CaptureArchive(
        directory: $0.directory, maximumAgeSeconds: $0.maximumAge?.components.seconds, maximumBytes: $0.maximumBytes,
        directoryMode: settings.directoryMode, fileMode: settings.fileMode)
    }
    do {
      let (journal, recovered) = try Journal.open(directory: settings.journal, configuration: configuration)
      let syncer = try JournalSyncer(journal, interval: settings.syncInterval) { [loop] failure in
        loop.execute {
          self.assumeIsolated {
            $0.log($0.condition.journalSynced(failure))
            $0.publishStatus()
          }
        }
      }
      let committer = SessionCommitter(
        store: store, journal: journal, archive: archive, version: settings.version, eventRules: settings.eventRules)
      return (OpenFiles(store: store, journal: journal, syncer: syncer, committer: committer), recovered)
    } catch {
      throw .journal(error)
    }
  }

  /// Goes on with the sessions that may, and ends the others.
  private func recover(_ contents: JournalContents) async -> [UUID] {
    for damage in contents.damages where !damage.isExpectedAfterCrash { log(.warning, "journal: \(damage)") }
    if let unknown = contents.unknownRecords.first {
      log(.warning, "journal: \(unknown); \(contents.unknownRecordCount) such records are handed on as they are")
    }
    for file in contents.foreignFiles {
      log(.warning, "journal: \(file.line(in: settings.journal))")
    }
    var ended: [UUID] = []
    var paused: [Capture] = []
    for found in contents.sessions {
      let session = found.capture.session
      switch found.state {
      case .committed: break
      case .ended: ended.append(session)
      case .open:
        // A power cut may remove the end of a session from the journal that the store has already. Values that came now
        // would be in nobody's session: the store does not accept it a second time.
        if (try? await files?.store.knows(session)) == true {
          endUnfinished(found.capture)
          ended.append(session)
        } else if found.capture.header.request?.endsWithClient == true {
          // The connection of its program was lost with the recorder.
          endUnfinished(found.capture, .clientGone)
          ended.append(session)
        } else if found.capture.isPaused {
          paused.append(found.capture)
        } else if !resume(found.capture) {
          ended.append(session)
        }
      }
    }
    // Whether a program's session goes on is known now.
    for capture in paused where !resumePaused(capture) {
      if !resume(capture, continuedAt: contents.lastInstant(ofSensorOf: capture)) { ended.append(capture.session) }
    }
    ended += await recoverWorkouts(contents)
    for series in contents.series.map(\.series.identifier) {
      self.series.recover(series)
      ended.append(series)
    }
    return ended
  }

  /// Goes on with an open session; false where it is over, and its end is written. `continued` is when the session of a
  /// program ended that had paused it.
  private func resume(_ capture: Capture, continuedAt continued: BootInstant? = nil) -> Bool {
    let now = clock.now()
    let session = capture.session
    guard let address = capture.sensor.address, let index = sensors.recordings.index(of: address),
      sensors.recordings[index].resume(session, request: OpenRequest(capture), from: capture.log, boot: clock.boot)
    else {
      endUnfinished(capture)
      return false
    }
    var present = sensors.present(at: now)
    if let continued { present.insert(SensorEvent(.continued, at: continued), at: 0) }
    write(.events(present, of: session), of: index)
    if let ending = sensors.recordings[index].adopt(present) {
      end(ending, of: index)
      return false
    }
    if let request = capture.header.request {
      requests.begin(RequestedSession(request, of: sensors.recordings[index], wallMinusBoot: sensors.wallMinusBoot))
    }
    log(.notice, "\(address): the session that was open goes on if the sensor comes back")
    armTimer(for: sensors.recordings[index].deadline)
    return true
  }

  /// Goes on with a session that the open one of a program has paused; false where there is none.
  private func resumePaused(_ capture: Capture) -> Bool {
    let present = sensors.present(at: clock.now())
    guard let address = capture.sensor.address, let index = sensors.recordings.index(of: address),
      sensors.recordings[index].resumePaused(capture.session, from: capture.log, boot: clock.boot, present)
    else { return false }
    write(.events(present, of: capture.session), of: index)
    return true
  }

  /// Ends a session that does not go on, at its last instant, since the boot clock may have started anew since then.
  private func endUnfinished(_ capture: Capture, _ reason: SessionEndReason = .recovered) {
    let session = capture.session
    let last = capture.log.last?.instant ?? clock.now()
    var backlog = JournalBacklog()
    if capture.lastBoot == clock.boot, capture.lastClock.map({ abs($0 &- sensors.wallMinusBoot) > 1_000 }) ?? true {
      // Set while no recorder ran.
      let event = SensorEvent(.clock(wallMinusBootMicroseconds: sensors.wallMinusBoot), at: last)
      backlog.append(event, refused: .notWritten, room: .max)
    }
    let ending = SessionEnding(session: session, reason: reason, instant: last, refused: backlog)
    write(ending, of: "session \(session.uuidString.lowercased())")
  }
}

extension RecorderSettings {
  /// Makes the folder of the store where it is missing.
  func makeFolderOfStore() throws(RecorderFailure) {
    let parts = store.split(separator: "/", omittingEmptySubsequences: true).dropLast()
    var folder = store.hasPrefix("/") ? "" : "."
    for part in parts {
      folder += "/" + part
      if unsafe mkdir(folder, directoryMode) == 0 { continue }
      // Also where a parent may not be written to but is there already.
      var status = stat()
      let number = errno
      guard unsafe stat(folder, &status) == 0 else { throw .folder(path: folder, errorNumber: number) }
    }
  }
}

extension JournalContents {
  /// The last instant that is known of a session's sensor, in the boot of the session's last event.
  fileprivate func lastInstant(ofSensorOf capture: Capture) -> BootInstant? {
    sessions.lazy.map(\.capture).filter {
      $0.sensor.address == capture.sensor.address && $0.lastBoot == capture.lastBoot
    }
    .compactMap { $0.log.last?.instant }.max()
  }
}

extension Capture {
  /// Whether a program's session had the values when the recorder ended.
  fileprivate var isPaused: Bool {
    var isPaused = false
    for event in log {
      switch event.kind {
      case .paused: isPaused = true
      case .continued, .measurement: isPaused = false
      default: break
      }
    }
    return isPaused
  }
}

/// The files that a recorder writes to, from its start to its end.
package struct OpenFiles {
  let store: HealthStore
  package let journal: Journal
  let syncer: JournalSyncer
  let committer: SessionCommitter
}
