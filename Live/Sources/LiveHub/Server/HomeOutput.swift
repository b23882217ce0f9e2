import NIOCore

/// Shows the pulse to Home Assistant, and to others that listen to an MQTT broker. A broker that is gone or refuses is reported in one line,
/// and the output retries: after a second, then twice as long each time, at most a minute.
final class HomeOutput: Output {
  private static let firstPause: TimeAmount = .seconds(1)
  private static let longestPause: TimeAmount = .seconds(60)
  /// The time that the broker has for the last messages.
  private static let farewell: TimeAmount = .seconds(1)

  private let device: HomeDevice
  private let place: BrokerPlace
  private let loop: any EventLoop
  private let complain: (String) -> Void
  private var client: BrokerClient?
  private var shown = Shown(pulse: .none(.noRecorder), sequence: 0)
  private var isConnected = false
  private var complaint: String?
  private var pause = HomeOutput.firstPause
  private var retry: Scheduled<Void>?
  private var end: EventLoopPromise<Void>?

  init(_ device: HomeDevice, at place: BrokerPlace, on loop: any EventLoop, complain: @escaping (String) -> Void) {
    self.device = device
    self.place = place
    self.loop = loop
    self.complain = complain
  }

  /// Connects, and stays connected until it is closed.
  func start() {
    let output = NIOLoopBound(self, eventLoop: loop)
    client = BrokerClient(place, will: (device.availabilityTopic, "offline")) { [loop] call in
      loop.execute { output.value.hear(call) }
    }
    client?.attempt()
  }

  func show(_ shown: Shown) {
    let before = HomeDevice.availability(self.shown.pulse)
    self.shown = shown
    guard isConnected else { return }
    if HomeDevice.availability(shown.pulse) != before { sayAvailability() }
    sayState()
  }

  /// Publishes that there is no value from here on, and ends; does not wait for a broker that does not answer.
  func close() -> EventLoopFuture<Void> {
    let promise = end ?? loop.makePromise(of: Void.self)
    guard end == nil else { return promise.futureResult }
    end = promise
    retry?.cancel()
    shown.pulse = .none(.noRecorder)
    guard isConnected else {
      finish()
      return promise.futureResult
    }
    sayAvailability()
    client?.disconnect()
    let output = NIOLoopBound(self, eventLoop: loop)
    retry = loop.scheduleTask(in: Self.farewell) { output.value.finish() }
    return promise.futureResult
  }

  private func finish() {
    retry?.cancel()
    client = nil
    end?.succeed()
  }

  private func hear(_ call: BrokerClient.Call) {
    switch call {
    case .connected:
      isConnected = true
      complaint = nil
      pause = Self.firstPause
      client?.subscribe(to: HomeDevice.statusTopic)
      sayEverything()
    case .message(HomeDevice.statusTopic, HomeDevice.started): sayEverything()
    case .message: break
    case .ended(let reason): ended(reason)
    }
  }

  private func ended(_ reason: String) {
    isConnected = false
    guard end == nil else { return finish() }
    let line =
      "the MQTT broker at \(place.host):\(place.port) cannot be used: \(reason); trying again, or leave --mqtt out"
    // Once, for as long as the reason is the same.
    if line != complaint { complain(line) }
    complaint = line
    let output = NIOLoopBound(self, eventLoop: loop)
    retry = loop.scheduleTask(in: pause) { output.value.client?.attempt() }
    pause = min(pause * 2, Self.longestPause)
  }

  private func sayEverything() {
    client?.publish(device.configuration, to: device.configurationTopic, isKept: true)
    sayAvailability()
    sayState()
  }

  private func sayAvailability() {
    client?.publish(HomeDevice.availability(shown.pulse), to: device.availabilityTopic, isKept: true)
  }

  private func sayState() {
    guard let state = HomeDevice.state(shown.pulse) else { return }
    client?.publish(state, to: device.stateTopic, isKept: false)
  }
}
