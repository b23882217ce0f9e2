import DBus
import Synchronization

/// A desktop's notifications, as far as `sensord agent` uses them.
final class NotificationService: Sendable {
  private static let name = "org.freedesktop.Notifications"
  private static let path: ObjectPath = "/org/freedesktop/Notifications"

  /// What was shown.
  struct Notification: Sendable {
    var number: UInt32
    var summary: String
    var body: String
    var actions: [String]
    var isClosed = false
  }

  private let connection: Connection
  private let state = Mutex<[Notification]>([])

  var all: [Notification] { state.withLock { $0 } }

  init(on bus: String, loop: EventLoop) async throws {
    connection = try await Connection.open(.address(bus), on: loop)
    await connection.export(Self.path) { [weak self] call in self?.answer(call) ?? .unknownMethod }
    _ = try await connection.requestName(Self.name)
  }

  /// The person presses a button.
  func press(_ action: String, of number: UInt32) async throws {
    try await emit("ActionInvoked", [.uint32(number), .string(action)])
  }

  /// The person puts it away.
  func dismiss(_ number: UInt32) async throws {
    try await emit("NotificationClosed", [.uint32(number), .uint32(2)])
  }

  private func emit(_ member: String, _ body: [Value]) async throws {
    try await connection.send(.signal(path: Self.path, interface: Self.name, member: member, body: body))
  }

  private func answer(_ call: Message) -> Reply {
    switch call.member {
    case "GetCapabilities": return .values([.strings(["body", "actions", "body-markup"])])
    case "Notify":
      let number = state.withLock { all in
        let number = UInt32(all.count + 1)
        all.append(
          Notification(
            number: number, summary: call.body[3].string ?? "", body: call.body[4].string ?? "",
            actions: call.body[5].strings ?? []))
        return number
      }
      return .values([.uint32(number)])
    case "CloseNotification":
      let number = call.body[0].uint32
      state.withLock { all in
        for index in all.indices where all[index].number == number { all[index].isClosed = true }
      }
      return .success
    default: return .unknownMethod
    }
  }
}
