import ArgumentParser
import BlueZ
import CLinux
import RecorderBus
import DBus
import Door
import Glibc
import Ingestion
import Logging
import Reports
import Timeline

/// `sensord run`: records until it is stopped.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Record the sensors in the list until Ctrl-C.",
    discussion: """
      Connects to the sensors that 'sensord devices' lists whenever they are near,
      and goes on by itself after a loss. Without --config the settings are read
      from ~/.config/sensord/sensord.conf or /etc/sensord/sensord.conf.
      """)

  @OptionGroup var settings: ConfigurationOptions

  @OptionGroup var store: StoreOptions

  @OptionGroup var bus: BusOptions

  mutating func run() throws {
    let environment = ProcessEnvironment.current
    do {
      let configuration = try settings.load()
      let location = try StoreLocation.forRecorder(option: store.path, environment: environment)
      try RecorderProcess(
        configuration: configuration, store: location, bus: bus.address, environment: environment
      ).run()
    } catch {
      // Else `systemctl status` shows what held before until the next start.
      if let failure = CommandFailure(classifying: error) {
        ServiceNotification(environment: environment).send(.status(failure.message))
      }
      throw error
    }
  }
}

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
      // Publishing ends with the recording, and before the file is withdrawn.
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
    // Without the file a link may outlive a killed recorder, which is no reason to stop recording.
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

/// The file in a recorder's runtime directory that lists the links it has made. The recorder that follows one that was killed
/// reads it, and ends them with its own. Removed when the recorder stops; systemd keeps it over a restart.
///
/// One line for bluetoothd's unique bus name, one for each link: `hci0 C0:FF:EE:00:00:01`.
struct OwnLinksFile {
  /// The time after the recorder's last sign of life for which the file counts: a restart is over within a minute. BlueZ gives no
  /// name to a link, so a link that was lost and then made anew by another program looks the same.
  static let lifetime: Duration = .seconds(60)
  private static let heading = "sensord-links 1"

  /// The file of the recorder's status, a sign of life: it is written once a second while values come.
  let status: StatusFile

  private var path: String { "\(status.directory)/links" }

  /// The links that an earlier recorder left; nil without links, or after too long a time. A file of another user is ignored,
  /// since the listed links will be ended.
  func inherited() -> OwnLinks? {
    guard let age = [path, status.path].compactMap(Self.age).min(), age <= Self.lifetime,
      let bytes = try? FileAccess.readRegular(path, limit: 1 << 16, of: geteuid())
    else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard lines.count >= 2, lines[0] == Self.heading else { return nil }
    var links: Set<OwnLinks.Link> = []
    for line in lines.dropFirst(2) {
      let words = line.split(separator: " ")
      guard words.count == 2, words[0].hasPrefix("hci"), let number = UInt16(words[0].dropFirst(3)),
        let address = DeviceAddress(words[1])
      else { return nil }
      links.insert(OwnLinks.Link(address, over: AdapterPath(number)))
    }
    return OwnLinks(service: String(lines[1]), links: links)
  }

  /// Replaces the file, or removes it where there are no links.
  func write(_ links: OwnLinks?) throws {
    guard let links, !links.links.isEmpty else { return remove() }
    try status.prepare()
    let lines = links.links.map { "\($0.adapter.name) \($0.device)" }.sorted()
    let file = try ReplacedFile(path: path, mode: 0o600, mayBeSpecial: false)
    try file.write(Array((([Self.heading, links.service] + lines).joined(separator: "\n") + "\n").utf8))
    try file.finish(durably: false)
  }

  func remove() {
    unsafe unlink(path)
  }

  private static func age(_ path: String) -> Duration? {
    var status = stat()
    var now = timespec()
    guard unsafe stat(path, &status) == 0, unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
    let age: Duration = .seconds(now.tv_sec - status.st_mtim.tv_sec)
    // The file is from the future where the wall clock was set back: then nobody knows how old it is.
    return age >= .seconds(-1) ? age : nil
  }
}
