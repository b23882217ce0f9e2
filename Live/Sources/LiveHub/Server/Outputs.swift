import NIOCore

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
