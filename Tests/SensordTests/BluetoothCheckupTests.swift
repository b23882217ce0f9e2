import DBus
import Reports
import TestSupport
import Testing

@testable import sensord

/// The doctor's way to the radio, on a real bus with a made-up bluetoothd.
@Suite("BluetoothCheckup")
struct BluetoothCheckupTests {
  /// How a made-up bluetoothd answers GetManagedObjects.
  enum Service: Sendable, Hashable {
    case absent
    case answers(Reply)
  }

  /// `unit`: what a made-up systemd says of bluetooth.service; nil is a bus without one.
  private func findings(_ service: Service, unit: Reply? = nil) throws -> [Finding] {
    let bus = try PrivateBus()
    let address = BusAddress(bus.address)
    let servant = try EventLoop.startThread(named: "bluez")
    defer { servant.stop() }
    return try CommandLoop.run(on: EventLoop()) { loop in
      let bluez = try await Connection.open(address, on: servant)
      if case .answers(let reply) = service {
        await bluez.export("/") { _ in reply }
        #expect(try await bluez.requestName("org.bluez"))
      }
      if let unit {
        await bluez.export("/org/freedesktop/systemd1") { _ in unit }
        #expect(try await bluez.requestName("org.freedesktop.systemd1"))
      }
      let findings = await BluetoothCheckup.findings(bus: address, on: loop)
      await bluez.close()
      return findings
    }
  }

  /// GetManagedObjects with these adapters.
  private func objects(_ adapters: [(name: String, isPowered: Bool)]) throws -> Service {
    let entries = try adapters.map { adapter in
      let properties = Value.properties(["Powered": .boolean(adapter.isPowered)])
      let interfaces = try DictionaryValue(
        key: "s", value: "a{sv}", entries: [.init(key: .string("org.bluez.Adapter1"), value: properties)])
      let path = try #require(ObjectPath("/org/bluez/\(adapter.name)"))
      return DictionaryValue.Entry(key: .objectPath(path), value: .dictionary(interfaces))
    }
    return .answers(.values([.dictionary(try DictionaryValue(key: "o", value: "a{sa{sv}}", entries: entries))]))
  }

  private func marks(_ findings: [Finding]) -> String {
    findings.map { String($0.text.prefix(1)) }.joined()
  }

  @Test("an adapter that is on passes every step")
  func good() throws {
    let findings = try findings(try objects([("hci0", false), ("hci1", true)]))
    #expect(marks(findings) == "✓✓✓✓✓")
    #expect(findings[3].text.contains("hci0, hci1"))
    #expect(findings[4].text.contains("hci1 on"))
  }

  @Test("without a bus nothing else is looked at")
  func noBus() throws {
    let findings = try CommandLoop.run(on: EventLoop()) { loop in
      await BluetoothCheckup.findings(bus: .address("unix:path=/no/such/bus"), on: loop)
    }
    #expect(marks(findings) == "✗----")
    #expect(Finding.status(findings) == .unavailable)
  }

  @Test("without bluetoothd the remedy is to start it")
  func noService() throws {
    let findings = try findings(.absent)
    #expect(marks(findings) == "✓✗---")
    #expect(findings[1].text.contains("systemctl enable --now bluetooth"))
    #expect(Finding.status(findings) == .unavailable)
  }

  @Test(
    "what keeps bluetoothd from running decides on the remedy",
    arguments: [
      ("masked", "is masked", "→ sudo systemctl unmask bluetooth && sudo systemctl enable --now bluetooth\n"),
      ("masked-runtime", "until the next start", "→ sudo systemctl unmask --runtime bluetooth && "),
      ("disabled", "not running", "→ sudo systemctl enable --now bluetooth; where that fails: journalctl -u bluetooth"),
    ])
  func unitStates(state: String, cause: String, remedy: String) throws {
    let findings = try findings(.absent, unit: .values([.string(state)]))
    #expect(marks(findings) == "✓✗---")
    #expect(findings[1].text.contains(cause) && findings[1].text.contains(remedy), "\(findings[1].text)")
    #expect(!findings[1].text.contains("apt install"))
    #expect(Finding.status(findings) == .unavailable)
  }

  @Test("a unit that is not there is to be installed")
  func noUnit() throws {
    let missing = Reply.error(name: "org.freedesktop.DBus.Error.FileNotFound", message: "No such file or directory")
    #expect(try findings(.absent, unit: missing)[1].text.contains("sudo apt install bluez"))
  }

  @Test("a bus that refuses ends with 77 and names the group")
  func noPermission() throws {
    let refusal = Reply.error(name: "org.freedesktop.DBus.Error.AccessDenied", message: "Rejected send message")
    let findings = try findings(.answers(refusal))
    #expect(marks(findings) == "✓✓✗--")
    #expect(findings[2].text.contains("usermod -aG bluetooth"))
    #expect(Finding.status(findings) == .permission)
  }

  @Test("without an adapter the remedy is to plug one in")
  func noAdapter() throws {
    let findings = try findings(try objects([]))
    #expect(marks(findings) == "✓✓✓✗-")
    #expect(Finding.status(findings) == .unavailable)
  }

  @Test("an adapter that is off is told from one that is missing")
  func adapterOff() throws {
    let findings = try findings(try objects([("hci0", false)]))
    #expect(marks(findings) == "✓✓✓✓✗")
    #expect(findings[4].text.contains("bluetoothctl power on"))
  }

  @Test("an answer of another kind is a failure, not a crash", arguments: [[], [Value.string("?")]])
  func nonsense(values: [Value]) throws {
    let findings = try findings(.answers(.values(values)))
    #expect(marks(findings) == "✓✓✗--")
  }
}
