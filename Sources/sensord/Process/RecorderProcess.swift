internal import Recordings
internal import CLinux
internal import ClientInterfaces
internal import DBus
internal import Door
internal import Glibc
internal import Ingestion
internal import Logging
internal import Sensors

/// The process around a recorder, wired by hand: settings, signals, log, status file, systemd.
struct RecorderProcess {
  var configuration: Configuration
  var store: StoreLocation
  var bus: BusAddress
  var environment: ProcessEnvironment

  /// Records until SIGTERM, SIGINT or SIGHUP, then ends and stores every session.
  func run() throws {
    // A closed terminal or a stopped journald must not end the recording.
    signal(SIGPIPE, SIG_IGN)
    Self.giveBackLargeBuffers()
    let logger = LogDestination.current(environment).logger(level: configuration.logLevel)
    let notification = ServiceNotification(environment: environment)
    let status = StatusFile.forRecorder(environment: environment, store: store)
    let publication = StatusPublication(file: status, store: store.path, notification: notification, logger: logger)
    let links = OwnLinksFile(status: status)
    defer { publication.withdraw() }

    try FileAccess.makeDirectory(store.directory, mode: store.directoryMode)
    let loop = try EventLoop()
    let recorder = Recorder(settings(logger: logger, links: links), on: loop)
    let door = try makeDoor(of: recorder, logger: logger)
    let signals = try loop.watch(signals: [SIGTERM, SIGINT, SIGHUP]) { _ in
      notification.send(.stopping)
      door?.recorderStops()
      recorder.requestStop()
    }
    defer { loop.cancel(signals) }
    if let interval = notification.watchdogInterval { Self.feedWatchdog(notification, every: interval, on: loop) }
    let path = store.path
    let events = recorder.events(.status)
    try CommandLoop.run(on: loop) { _ in
      // It ends with the recording, and before the file is withdrawn.
      async let publishing: Void = publication.follow(events)
      do {
        try await recorder.run {
          logger.notice("recording into \(path)")
          publication.begin()
          notification.send(.ready)
          door?.open()
          // A sixth of what is resident by now is code that only a start needs.
          clinux_release_code()
        }
      } catch {
        await publishing
        await door?.close()
        throw error
      }
      await publishing
      await door?.close()
    }
  }

  /// The door for other programs; nil where it stays shut.
  private func makeDoor(of recorder: Recorder, logger: Logger) throws -> Door? {
    guard let place = DoorPlace(configuration.clientsBus, bluetooth: bus, environment: environment) else { return nil }
    return try Door(
      DoorSettings(
        bus: place.bus, owners: place.owners, inAdvance: configuration.grants, version: SensordCommand.version,
        log: { level, line in logger.log(level: Logger.Level(level), "\(line)") }), of: recorder)
  }

  /// Has the C library give back to the system what is large as soon as it is freed.
  ///
  /// By default it raises its limit for such buffers when the first one is freed, and keeps the later ones: up to twice the
  /// size of that first one stays resident until the next commit.
  private static func giveBackLargeBuffers() {
    _ = mallopt(M_MMAP_THRESHOLD, 1 << 18)
  }

  private func settings(logger: Logger, links: OwnLinksFile) -> RecorderSettings {
    var settings = RecorderSettings(store: store.path, journal: store.journal, version: SensordCommand.version)
    settings.fileMode = store.fileMode
    settings.directoryMode = store.directoryMode
    settings.bus = bus
    settings.precedence = ClientInterfaces.busName
    settings.awayLimit = configuration.awayLimit
    settings.offSkinLimit = configuration.offSkinLimit
    settings.maximumLength = configuration.maximumLength
    settings.syncInterval = configuration.syncInterval
    settings.captures = configuration.capturesKept.map { age in
      RecorderSettings.CapturePolicy(
        directory: store.captures, maximumAge: age, maximumBytes: configuration.capturesSize)
    }
    settings.unlisted = configuration.recordsAny ? .any(atLeast: configuration.minimumSignal) : .refused
    settings.eventRules = configuration.eventRules
    settings.machineClock = .system
    settings.adapters = configuration.adapters.map { Set($0) }
    settings.log = { level, line in logger.log(level: Logger.Level(level), "\(line)") }
    settings.inheritedLinks = links.inherited()
    // Where that fails, a link may outlive a recorder that is killed: no reason to stop recording.
    settings.onLinks = { try? links.write($0) }
    return settings
  }

  /// Reports to systemd that the loop turns, and again after `interval`: a loop that hangs stops reporting.
  private static func feedWatchdog(_ notification: ServiceNotification, every interval: Duration, on loop: EventLoop) {
    notification.send(.watchdog)
    _ = loop.schedule(after: interval) { feedWatchdog(notification, every: interval, on: loop) }
  }
}

extension Logger.Level {
  fileprivate init(_ level: RecorderSettings.LogLevel) {
    self =
      switch level {
      case .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      }
  }
}
