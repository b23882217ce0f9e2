import Glibc
import HealthModel
import Reports
import TestSupport
import Testing

@testable import sensord

@Suite("ZoneChoice")
struct ZoneChoiceTests {
  private let folder = TemporaryFolder()

  /// The name of what is chosen, and its offset in winter and in summer in hours.
  private func choice(_ variables: [String: String], localTime: String) throws -> String {
    let rules = try ZoneChoice.rules(named: nil, environment: ProcessEnvironment(variables), localTime: localTime)
    let hours = ["2024-01-01T00:00Z", "2024-07-01T00:00Z"].map { text in
      Timestamp(iso8601: text).map { Double(rules.offset(at: $0)) / 3600 } ?? .nan
    }
    return "\(rules.name) \(hours[0]) \(hours[1])"
  }

  @Test("a machine's zone is what its file says, be it a link into the database or a copy; without a file it is UTC")
  func localTime() throws {
    let copy = folder.path + "/copy"
    let file = try ReplacedFile(path: copy)
    try file.write(try FileAccess.read("/usr/share/zoneinfo/Asia/Tokyo"))
    try file.finish()
    #expect(try choice([:], localTime: copy) == "local time 9.0 9.0")
    let link = folder.path + "/link"
    #expect(unsafe symlink("/usr/share/zoneinfo/Europe/Berlin", link) == 0)
    #expect(try choice([:], localTime: link) == "Europe/Berlin 1.0 2.0")
    #expect(try choice(["TZ": "America/New_York"], localTime: copy) == "America/New_York -5.0 -4.0")
    #expect(try choice([:], localTime: folder.path + "/none") == "UTC 0.0 0.0")
  }

  @Test(
    "TZ is read as the C library reads it",
    arguments: [
      ("Europe/Berlin", "Europe/Berlin 1.0 2.0"), (":Europe/Berlin", "Europe/Berlin 1.0 2.0"), ("", "UTC 0.0 0.0"),
      (":", "UTC 0.0 0.0"), ("UTC", "UTC 0.0 0.0"),
      ("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3 1.0 2.0"),
      ("CET-1CEST", "CET-1CEST,M3.2.0,M11.1.0 1.0 2.0"), ("CET-1CEST-3", "CET-1CEST-3,M3.2.0,M11.1.0 1.0 3.0"),
      ("<+0330>-3:30", "<+0330>-3:30 3.5 3.5"),
      ("/usr/share/zoneinfo/Asia/Tokyo", "/usr/share/zoneinfo/Asia/Tokyo 9.0 9.0"),
    ])
  func setting(value: String, expected: String) throws {
    #expect(try choice(["TZ": value], localTime: "/usr/share/zoneinfo/Asia/Kolkata") == expected)
  }

  @Test(
    "a TZ that is none is named, with what it may be", arguments: ["Middle/Earth", "/etc/passwd", "/none", "C-1,x"])
  func noSetting(value: String) throws {
    do {
      _ = try choice(["TZ": value], localTime: "/none")
      Issue.record("\(value) is a zone")
    } catch let failure as CommandFailure {
      #expect(failure.status == .usage && failure.message.contains("TZ is '\(value)'"), "\(failure.message)")
    }
  }

  @Test("an option that names no zone is an error, and a time that names its own needs none")
  func options() throws {
    #expect(throws: TimeZoneError.unknownZone("")) {
      try ZoneChoice.rules(named: "", environment: ProcessEnvironment(["TZ": "UTC"]))
    }
    func unavailable() throws -> TimeZoneRules { throw TimeZoneError.unknownZone("x") }
    let moment = try MomentText.moment("2024-05-05T14:55:00+02:00", in: unavailable(), option: "--from")
    #expect(moment == Timestamp(iso8601: "2024-05-05T12:55:00Z"))
  }
}
