import DBus
import Synchronization
import TestSupport
import Testing

@testable import BlueZ

/// The agent on a real bus, asked by a made-up bluetoothd.
@Suite("PairingAgent")
struct PairingAgentTests {
  private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"

  /// What BlueZ gets for its call, `"ok"` with the values or the error's name.
  private func ask(
    _ member: String, about device: ObjectPath = Self.device, _ more: [Value] = [], isOwner: Bool = true,
    answer: PairingAnswer = .refused
  ) async throws -> (reply: String, steps: [PairingStep]) {
    let bus = try PrivateBus()
    let loop = try EventLoop.startThread(named: "agent")
    defer { loop.stop() }
    let bluez = try await Connection.open(.address(bus.address), on: loop)
    let ours = try await Connection.open(.address(bus.address), on: loop)
    let name = await bluez.uniqueName
    let steps = Mutex<[PairingStep]>([])
    let agent = PairingAgent(for: Self.device, of: isOwner ? name : ":1.99", on: ours) { step in
      steps.withLock { $0.append(step) }
      return answer
    }
    await agent.begin()
    let destination = await ours.uniqueName
    let reply: String
    do {
      let values = try await bluez.call(
        .call(
          destination, path: PairingAgent.path, interface: "org.bluez.Agent1", member: member,
          body: [.objectPath(device)] + more)
      ).body
      reply = (["ok"] + values.map { $0.uint32.map(String.init) ?? $0.string ?? "?" }).joined(separator: " ")
    } catch {
      reply = error.name ?? "\(error)"
    }
    await agent.end()
    await bluez.close()
    await ours.close()
    return (reply, steps.withLock { $0 })
  }

  @Test("questions about the asked device get the person's answers")
  func answers() async throws {
    let passkey = try await ask("RequestPasskey", answer: .passkey(123_456))
    #expect(passkey.reply == "ok 123456")
    #expect(passkey.steps == [.enterPasskey])
    #expect(try await ask("RequestPinCode", answer: .pinCode("0000")).reply == "ok 0000")
    let confirmation = try await ask("RequestConfirmation", [.uint32(7)], answer: .accepted)
    #expect(confirmation.reply == "ok")
    #expect(confirmation.steps == [.confirm(7)])
    #expect(try await ask("RequestConfirmation", [.uint32(7)]).reply == "org.bluez.Error.Rejected")
    #expect(try await ask("RequestPasskey").reply == "org.bluez.Error.Rejected")
    let shown = try await ask("DisplayPasskey", [.uint32(42), .uint16(0)])
    #expect(shown.reply == "ok")
    #expect(shown.steps == [.showPasskey(42)])
  }

  @Test("a pairing without a question needs nobody; a service is never authorized")
  func authorization() async throws {
    let authorization = try await ask("RequestAuthorization")
    #expect(authorization.reply == "ok")
    #expect(authorization.steps.isEmpty)
    #expect(try await ask("AuthorizeService", [.string("180d")], answer: .accepted).reply == "org.bluez.Error.Rejected")
  }

  @Test("another device is refused, and so is whoever is not bluetoothd: nobody is asked")
  func strangers() async throws {
    let other = try await ask(
      "RequestPasskey", about: "/org/bluez/hci0/dev_C0_FF_EE_00_00_02", answer: .passkey(1))
    #expect(other.reply == "org.bluez.Error.Rejected")
    #expect(other.steps.isEmpty)
    let authorization = try await ask("RequestAuthorization", about: "/org/bluez/hci0/dev_C0_FF_EE_00_00_02")
    #expect(authorization.reply == "org.bluez.Error.Rejected")
    let stranger = try await ask("RequestPasskey", isOwner: false, answer: .passkey(1))
    #expect(stranger.reply == "org.freedesktop.DBus.Error.AccessDenied")
    #expect(stranger.steps.isEmpty)
  }
}
