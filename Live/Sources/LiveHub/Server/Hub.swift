import NIOCore

/// The pulse that is shown, and the outputs that show it. Confined to its loop.
final class Hub {
  let loop: any EventLoop
  private var watch: PulseWatch
  private var outputs: [ObjectIdentifier: any Output] = [:]
  private var due: Scheduled<Void>?
  private(set) var shown = Shown(pulse: .none(.noRecorder), sequence: 0)
  /// Those that see all sensors.
  private var roomOutputs: [ObjectIdentifier: any Output] = [:]
  private var roomSequence: UInt64 = 0
  private(set) var room = Room()
  /// The command with which the owner lets the hub read; nil where that is decided.
  private(set) var undecided: String?
  private let start = NIODeadline.now()

  /// Shows one sensor only where `sensor` is its address.
  init(on loop: any EventLoop, showing sensor: String? = nil) {
    loop.preconditionInEventLoop()
    self.loop = loop
    showsAll = sensor == nil
    watch = PulseWatch(showing: sensor)
  }

  /// The time since the hub's start.
  var now: Duration { .nanoseconds((NIODeadline.now() - start).nanoseconds) }

  var hasRecorder: Bool { watch.hasRecorder }
  /// Whether no sensor was chosen.
  let showsAll: Bool

  /// Handles an event of the recorder.
  func handle(_ event: RecorderEvent) {
    let hadRecorder = watch.hasRecorder
    show(watch.handle(event, at: now))
    switch event {
    case .undecided(let command): undecided = command
    case .subscribed, .lost: if hadRecorder || watch.hasRecorder { showRoom(whole, of: nil) }
    case .changed, .measured: showNews()
    }
    schedule()
  }

  /// The pulse of a room of which no sensor is known.
  private var whole: Pulse { .none(watch.hasRecorder ? .linkLost : .noRecorder) }

  /// Adds an output, which receives the present pulse at once.
  func attach(_ output: any Output) {
    outputs[ObjectIdentifier(output)] = output
    output.show(shown)
  }

  /// Adds an output that shows all sensors. The output receives a pulse of no sensor, upon which it forgets those that it knew,
  /// and then that of each.
  func attachToRoom(_ output: any Output) {
    roomOutputs[ObjectIdentifier(output)] = output
    output.show(Shown(pulse: whole, sequence: roomSequence))
    for sensor in watch.addresses {
      if let pulse = watch.pulse(of: sensor) {
        output.show(Shown(pulse: pulse, sensor: sensor, sequence: roomSequence))
      }
    }
  }

  func detach(_ output: any Output) {
    outputs[ObjectIdentifier(output)] = nil
    roomOutputs[ObjectIdentifier(output)] = nil
  }

  /// The sensors that the recorder has named, each with its pulse.
  var members: [(sensor: String, pulse: Pulse)] {
    watch.addresses.compactMap { sensor in watch.pulse(of: sensor).map { (sensor, $0) } }
  }

  /// Has the curve of a sensor begin with its session, in milliseconds of 1970.
  func begin(_ sensor: String, at time: Int64) { room.begin(sensor, at: time) }

  private func showNews() {
    for sensor in watch.news {
      guard let pulse = watch.pulse(of: sensor) else { continue }
      if case .value(let reading) = pulse { room.add(reading) }
      showRoom(pulse, of: sensor)
    }
  }

  private func showRoom(_ pulse: Pulse, of sensor: String?) {
    guard !roomOutputs.isEmpty else { return }
    roomSequence += 1
    for output in roomOutputs.values { output.show(Shown(pulse: pulse, sensor: sensor, sequence: roomSequence)) }
  }

  /// Ends every stream that a key had opened.
  func endReaders(with key: Key) {
    for outputs in [outputs, roomOutputs] {
      for case let reader as Reader in outputs.values where reader.key == key { reader.end() }
    }
  }

  private func show(_ pulse: Pulse?) {
    guard let pulse else { return }
    shown = Shown(pulse: pulse, sequence: shown.sequence + 1)
    for output in outputs.values { output.show(shown) }
  }

  /// Has the watch look again when something is due. While beats come that moment moves on, and nothing wakes for it.
  private func schedule() {
    due?.cancel()
    due = nil
    guard let deadline = watch.deadline else { return }
    let hub = NIOLoopBound(self, eventLoop: loop)
    due = loop.scheduleTask(in: .nanoseconds((deadline - now).wholeNanoseconds)) {
      let hub = hub.value
      hub.show(hub.watch.passed(to: hub.now))
      hub.showNews()
      hub.schedule()
    }
  }
}

/// An output that shows the pulse somewhere. Confined to the hub's loop.
protocol Output: AnyObject {
  /// Shows another pulse. Without a value, the output shows its own form of "none" at once.
  func show(_ shown: Shown)
}

/// Avatar parameters over UDP.
final class OSCOutput: Output {
  /// The time for which the flag of a beat is true.
  private static let beat: TimeAmount = .milliseconds(100)

  private let channel: any Channel
  private let address: SocketAddress
  private var toggle = false

  init(_ channel: any Channel, to address: SocketAddress) {
    self.channel = channel
    self.address = address
  }

  func show(_ shown: Shown) {
    send(AvatarParameters.messages(shown.pulse))
    guard case .value(let reading) = shown.pulse, !reading.rrTicks.isEmpty else {
      return send([AvatarParameters.beat(false)])
    }
    if !reading.rrTicks.count.isMultiple(of: 2) { toggle.toggle() }
    send([AvatarParameters.toggle(toggle), AvatarParameters.beat(true)])
    let output = NIOLoopBound(self, eventLoop: channel.eventLoop)
    channel.eventLoop.scheduleTask(in: Self.beat) { output.value.send([AvatarParameters.beat(false)]) }
  }

  private func send(_ messages: [OSCMessage]) {
    for message in messages {
      channel.write(AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: message.bytes)), promise: nil)
    }
    // Nobody may be listening: that is no failure.
    channel.flush()
  }
}

/// Collects the metrics that Prometheus reads.
final class MetricsOutput: Output {
  private var metrics = Metrics()

  func show(_ shown: Shown) {
    metrics.show(shown.pulse)
  }

  var text: String { metrics.text }
}

extension Duration {
  /// Nanoseconds, rounded up, and never less than zero.
  fileprivate var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return max(0, seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000)
  }
}
