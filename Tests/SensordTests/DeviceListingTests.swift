import HealthModel
import Reports
import SeriesStore
import TestSupport
import Testing

@testable import sensord

@Suite("Devices")
struct DeviceListingTests {
  private let sensors = [
    AllowedSensor(address: "C0:FF:EE:00:00:01", name: "H10", added: Timestamp(microseconds: 0)),
    AllowedSensor(address: "C0:FF:EE:00:00:02", name: "H10", added: Timestamp(microseconds: 0)),
    AllowedSensor(address: "C0:FF:EE:00:00:03", name: "Band", added: Timestamp(microseconds: 0)),
  ]

  @Test("a sensor is found by its address in either case, and by a name that is its alone")
  func finding() throws {
    #expect(try DeviceListing.sensor("c0:ff:ee:00:00:02", in: sensors) == sensors[1])
    #expect(try DeviceListing.sensor("Band", in: sensors) == sensors[2])
  }

  @Test("two sensors of one name are two, and neither is guessed")
  func ambiguous() {
    let failure = #expect(throws: CommandFailure.self) { try DeviceListing.sensor("H10", in: sensors) }
    #expect(failure?.status == .usage)
  }

  @Test("an unknown sensor ends with 66")
  func unknown() {
    let failure = #expect(throws: CommandFailure.self) { try DeviceListing.sensor("H9", in: sensors) }
    #expect(failure?.status == .noInput)
  }

  @Test("a name is kept without blanks around it")
  func names() throws {
    #expect(try SensorName.checked("  Polar H10 ") == "Polar H10")
  }

  @Test(
    "a name that is empty, too long, or unsafe to show is refused",
    arguments: [
      "", "   ", "a\nb", "\u{1B}[2J", "\u{202E}x", String(repeating: "x", count: 249),
    ])
  func refusedNames(name: String) {
    #expect(throws: CommandFailure.self) { try SensorName.checked(name) }
  }

  @Test("a sensor goes on under another address with its name; an unknown one, or its own place, is refused")
  func replaced() throws {
    let folder = TemporaryFolder()
    let sensord = BuiltProgram(in: folder)
    let (old, new) = ("C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02")
    _ = try sensord.run("devices", "add", old, "--name", "Strap", "--store", folder.store)
    let replaced = try sensord.run("devices", "replace", "Strap", new.lowercased(), "--store", folder.store)
    #expect(replaced.output == "Strap (\(new)) goes on where \(old) ended.\n", "\(replaced.errors)")
    let listed = try sensord.run("devices", "--json", "--store", folder.store).output
    #expect(listed.contains(new) && listed.contains(#""name":"Strap""#) && !listed.contains(old))
    #expect(try sensord.run("devices", "replace", "Strap", new, "--store", folder.store).status == 64)
    let unknown = try sensord.run("devices", "replace", "C0:FF:EE:00:00:03", new, "--store", folder.store)
    #expect(unknown.status == 66 && unknown.errorLines.count == 1, "\(unknown.errors)")
  }
}
