import NIOCore

/// The pulse that is shown, and the outputs that show it. Confined to its loop.
final class Hub {
  let loop: any EventLoop
  private var watch: PulseWatch
  private var outputs: [ObjectIdentifier: any Output] = [:]
  private var due: Scheduled<Void>?
  private(set) var shown = Shown(pulse: .none(.noRecorder), sequence: 0)
  private let start = NIODeadline.now()

  /// Shows one sensor only where `sensor` is its address.
  init(on loop: any EventLoop, showing sensor: String? = nil) {
    loop.preconditionInEventLoop()
    self.loop = loop
    watch = PulseWatch(showing: sensor)
  }

  /// The time since the hub's start.
  var now: Duration { .nanoseconds((NIODeadline.now() - start).nanoseconds) }

  /// Handles an event of the recorder.
  func handle(_ event: RecorderEvent) {
    show(watch.handle(event, at: now))
    schedule()
  }

  /// Adds an output, which receives the present pulse at once.
  func attach(_ output: any Output) {
    outputs[ObjectIdentifier(output)] = output
    output.show(shown)
  }

  func detach(_ output: any Output) {
    outputs[ObjectIdentifier(output)] = nil
  }

  /// Ends every stream that a key had opened.
  func endReaders(with key: Key) {
    for case let reader as Reader in outputs.values where reader.key == key { reader.end() }
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
