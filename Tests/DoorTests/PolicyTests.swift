import RecorderBus
import DBus
import Foundation
import TestSupport
import Testing

/// The policy that is installed, on a bus that allows nothing else. Only its users and groups are replaced: the machine of a test
/// has no user `sensord`. The lab asks the same with users of their own.
@Suite("The policy of the system bus")
struct PolicyTests {
  /// A bus on which the user of the test is the recorder's, and an owner or not.
  private final class Stage: Sendable {
    let bus: PrivateBus
    let loop: EventLoop
    let service: Connection
    let client: Connection

    init(isOwner: Bool) async throws {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      var policy = try String(contentsOf: root.appendingPathComponent("systemd/dbus-1/sensord.conf"), encoding: .utf8)
      let (nobody, nogroup) = ("user=\"4000000000\"", "group=\"4000000000\"")
      policy = policy.replacingOccurrences(of: "user=\"root\"", with: nobody)
        .replacingOccurrences(of: "user=\"sensord\"", with: "user=\"\(getuid())\"")
        .replacingOccurrences(of: "group=\"sensord\"", with: isOwner ? "group=\"\(getgid())\"" : nogroup)
      let begin = try #require(policy.range(of: "<busconfig>")?.upperBound)
      let end = try #require(policy.range(of: "</busconfig>")?.lowerBound)
      bus = try PrivateBus(systemPolicies: String(policy[begin..<end]))
      loop = try EventLoop.startThread(named: "policy")
      service = try await Connection.open(.address(bus.address), on: loop)
      client = try await Connection.open(.address(bus.address), on: loop)
      #expect(try await service.requestName(ClientInterfaces.busName))
      await service.export(.root, subtree: true) { _ in .success }
    }

    deinit {
      loop.stop()
    }

    /// Whether the bus lets a call through to the recorder.
    func passes(_ interface: String?, _ member: String = "Method", from caller: Connection? = nil) async -> Bool {
      let call = Message.call("org.sensord", path: "/org/sensord", interface: interface, member: member)
      do {
        _ = try await (caller ?? client).call(call)
        return true
      } catch {
        #expect(error.isAccessDenied && error.isFromBus)
        return false
      }
    }

    /// The interfaces of the signals that reach the client when all are sent to it.
    func received() async throws -> Set<String> {
      let (signals, arrive) = AsyncStream.makeStream(of: String.self)
      _ = await client.observeSignals { arrive.yield($0.interface ?? "") }
      let name = await client.uniqueName
      try await client.addMatch(MatchRule(sender: "org.sensord"))
      for interface in ClientInterfaces.all + [Interface("test.End", signals: [.init("End")])] {
        for signal in interface.signals {
          for destination in [name, nil] {
            try await service.send(
              .signal(path: "/org/sensord", interface: interface.name, member: signal.name, to: destination))
          }
        }
      }
      var seen: Set<String> = []
      for await interface in signals {
        if interface == "test.End" { break }
        if interface.hasPrefix("org.sensord") { seen.insert(interface) }
      }
      return seen
    }
  }

  @Test("everybody may call every interface but that of the grants, and nobody may call without an interface")
  func calls() async throws {
    for isOwner in [false, true] {
      let stage = try await Stage(isOwner: isOwner)
      for interface in ClientInterfaces.all.map(\.name) {
        #expect(await stage.passes(interface) == (isOwner || interface != ClientInterfaces.grants.name), "\(interface)")
      }
      for (interface, member) in [("Introspectable", "Introspect"), ("Properties", "GetAll"), ("Peer", "Ping")] {
        #expect(await stage.passes("org.freedesktop.DBus.\(interface)", member))
      }
      #expect(await !stage.passes(nil))
      #expect(await !stage.passes(nil, "List"))
      #expect(await !stage.passes("org.example.Other"))
    }
  }

  @Test("what owners are told of requests reaches nobody else, be it sent to one or to all")
  func signals() async throws {
    let all = Set(ClientInterfaces.all.filter { !$0.signals.isEmpty }.map(\.name))
    let foreign = try await Stage(isOwner: false)
    #expect(try await foreign.received() == all.subtracting([ClientInterfaces.grants.name]))
    let owner = try await Stage(isOwner: true)
    #expect(try await owner.received() == all)
  }

  @Test("the recorder may ask its subscribers whether they read, and nothing else")
  func pings() async throws {
    let stage = try await Stage(isOwner: false)
    await stage.client.export("/org/sensord") { _ in .success }
    func isRefused(_ interface: String, _ member: String) async -> Bool {
      let name = await stage.client.uniqueName
      do {
        _ = try await stage.service.call(.call(name, path: "/org/sensord", interface: interface, member: member))
        return false
      } catch {
        return error.isAccessDenied
      }
    }
    #expect(await !isRefused("org.freedesktop.DBus.Peer", "Ping"))
    #expect(await isRefused("org.freedesktop.DBus.Peer", "GetMachineId"))
    #expect(await isRefused("org.example.Other", "Ping"))
  }

  @Test("only the recorder's users may own the name, and each of them may ask its subscribers")
  func owners() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let policy = try String(contentsOf: root.appendingPathComponent("systemd/dbus-1/sensord.conf"), encoding: .utf8)
    let parts = policy.components(separatedBy: "<policy ").dropFirst()
    let owning = parts.filter { $0.contains("own=") }
    #expect(owning.compactMap { $0.components(separatedBy: ">").first } == [#"user="root""#, #"user="sensord""#])
    #expect(owning.allSatisfy { $0.contains(#"send_member="Ping""#) })
  }
}
