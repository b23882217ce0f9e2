import Captures
import DBus
import SeriesStore
import Timeline

/// The condition of a recorder: its phase and its problems. Every event that changes them is an input, and the status
/// is made from them. Pure.
///
/// Each input returns the line that the log gets, where there is one.
struct RecorderCondition {
  /// The phases of a recorder's life. Until it has `ended`, what happens to sensors is recorded.
  enum Phase: Comparable {
    case starting, running, stopping, ended
  }

  /// The way to the adapters; without one of its steps those behind it are not there either.
  enum Bus: Hashable {
    /// There is no connection, and why; nil before the first attempt has ended.
    case absent(BusProblem?)
    /// bluetoothd is not there, or cannot be talked to.
    case connected(BusProblem?)
    /// bluetoothd is there: its adapters, and whether each is powered.
    case served([AdapterIndex: Bool])
  }

  private static let firstLoggedUnwritten = 64

  var phase = Phase.starting
  private(set) var bus = Bus.absent(nil)
  /// Why the last write to the journal failed, and why the last sync did.
  private var journalProblem: JournalError?
  private var syncProblem: JournalError?
  /// Whether values that the journal refuses are lost, since there is no room for more of them.
  private var isMemoryFull = false
  /// When the journal is given again what it has refused; nil while it works.
  private(set) var journalRetryAt: BootInstant?
  /// The number of values in memory at which the log gets its next line.
  private var loggedUnwritten = firstLoggedUnwritten
  /// Why the last session could not be committed.
  private var storeProblem: String?
  /// The call that bluetoothd is not asked any more, since it died of that.
  private var fatalCall: String?

  // MARK: The bus

  /// A connection was opened; whether bluetoothd may be listened to is not known yet.
  mutating func busConnected() {
    if case .absent(let problem) = bus { bus = .connected(problem) }
  }

  /// bluetoothd may be listened to.
  mutating func busWorks() -> LogLine? {
    guard case .connected(let problem) = bus else { return nil }
    bus = .connected(nil)
    return problem == nil ? nil : LogLine(.notice, "the bus is there")
  }

  /// bluetoothd cannot be talked to.
  mutating func busFailed(_ problem: BusProblem) -> LogLine? {
    let isNews = busProblem != problem
    if case .absent = bus { bus = .absent(problem) } else { bus = .connected(problem) }
    return isNews ? LogLine(.warning, problem.text) : nil
  }

  /// The bus ended.
  mutating func busLost() -> LogLine {
    bus = .connected(.noBus("the connection ended"))
    return LogLine(.warning, "the bus is gone; waiting for it")
  }

  /// The connection is closed.
  mutating func busClosed() {
    bus = .absent(busProblem)
  }

  mutating func serviceAppeared() -> LogLine {
    bus = .served([:])
    return LogLine(.info, "bluetoothd is there")
  }

  mutating func serviceDisappeared() -> LogLine {
    bus = .connected(nil)
    return LogLine(.warning, "bluetoothd is gone; waiting for it")
  }

  /// Whether there is a connection.
  var hasBus: Bool {
    if case .absent = bus { false } else { true }
  }

  /// Whether bluetoothd shows an adapter: it removes them all before an orderly end.
  var hasAdapters: Bool {
    if case .served(let adapters) = bus { !adapters.isEmpty } else { false }
  }

  /// bluetoothd died right after a call. Nil for one that belongs to a sensor and is given up: the sensor's problem
  /// names it.
  mutating func blamed(_ verdict: FatalCalls.Verdict) -> LogLine? {
    if verdict.isGivenUp {
      if case .connect = verdict.call { return nil }
      if verdict.call == .discovery { fatalCall = Self.text(of: verdict) }
    }
    return LogLine(.warning, Self.text(of: verdict))
  }

