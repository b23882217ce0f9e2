import CMosquitto
import Glibc
import Synchronization

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
