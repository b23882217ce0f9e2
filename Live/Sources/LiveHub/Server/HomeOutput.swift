import CMosquitto
import Glibc
import NIOCore
import Synchronization

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

/// The address of an MQTT broker, and the user for it.
package struct BrokerPlace: Sendable {
  /// A name or an IP address.
  var host: String
  var port: Int
  /// Nil where the broker asks for no user.
  var user: String?
  var password: String?

  package init(host: String, port: Int, user: String? = nil, password: String? = nil) {
    self.host = host
    self.port = port
    self.user = user
    self.password = password
  }
}

/// libmosquitto's client of one broker: each attempt to be connected has a thread, which sleeps while nothing is sent and ends with the connection.
/// The library lets other threads publish meanwhile.
@safe final class BrokerClient: Sendable {
  /// An event of the client, from its thread.
  enum Call: Sendable {
    /// The broker accepts the client; subscriptions have to be made again.
    case connected
    /// The attempt is over; the reason, for a person.
    case ended(String)
    /// Somebody published this.
    case message(topic: String, text: String)
  }

  /// Seconds; the broker drops a client that is silent for one and a half times as long.
  private static let keepAlive: Int32 = 5
  /// The longest sleep of the thread, in milliseconds: it has to send something in time.
  private static let longestSleep: Int32 = 2500

  // SAFETY: set once; libmosquitto locks what its threads share.
  private nonisolated(unsafe) let handle: OpaquePointer
  private let place: BrokerPlace
  private let tell: @Sendable (Call) -> Void
  /// The broker's answer to the last attempt, 0 where it accepted.
  private let answer = Mutex<Int32>(0)

  /// Nil where there is no memory. `will` is the message that the broker publishes, and retains, when a hub is gone without a word.
  init?(_ place: BrokerPlace, will: (topic: String, text: String), tell: @escaping @Sendable (Call) -> Void) {
    mosquitto_lib_init()
    guard let handle = unsafe mosquitto_new(nil, true, nil) else { return nil }
    unsafe self.handle = handle
    self.place = place
    self.tell = tell
    unsafe mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    unsafe mosquitto_threaded_set(handle, true)
    let bytes = Array(will.text.utf8)
    unsafe mosquitto_will_set(handle, will.topic, Int32(bytes.count), bytes, 1, true)
    if let user = place.user { unsafe mosquitto_username_pw_set(handle, user, place.password) }
    unsafe mosquitto_connect_callback_set(handle) { _, client, code in
      guard let client = unsafe BrokerClient.of(client) else { return }
      client.answer.withLock { $0 = code }
      if code == 0 { client.tell(.connected) }
    }
    unsafe mosquitto_message_callback_set(handle) { _, client, message in
      guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
      let bytes = unsafe UnsafeRawBufferPointer(start: message.payload, count: Int(max(0, message.payloadlen)))
      let text = unsafe String(decoding: bytes, as: UTF8.self)
      unsafe BrokerClient.of(client)?.tell(.message(topic: String(cString: topic), text: text))
    }
  }

  deinit { unsafe mosquitto_destroy(handle) }

  private static func of(_ pointer: UnsafeMutableRawPointer?) -> BrokerClient? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe Unmanaged<BrokerClient>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Begins an attempt, which ends with ``Call/ended(_:)``; only one at a time.
  func attempt() {
    var thread: pthread_t = 0
    let client = unsafe Unmanaged.passRetained(self)
    let code = unsafe pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer = unsafe pointer else { return nil }
        unsafe Unmanaged<BrokerClient>.fromOpaque(pointer).takeRetainedValue().live()
        return nil
      }, client.toOpaque())
    if code == 0 {
      pthread_detach(thread)
      return
    }
    unsafe client.release()
    tell(.ended(LiveFailure.reason(code)))
  }

  /// Connects, and returns when the connection has ended.
  private func live() {
    answer.withLock { $0 = 0 }
    var code = unsafe mosquitto_connect(handle, place.host, Int32(place.port), Self.keepAlive)
    while code == Int32(MOSQ_ERR_SUCCESS.rawValue) { code = unsafe mosquitto_loop(handle, Self.longestSleep, 1) }
    let number = errno
    let answer = answer.withLock { $0 }
    let reason =
      if answer != 0 {
        unsafe String(cString: mosquitto_connack_string(answer))
      } else if code == Int32(MOSQ_ERR_ERRNO.rawValue) {
        LiveFailure.reason(number)
      } else {
        unsafe String(cString: mosquitto_strerror(code))
      }
    tell(.ended(reason.hasSuffix(".") ? String(reason.dropLast()) : reason))
  }

  /// Publishes a message, which the broker retains if `isKept`. Without a connection nothing is sent.
  func publish(_ text: String, to topic: String, isKept: Bool) {
    let bytes = Array(text.utf8)
    unsafe mosquitto_publish(handle, nil, topic, Int32(bytes.count), bytes, isKept ? 1 : 0, isKept)
  }

  func subscribe(to topic: String) {
    unsafe mosquitto_subscribe(handle, nil, topic, 1)
  }

  /// Ends the connection behind the published messages.
  func disconnect() {
    unsafe mosquitto_disconnect(handle)
  }
}