  /// One line: what happened, what follows, what to do.
  static func text(of verdict: FatalCalls.Verdict) -> String {
    let tenths = (verdict.delay.microseconds + 50_000) / 100_000
    let death = "bluetoothd died \(tenths / 10).\(tenths % 10) s after it was asked "
    let remedy = "update BlueZ, then restart sensord"
    switch (verdict.call, verdict.isGivenUp) {
    case (.filteredDiscovery, _):
      return death
        + "for heart-rate sensors only; until sensord is restarted all devices are looked for, 10 s a minute; "
        + remedy
    case (.discovery, false): return death + "to look for devices; after another time it is not asked any more"
    case (.discovery, true):
      return death + "to look for devices, again, and is not asked any more: new sensors are not found; \(remedy)"
    case (.connect(let address), false):
      return death + "to connect \(address); after another time it is not asked any more"
    case (.connect, true):
      return death + "to connect it, again, and is not asked any more: it is not recorded; \(remedy)"
    }
  }

  private var busProblem: BusProblem? {
    switch bus {
    case .absent(let problem), .connected(let problem): problem
    case .served: nil
    }
  }

  // MARK: Adapters

  mutating func adapter(_ index: AdapterIndex, isPowered: Bool) -> LogLine? {
    guard case .served(var adapters) = bus else { return nil }
    let before = adapters.updateValue(isPowered, forKey: index)
    bus = .served(adapters)
    guard before != isPowered else { return nil }
    if isPowered { return LogLine(before == nil ? .info : .notice, "\(index): the adapter is on") }
    return LogLine(.warning, "\(index): the adapter is off; switch it on with: bluetoothctl power on")
  }

  mutating func adapterRemoved(_ index: AdapterIndex) -> LogLine? {
    guard case .served(var adapters) = bus, adapters.removeValue(forKey: index) != nil else { return nil }
    bus = .served(adapters)
    return LogLine(.warning, "\(index): the adapter is gone; waiting for it")
  }

  // MARK: Journal and store

  /// The journal has refused something; `unwritten` is what it has refused and not got until now.
  ///
  /// The log gets one line on it, and another each time that the number of values in memory has doubled.
  mutating func journalFailed(
    _ error: JournalError, _ unwritten: UnwrittenValues, at now: BootInstant
  ) -> [LogLine] {
    if journalRetryAt == nil, phase < .stopping {
      journalRetryAt = now.advanced(byMicroseconds: Self.journalRetryInterval)
    }
    var lines: [LogLine] = []
    if journalProblem == nil { lines.append(LogLine(.error, "\(error); \(Self.staysInMemory)")) }
    journalProblem = error
    if unwritten.values >= loggedUnwritten {
      lines.append(LogLine(.warning, "\(unwritten.values) values are in memory only; a kill loses them"))
      while loggedUnwritten <= unwritten.values { loggedUnwritten *= 2 }
    }
    if unwritten.lost > 0, !isMemoryFull {
      lines.append(LogLine(.error, "the memory for values is full after \(unwritten.values); \(Self.isLost)"))
    }
    isMemoryFull = unwritten.lost > 0
    return lines
  }

  /// Whether the journal is to be given again now what it has refused.
  mutating func isJournalRetryDue(at now: BootInstant) -> Bool {
    guard let due = journalRetryAt, due <= now else { return false }
    journalRetryAt = nil
    return true
  }

  /// Microseconds. Nothing wakes for it while the journal works.
  private static let journalRetryInterval: Int64 = 5_000_000
  private static let staysInMemory = "values stay in memory until it works again"
  private static let isLost = "more values are lost until the journal works again"

  /// Nil where it has worked before, too.
  mutating func journalWorks() -> LogLine? {
    guard journalProblem != nil else { return nil }
    journalProblem = nil
    isMemoryFull = false
    loggedUnwritten = Self.firstLoggedUnwritten
    return LogLine(.notice, "the journal works again")
  }

