import BlueZ
import FoundationEssentials
import GATTHeartRate
import Timeline

/// The sensors that may be recorded: what BlueZ reports of them, translated for the two values that decide: the plan of
/// connections, and each sensor's recording.
///
/// Pure: it knows no clock, no file and no bus. Each input returns what follows; the ``Recorder`` does that, in this order.
struct Sensors {
  /// Something that follows from an input.
  enum Effect: Hashable {
    /// BlueZ is asked for this.
    case command(ConnectionPlan.Command)
    /// A link that is nobody's any more is closed.
    case close(DeviceAddress, on: AdapterPath)
    /// This happened to a sensor, now.
    case event(SensorEvent.Kind, of: SensorAddress)
    case line(LogLine)
    /// bluetoothd died right after a call.
    case blame(FatalCalls.Verdict)
    /// Sensors that are not in the list are forgotten where nothing is left of them: after the events before this.
    case forgetUnlisted
  }

  var plan: ConnectionPlan
  var recordings = SensorRecordings()
  var namesakes = Namesakes()
  /// While values that waited during a stall are read.
  var stall: Stall?
  /// The wall clock's lead over the boot clock that the open sessions know, in microseconds.
  var wallMinusBoot: Int64
  private let boot: BootIdentifier
  let settings: RecorderSettings

  init(_ settings: RecorderSettings, boot: BootIdentifier, wallMinusBoot: Int64, seed: UInt64) {
    self.settings = settings
    self.boot = boot
    self.wallMinusBoot = wallMinusBoot
    plan = ConnectionPlan(seed: seed)
  }

  /// Returns the number of an adapter; nil if the settings leave it out: no sensor is looked for there, and no link
  /// used.
  func index(of path: AdapterPath) -> AdapterIndex? {
    if let adapters = settings.adapters, !adapters.contains(path.name) { return nil }
    return AdapterIndex(name: path.name)
  }

  /// The boot and the clock that hold now.
  func present(at now: BootInstant) -> [SensorEvent] {
    [SensorEvent(.boot(boot), at: now), SensorEvent(.clock(wallMinusBootMicroseconds: wallMinusBoot), at: now)]
  }

  /// A value of a sensor has arrived.
  ///
  /// - Returns: The event of a stall that its session gets before the value, and when that was over; nil without one.
  mutating func valueReceived(
    from address: SensorAddress, at instant: BootInstant
  ) -> (event: SensorEvent.Kind, at: BootInstant)? {
    plan.valueReceived(from: address, at: instant)
    guard stall != nil, let event = stall?.valueRead(of: address, at: instant) else { return nil }
    return isRecording(address) ? stall.map { (event, $0.until) } : nil
  }

  /// A time in which the recorder did not run is over; what waited meanwhile is read now.
  mutating func beginStall(since: BootInstant, until: BootInstant) {
    stall = Stall(since: since, until: until, sensors: recordings.addresses)
  }

  /// Everything that waited with a time of its own was read: the event of the stall for each session without it.
  mutating func stallEnds() -> [Effect] {
    let pending = recordings.addresses.compactMap { address in stall?.event(for: address).map { (address, $0) } }
    let events = pending.filter { isRecording($0.0) }.map { Effect.event($0.1, of: $0.0) }
    return events + (stall.map { [.line($0.line)] } ?? [])
  }

  private func isRecording(_ address: SensorAddress) -> Bool {
    recordings.index(of: address).map { recordings[$0].session != nil } ?? false
  }

  /// The time is `now`.
  mutating func timeReached(_ now: BootInstant) -> [Effect] {
    guard let deadline = plan.deadline, deadline <= now else { return [] }
    return effects(of: plan.timeReached(now))
  }

  /// Whether another recorder, which goes first, is there.
  mutating func otherRecorder(isThere: Bool, at now: BootInstant) -> [Effect] {
    guard plan.givesPrecedence != isThere else { return [] }
    let text = isThere ? "another recorder is there; what it wants is its own" : "the other recorder has gone"
    return [.line(LogLine(.notice, text))] + effects(of: plan.otherRecorder(isThere: isThere, at: now))
  }

  /// bluetoothd or the bus is gone, and with it every link.
  mutating func serviceGone(_ reason: DisconnectReason, isDeath: Bool, at now: BootInstant) -> [Effect] {
    var effects: [Effect] = []
    for index in recordings.indices { add(recordings[index].serviceGone(reason.description), of: index, &effects) }
    add(plan.serviceLost(isDeath: isDeath, at: now), &effects)
    return effects + [.forgetUnlisted]
  }

  /// The list of sensors is another one; those that are not in it any more were removed before. `devices` are those that BlueZ
  /// knows already.
  mutating func allow(_ list: AllowList, known devices: [Device], at now: BootInstant) -> [Effect] {
    for address in list.addresses {
      let index = recordings.index(of: address) ?? insertRecording(address, name: nil, at: now)
      recordings[index].name = list.name(of: address) ?? recordings[index].name
      recordings[index].isUnlisted = false
    }
    var effects = effects(of: plan.allow(list, at: now))
    for device in devices {
      deviceChanged(device, at: now, &effects)
      guard device.hasLink, let (address, adapter, _) = place(device) else { continue }
      add(plan.linkUp(address, on: adapter, at: now), &effects)
      if device.servicesResolved { add(plan.servicesResolved(address, on: adapter, at: now), &effects) }
    }
    return effects
  }

