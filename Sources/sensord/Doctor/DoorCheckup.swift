import ClientInterfaces

internal import DBus
internal import Door

/// Whether other programs can ask the recorder. No reason why nothing is recorded, so never a failure.
enum DoorCheckup {
  static func finding(isRecording: Bool, on loop: EventLoop) async -> Finding {
    guard isRecording else { return Finding(title: "clients", result: .skipped("no recorder is running")) }
    do {
      guard let connection = try await GrantAccess.door(on: loop) else {
        return Finding(title: "clients", result: .skipped(closed))
      }
      await connection.close()
      return Finding(title: "clients", result: .passed("other programs can ask for \(ClientInterfaces.busName)"))
    } catch {
      return Finding(title: "clients", result: .skipped(closed))
    }
  }

  private static let closed =
    "closed to other programs; the recorder's log says why ([clients] bus in its configuration)"
}
