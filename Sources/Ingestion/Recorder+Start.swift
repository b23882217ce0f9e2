import Captures
import DBus
import FoundationEssentials
import Glibc
import HeartRateRecording
import Sensors
import SeriesStore

extension Recorder {
  /// Opens the store and the journal and goes on with the sessions that a crash left open.
  ///
  /// - Returns: The sessions that have ended and are yet to be committed.
  func start() async throws(RecorderFailure) -> [UUID] {
    try makeFolder(of: settings.store)
    let store: HealthStore
    do { store = try HealthStore.open(settings.store, for: .recording, mode: settings.fileMode) } catch {
      throw .store(error)
    }
    self.store = store
    let recovered = try openJournal(for: store)
    // First, so that nothing that is written from now on is missed.
    watchStore()
    await loadAllowedSensors()
    await eraseDeleted()
    return await recover(recovered)
  }

  func watchStore() {
    do {
      storeWatch = try StoreWatch(settings.store, on: loop) {
        self.assumeIsolated { $0.storeWasTouched() }
      }
    } catch {
      log(.warning, "changes to the list of sensors are seen only after a restart: \(error)")
    }
  }

  private func openJournal(for store: HealthStore) throws(RecorderFailure) -> JournalContents {
    let configuration = JournalConfiguration(
      directoryMode: settings.directoryMode, fileMode: settings.fileMode, segmentBytes: settings.segmentBytes)
    let recovered: JournalContents
    do {
      let opened = try Journal.open(directory: settings.journal, configuration: configuration)
      recovered = opened.recovered
      journal = opened.journal
      syncer = try JournalSyncer(opened.journal, interval: settings.syncInterval) { [loop] failure in
        loop.execute { self.assumeIsolated { $0.journalSynced(failure) } }
      }
    } catch {
      throw .journal(error)
    }
    let archive = settings.captures.map {
      CaptureArchive(
        directory: $0.directory, maximumAgeSeconds: $0.maximumAge?.components.seconds, maximumBytes: $0.maximumBytes,
        directoryMode: settings.directoryMode, fileMode: settings.fileMode)
    }
    if let journal {
      committer = SessionCommitter(store: store, journal: journal, archive: archive, version: settings.version)
    }
    return recovered
  }

  /// Feeds what the journal holds to fresh machines: sessions that may go on stay open, the others end.
  private func recover(_ contents: JournalContents) async -> [UUID] {
    for damage in contents.damages where !damage.isExpectedAfterCrash { log(.warning, "journal: \(damage)") }
    if let unknown = contents.unknownRecords.first {
      log(.warning, "journal: \(unknown); \(contents.unknownRecordCount) such records are handed on as they are")
    }
    for file in contents.foreignFiles {
      log(.warning, "journal: \(file.name) is no segment of it and was set aside as \(file.setAsideAs ?? file.name)")
    }
    var ended: [UUID] = []
    for found in contents.sessions {
      switch found.state {
      case .committed: break
      case .ended: ended.append(found.capture.session)
      case .open:
        let session = found.capture.session
        // A power cut may take the end of a session from the journal that the store has already. What came now would be
        // in nobody's session: the store does not take it a second time.
        if (try? await store?.knows(session)) == true {
          end(session, .recovered, at: found.capture.log.last?.instant ?? clock.now())
          ended.append(session)
        } else if !resume(found.capture) {
          ended.append(session)
        }
      }
    }
    return ended
  }

  /// Goes on with an open session; false where it is over, and its end is written.
  private func resume(_ capture: Capture) -> Bool {
    let now = clock.now()
    guard let address = capture.sensor.address, var channel = channels[address], channel.session == nil else {
      // Its last instant, since the boot clock may have started anew since then.
      end(capture.session, .recovered, at: capture.log.last?.instant ?? now)
      return false
    }
    var machine = SessionMachine(limits: limits)
    // As it began: the measurement that did it may be the one that a full disk did not take.
    if let first = capture.log.first { _ = machine.begin(at: first.instant) }
    var quality = LiveQuality()
    var boot: BootIdentifier?
    for event in capture.log {
      _ = machine.handle(event)
      if case .boot(let identifier) = event.kind {
        if boot ?? identifier != identifier { quality.restart() }
        boot = identifier
      }
      for beat in machine.beats { quality.append(beat) }
    }
    if boot != clock.boot { quality.restart() }
    guard machine.isRecording else {
      // The limits that hold now ended it within what it holds.
      end(capture.session, .recovered, at: capture.log.last?.instant ?? now)
      return false
    }
    let present = [
      SensorEvent(.boot(clock.boot), at: now),
      SensorEvent(.clock(wallMinusBootMicroseconds: wallOffset), at: now),
    ]
    write(present, to: capture.session, of: &channel)
    var over: SessionTransition.End?
    for event in present { over = over ?? machine.handle(event).end }
    channel.machine = machine
    channel.session = capture.session
    qualities[address] = quality
    channel.lostValues = machine.counts.lostValues
    channel.lostMicroseconds = Self.lostMicroseconds(capture.log)
    if let over { close(&channel, over) }
    channels[address] = channel
    if over == nil { log(.notice, "\(label(channel)): the session that was open goes on if the sensor comes back") }
    armTimer(for: machine.deadline)
    return over == nil
  }

  /// For how long the events say that values were lost: each time since the measurement before.
  private static func lostMicroseconds(_ log: SensorEventLog) -> Int64 {
    var total: Int64 = 0
    var previous: BootInstant?
    for event in log {
      switch event.kind {
      case .measurement: previous = event.instant
      case .boot: previous = nil
      case .lost: total += previous.map { max(0, event.instant.microseconds(since: $0)) } ?? 0
      default: break
      }
    }
    return total
  }

  func makeFolder(of file: String) throws(RecorderFailure) {
    let parts = file.split(separator: "/", omittingEmptySubsequences: true).dropLast()
    var folder = file.hasPrefix("/") ? "" : "."
    for part in parts {
      folder += "/" + part
      if unsafe mkdir(folder, settings.directoryMode) == 0 { continue }
      // Also where a parent may not be written to but is there already.
      var status = stat()
      let number = errno
      guard unsafe stat(folder, &status) == 0 else { throw .folder(path: folder, errorNumber: number) }
    }
  }
}