  /// A sync has failed, or works again.
  mutating func journalSynced(_ failure: JournalError?) -> LogLine {
    guard let failure else {
      syncProblem = nil
      return LogLine(.notice, "the journal reaches the disk again")
    }
    // Nothing is lost, and nothing is left to do.
    if failure.code == .rewritten { return LogLine(.warning, "\(failure)") }
    syncProblem = failure
    return LogLine(.error, "\(failure)")
  }

  mutating func committed() {
    storeProblem = nil
  }

  /// A session could not be committed. The same reason is not logged for each of many sessions.
  mutating func commitFailed(_ session: String, _ reason: String) -> LogLine? {
    defer { storeProblem = reason }
    guard storeProblem != reason else { return nil }
    return LogLine(.error, "session \(session) stays in the journal: \(reason)")
  }
}

extension RecorderCondition {
  /// The one thing that matters most.
  ///
  /// - Parameters:
  ///   - hasSensors: Whether any sensor may be recorded.
  ///   - isRecording: Whether a session is open.
  /// - Returns: The state of the earliest obstacle on the way from the bus to a sensor.
  func state(hasSensors: Bool, isRecording: Bool) -> RecorderState {
    switch phase {
    case .stopping, .ended: return .stopping
    case .starting: return .starting
    case .running: break
    }
    switch busProblem {
    case .noBus, .refused: return .noBus
    case .noPermission: return .noPermission
    case .silent: return .noBluetoothService
    case nil: break
    }
    switch bus {
    case .absent: return .starting
    case _ where !hasSensors: return .noSensorAllowed
    case .connected: return .noBluetoothService
    case .served(let adapters) where adapters.isEmpty: return .noAdapter
    case .served(let adapters) where !adapters.values.contains(true): return .adapterOff
    case .served: return isRecording ? .recording : .searching
    }
  }

  /// Returns the problem in `state` and its remedy, in one line; nil if nothing is wrong.
  func problem(in state: RecorderState) -> String? {
    switch state {
    case .noBus, .noPermission: return busProblem?.text
    case .noBluetoothService:
      return busProblem?.text ?? "bluetoothd is not running; start it with: systemctl start bluetooth"
    case .noAdapter: return "there is no Bluetooth adapter; plug one in"
    case .adapterOff: return "the Bluetooth adapter is off; switch it on with: bluetoothctl power on"
    case .noSensorAllowed: return "no sensor is allowed; add yours with: sensord devices add ADDRESS"
    case .starting, .searching, .recording, .stopping: break
    }
    if let journalProblem { return "\(journalProblem); \(isMemoryFull ? Self.isLost : Self.staysInMemory)" }
    return syncProblem.map { "\($0)" } ?? storeProblem ?? fatalCall
  }
}

/// Why bluetoothd cannot be talked to.
enum BusProblem: Hashable {
  /// The bus does not answer; libdbus's words.
  case noBus(String)
  /// The bus refuses.
  case noPermission
  /// bluetoothd owns its name and does not answer.
  case silent
  /// bluetoothd answers with something else.
  case refused(String)

  init(_ error: DBusError) {
    if error.isAccessDenied {
      self = .noPermission
      return
    }
    switch error.code {
    case .cannotConnect, .disconnected, .timedOut: self = .noBus(error.message)
    default: self = .refused(error.description)
    }
  }

  /// One line: cause and remedy.
  var text: String {
    switch self {
    case .noBus(let message): "no message bus (\(message)); is dbus running?"
    case .noPermission: "the bus refuses access to bluetoothd; add this user to the group bluetooth"
    case .silent: "bluetoothd is running and does not answer; restart it with: systemctl restart bluetooth"
    case .refused(let message): "bluetoothd does not answer as it should (\(message))"
    }
  }
}

/// A line for the log, as a value that decides has it written. Never with health data in it.
struct LogLine: Hashable, Sendable {
  let level: RecorderSettings.LogLevel
  let text: String

  init(_ level: RecorderSettings.LogLevel, _ text: String) {
    self.level = level
    self.text = text
  }
}
