import DBus
import Documents
import Door
import HealthModel
import Reports
import Support
import Testing

@testable import sensord

@Suite("The bus for other programs")
struct DoorPlaceTests {
  private static let service = ProcessEnvironment(["STATE_DIRECTORY": "/var/lib/sensord"])
  private static let session = ProcessEnvironment(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus"])
  private static let none = FileLookup(presence: { _ in .absent })

  private func place(
    _ choice: ClientsBus, _ environment: ProcessEnvironment, bluetooth: BusAddress = .system,
    files: FileLookup = none, uid: UInt32 = 1000
  ) -> DoorPlace? {
    DoorPlace(choice, bluetooth: bluetooth, environment: environment, files: files, uid: uid, group: 100)
  }

  @Test("the service is on the system bus, and owned by its user and its group too")
  func service() {
    let place = place(.auto, Self.service)
    #expect(place?.bus == .system)
    #expect(place?.owners == Owners(uid: 1000, group: 100))
  }

  @Test("a person's recorder is on the session bus where there is one, and theirs alone")
  func person() {
    #expect(place(.auto, Self.session)?.bus == .session)
    #expect(place(.auto, Self.session)?.owners == Owners(uid: 1000))
    let runtime = ProcessEnvironment(["XDG_RUNTIME_DIR": "/run/user/1000"])
    let socket = FileLookup(presence: { $0 == "/run/user/1000/bus" ? .present : .absent })
    #expect(place(.auto, runtime, files: socket)?.bus == .session)
    #expect(place(.auto, runtime) == nil)
    #expect(place(.auto, ProcessEnvironment([:])) == nil)
  }

  @Test("root's is on the system bus; a recorder on a bus of its own keeps its door shut unless it is told otherwise")
  func others() {
    #expect(place(.auto, ProcessEnvironment([:]), uid: 0)?.bus == .system)
    #expect(place(.auto, Self.session, bluetooth: .address("unix:path=/tmp/bus")) == nil)
    #expect(place(.session, Self.session, bluetooth: .address("unix:path=/tmp/bus"))?.bus == .session)
    #expect(place(.system, Self.session)?.bus == .system)
    #expect(place(.off, Self.service) == nil)
  }

  @Test("programs are named with the number of their user")
  func names() {
    #expect(
      ClientArgument.client("org.example.Game@1000") == ClientIdentity(uid: 1000, application: "org.example.Game"))
    #expect(ClientArgument.client("unnamed@0").map(ClientArgument.text) == "unnamed@0")
    for text in ["", "org.example.Game", "@1000", "a@", "a@x", "a@-1", "a@+1", "a@1@2", "a@4294967296"] {
      #expect(ClientArgument.client(text) == nil, "\(text)")
    }
  }

  @Test("the list of grants fits the terminal, and names of programs cannot break it")
  func list() {
    let client = ClientIdentity(uid: 1000, application: "org.example.\u{1B}[2J" + String(repeating: "x", count: 90))
    let entries = [
      GrantEntry(client: client, type: "heartRate", permission: .read, decision: nil, decided: nil),
      GrantEntry(
        client: client, type: "heartRateVariabilitySDNN", permission: .share, decision: .allowed,
        decided: Timestamp(microseconds: 0)),
      GrantEntry(
        client: client, type: "height", permission: .share, decision: .denied, decided: nil, isConfigured: true),
    ]
    let text = GrantsListCommand.table(entries, columns: 80)
    #expect(text.split(separator: "\n").allSatisfy { PrintableText.width(of: String($0)) <= 80 })
    #expect(!text.contains("\u{1B}") && text.contains("asks") && text.contains("configuration"))
    #expect(
      entries[1].json.text
        .hasSuffix(
          #""permission":"share","decision":"allowed","decided":"1970-01-01T00:00:00.000Z","configured":false}"#))
  }
}