  mutating func insertRecording(_ address: SensorAddress, name: String?, at now: BootInstant) -> Int {
    let limits = SessionLimits(
      awayMicroseconds: settings.awayLimit.microseconds, offSkinMicroseconds: settings.offSkinLimit.microseconds,
      lengthMicroseconds: settings.maximumLength.microseconds)
    var recording = SensorRecording(
      address: address, name: name, limits: limits, boot: boot, wallMinusBoot: wallMinusBoot, at: now)
    recording.eventRules = settings.eventRules
    return recordings.insert(recording)
  }

  /// Forgets sensors that are not in the list once they are gone and their sessions have ended.
  mutating func forgetUnlisted() {
    let plan = plan
    recordings.removeUnlisted { plan.standing(of: $0) != nil }
  }

  /// The sensors' states that are not published yet, which they are now. `wall` is the wall clock's time.
  mutating func newStates(at now: BootInstant, wall: Int64) -> [RecorderEvent] {
    recordings.indices.filter { recordings[$0].hasNewState }.map { index in
      recordings[index].publishState(at: now)
      let recording = recordings[index]
      return RecorderEvent(.state(recording.state), of: recording.address, session: recording.session?.id, at: wall)
    }
  }

  /// The statuses of the sensors. `offset` is the wall clock's lead over the boot clock, in microseconds.
  func statuses(wallMinusBoot offset: Int64, at now: BootInstant) -> [SensorStatus] {
    recordings.indices.map { index in
      let address = recordings[index].address
      var status = recordings[index].status(wallMinusBoot: offset, nextTry: plan.standing(of: address)?.nextTry)
      status.namesake = namesake(of: index, at: now)
      return status
    }
  }

  /// The near sensor with the name of a listed one that is away.
  func namesake(of index: Int, at now: BootInstant) -> SensorAddress? {
    guard !namesakes.isEmpty, recordings[index].isAway(at: now), plan.allowed.contains(recordings[index].address)
    else { return nil }
    let names = [recordings[index].name, recordings[index].ownName].compactMap { $0 }
    return namesakes.namesake(of: names, at: now)
  }
}

// From decisions to effects.
extension Sensors {
  mutating func effects(of commands: [ConnectionPlan.Command]) -> [Effect] {
    var effects: [Effect] = []
    add(commands, &effects)
    return effects
  }

  /// Adds the plan's commands, then what they mean for recordings and the log.
  mutating func add(_ commands: [ConnectionPlan.Command], _ effects: inout [Effect]) {
    effects += commands.map { .command($0) }
    for command in commands {
      switch command {
      case .connect(let address, _):
        // A Connect in place of a discovery waits for as long as the sensor is away.
        let isWaiting = plan.standing(of: address)?.state == .searching
        if let index = recordings.index(of: address) { recordings[index].connecting(!isWaiting) }
      case .follow(let address, let adapter):
        // The plan may turn to a link over another adapter that has been up for long: nothing else reports it.
        if let index = recordings.index(of: address) { linkUp(index, over: adapter, &effects) }
      case .unresolved(let address, _):
        let text = "no values: bluetoothd does not tell its services; forget it with: bluetoothctl remove \(address)"
        valuesMissing(because: text, of: address, &effects)
      case .refuse(let address, let adapter, let recorded):
        let text =
          "\(address): a second link over \(adapter) is not recorded, it is recorded over \(recorded); "
          + "two devices with one address are a copy or a mistake"
        effects.append(.line(LogLine(.warning, text)))
      case .blame(let verdict):
        effects.append(.blame(verdict))
        if case .connect(let address) = verdict.call, verdict.isGivenUp {
          valuesMissing(because: RecorderCondition.text(of: verdict), of: address, &effects)
        }
      case .startDiscovery, .stopDiscovery, .disconnect, .unfollow, .resubscribe: break
      }
    }
  }

  /// Adds a change of a sensor's link.
  func add(_ change: SensorRecording.LinkChange?, of index: Int, _ effects: inout [Effect]) {
    guard let change else { return }
    if let line = change.line { effects.append(.line(line)) }
    effects += change.events.map { .event($0, of: recordings[index].address) }
  }

  /// A link that is recorded from now on, unless another one of the same sensor is.
  mutating func linkUp(_ index: Int, over adapter: AdapterIndex, _ effects: inout [Effect]) {
    add(recordings[index].linkUp(over: adapter), of: index, &effects)
  }

  /// Why no values come, in the status until they do, and once in the log.
  mutating func valuesMissing(because problem: String, of address: SensorAddress, _ effects: inout [Effect]) {
    guard let index = recordings.index(of: address),
      let line = recordings[index].valuesMissing(because: problem)
    else { return }
    effects.append(.line(line))
  }
}

extension Duration {
  /// Whole microseconds, saturating.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? .max : whole + attoseconds / 1_000_000_000_000
  }
}
