internal import LiveForms
internal import LivePulse
internal import NIOCore

/// Something that shows the pulse somewhere: one file each. Confined to the hub's loop.
protocol Output: AnyObject {
  /// Something else is to be shown. Without a value, the output goes to its own form of "none" at once.
  func show(_ shown: Shown)
}

/// Avatar parameters over UDP.
final class OSCOutput: Output {
  /// How long a beat is said to last.
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

/// Keeps what Prometheus reads.
final class MetricsOutput: Output {
  private var metrics = Metrics()

  func show(_ shown: Shown) {
    metrics.show(shown.pulse)
  }

  var text: String { metrics.text }
}
