import FoundationEssentials
import BlueZ
import DBus
import HeartRateRecording
import GATTHeartRate
import HealthModel
import Sensors

extension Recorder {
  private static let statusInterval: Int64 = 1_000_000
  /// The beats of so many sensors are judged in one go, so that a notification never waits for all.
  private static let judgedAtOnce = 6

  /// Tells the status where it has changed: a change of state at once, new values at most once a second.
  func tellStatus() {
    noteStates()
    let now = clock.now()
    let isDue = now.microseconds(since: toldStatusAt) >= Self.statusInterval
    if isDue { judgeBeats(at: now) }
    let status = status()
    guard status != toldStatus else { return }
    guard isDue || toldStatus.map({ !Self.sameStates($0, status) }) ?? true else {
      return tellValuesSoon()
    }
    toldStatus = status
    toldStatusAt = now
    settings.onStatus(status)
  }

  /// Tells the status when a second has passed since the last time.
  func tellValuesSoon() {
    guard statusTimer == nil else { return }
    statusTimer = loop.schedule(at: toldStatusAt.microseconds + Self.statusInterval) {
      self.assumeIsolated {
        $0.statusTimer = nil
        $0.tellStatus()
      }
    }
  }

  /// Looks at the beats of the sessions for which that is due, first at those that have waited longest.
  private func judgeBeats(at now: BootInstant) {
    let interval = settings.judgingInterval.microseconds
    let due = qualities.keys.compactMap { address -> (address: SensorAddress, since: BootInstant)? in
      guard let channel = channels[address], let last = channel.judgedAt ?? channel.machine.sessionStart,
        now.microseconds(since: last) >= interval
      else { return nil }
      return (address, last)
    }
    for (address, _) in due.sorted(by: { ($0.since, $0.address) < ($1.since, $1.address) }).prefix(Self.judgedAtOnce) {
      qualities[address]?.judge()
      channels[address]?.judgedAt = now
      channels[address]?.provisional = qualities[address].flatMap {
        ProvisionalQuality($0, wallMinusBoot: wallOffset)
      }
    }
  }

  private func noteStates() {
    for (address, channel) in channels where channel.state != channel.currentState {
      channels[address]?.state = channel.currentState
      channels[address]?.stateSince = clock.wallMicroseconds()
    }
  }

  private func status() -> RecorderStatus {
    let state = state
    return RecorderStatus(
      state: state, problem: problem(state),
      sensors: channels.values.sorted { $0.address < $1.address }.map(sensorStatus))
  }

  private var state: RecorderState {
    if isStopping { return .stopping }
    if !isReady { return .starting }
    switch busProblem {
    case .noBus, .refused: return .noBus
    case .noPermission: return .noPermission
    case .silent: return .noBluetoothService
    case nil: break
    }
    if client == nil { return .starting }
    if channels.isEmpty, settings.unlisted == .refused { return .noSensorAllowed }
    if !hasService { return .noBluetoothService }
    if adapters.isEmpty { return .noAdapter }
    if !adapters.values.contains(where: \.isPowered) { return .adapterOff }
    return channels.values.contains { $0.session != nil } ? .recording : .searching
  }

  private func problem(_ state: RecorderState) -> String? {
    switch state {
    case .noBus, .noPermission: return busProblem?.text
    case .noBluetoothService:
      return busProblem?.text ?? "bluetoothd is not running; start it with: systemctl start bluetooth"
    case .noAdapter: return "there is no Bluetooth adapter; plug one in"
    case .adapterOff: return "the Bluetooth adapter is off; switch it on with: bluetoothctl power on"
    case .noSensorAllowed: return "no sensor is allowed; add yours with: sensord devices add ADDRESS"
    case .starting, .searching, .recording, .stopping: break
    }
    if let journalProblem { return "\(journalProblem); values are lost until it works again" }
    return syncProblem.map { "\($0)" } ?? storeProblem
  }

  private func sensorStatus(_ channel: SensorChannel) -> SensorStatus {
    let machine = channel.machine
    var status = SensorStatus(
      address: channel.address, name: channel.name, state: channel.state, since: channel.stateSince)
    status.session = channel.session?.uuidString.lowercased()
    status.sessionStart = machine.sessionStart.map(wall)
    status.beatsPerMinute = machine.beatsPerMinute
    status.rateAt = machine.rateInstant.map(wall)
    status.contact =
      switch machine.contact {
      case .detected: true
      case .notDetected: false
      case .notSupported, nil: nil
      }
    status.battery = machine.batteryPercent
    status.notifications = machine.counts.notifications
    status.beats = machine.counts.beats
    status.gaps = machine.counts.gaps
    status.losses = machine.counts.linkLosses
    status.junk = Int(machine.counts.defects.values.reduce(0, +))
    status.lostValues = channel.lostValues + channel.backlog.values
    status.lostMicroseconds = channel.lostMicroseconds + channel.backlog.microseconds(upTo: nil)
    status.provisional = channel.provisional
    status.lastDisconnectReason = machine.lastDisconnectReason
    status.problem = channel.problem
    status.nextTry = plan.standing(of: channel.address)?.nextTry.map(wall)
    return status
  }

  private func wall(_ instant: BootInstant) -> Int64 {
    instant.microseconds + wallOffset
  }

  /// Whether two statuses differ in values only.
  private static func sameStates(_ first: RecorderStatus, _ second: RecorderStatus) -> Bool {
    first.state == second.state && first.problem == second.problem
      && first.sensors.map(\.address) == second.sensors.map(\.address)
      && first.sensors.map(\.state) == second.sensors.map(\.state)
      && first.sensors.map(\.session) == second.sensors.map(\.session)
      && first.sensors.map(\.problem) == second.sensors.map(\.problem)
  }
}
