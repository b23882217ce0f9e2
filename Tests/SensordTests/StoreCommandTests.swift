import Documents
import Reports
import Support
import TestSupport
import Testing

@testable import sensord

/// What a person asks a store, with the built program.
@Suite("Stats, hrv, check and sql")
struct StoreCommandTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }

  init() throws {
    _ = try sensord.run("replay", TestPlaces.everyRecord, "--store", store)
  }

  private func stats(_ arguments: String..., changed: [String: String] = [:]) throws -> BuiltProgram.Outcome {
    try sensord.run(["stats"] + arguments + ["--store", store], changed: changed)
  }

  private func expectFailure(_ outcome: BuiltProgram.Outcome, _ status: Code, _ words: String) {
    #expect(outcome.status == status.rawValue, "\(outcome.errors)")
    #expect(outcome.output.isEmpty && outcome.errorLines.count == 1)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test("statistics of every bucket are printed as JSON, empty buckets too, with null where nothing applies")
  func statisticsJSON() throws {
    let outcome = try stats("heartRate", "--every", "1d", "--zone", "UTC", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.first == "[" && lines.last == "]" && lines.count == 3)
    #expect(lines[1].hasPrefix(#"{"start":""#) && lines[1].contains(#"T00:00:00.000Z","end":""#))
    #expect(lines[1].contains(#""count":2,"sum":null,"average":"#))
    #expect(lines[1].contains(#""policy":"ownDuration"}"#))
    let empty = try stats(
      "stepCount", "--every", "12h", "--zone", "Asia/Kolkata", "--from", "2024-05-05", "--to", "2024-05-06",
      "--json")
    #expect(
      empty.output.split(separator: "\n")[1] == """
        {"start":"2024-05-04T18:30:00.000Z","end":"2024-05-05T06:30:00.000Z","count":0,"sum":null,"average":null,\
        "minimum":null,"maximum":null,"mostRecent":null,"duration":null,"coverage":0,"sources":[],\
        "policy":"ownDuration"},
        """)
    #expect(empty.output.split(separator: "\n").count == 4)
  }

  @Test("the table has the unit, the zone and the policy above it, and fits 80 columns")
  func statisticsTable() throws {
    let outcome = try stats("heartRate", "--every", "15m", "--zone", "Europe/Berlin", "--by-source")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("heartRate in count/min, every 15m, Europe/Berlin, weighted by own time\n"))
    #expect(outcome.output.contains("Source") && outcome.output.contains("C0:FF:EE:00:00:01"))
    #expect(outcome.output.split(separator: "\n").allSatisfy { PrintableText.width(of: String($0)) <= 80 })
  }

  @Test("a day that the clocks make longer or shorter is one row, and times are read by the zone's clocks")
  func daylightSaving() throws {
    let outcome = try stats(
      "heartRate", "--every", "1d", "--zone", "Europe/Berlin", "--from", "2024-03-30", "--to",
      "2024-04-02T00:00", "--json")
    let starts = outcome.output.split(separator: "\n").dropFirst().dropLast().map { $0.prefix(36) }
    #expect(
      starts == [
        #"{"start":"2024-03-29T23:00:00.000Z","#, #"{"start":"2024-03-30T23:00:00.000Z","#,
        #"{"start":"2024-03-31T22:00:00.000Z","#,
      ])
  }

  @Test("the times of a part of a session are read by the machine's clocks, unless they name a zone")
  func variabilityTimes() throws {
    let listed = try sensord.run("sessions", "--store", store, "--json").output
    let start = try #require(listed.firstRange(of: #""start":""#)).upperBound
    let day = String(listed[start...].prefix(10))
    func part(_ from: String, _ to: String, zone: String) throws -> BuiltProgram.Outcome {
      try sensord.run(
        ["hrv", "last", "--json", "--from", from, "--to", to, "--store", store], changed: ["TZ": zone])
    }
    let whole = try sensord.run("hrv", "last", "--json", "--store", store)
    #expect(whole.status == 0 && whole.output.contains(#""refused":"60 s are needed, there are 2""#), "\(whole.errors)")
    #expect(try part("\(day)T00:00:00Z", "\(day)T23:59:59Z", zone: "Asia/Kolkata").output == whole.output)
    #expect(try part("\(day)T00:00", "\(day)T23:59:59", zone: "UTC").output == whole.output)
    expectFailure(try part(day, day + "T00:00:01", zone: "UTC"), .badData, "lies in that time")
    expectFailure(try part("noon", day, zone: "UTC"), .usage, "'noon' for --from is no time")
    expectFailure(try part(day, day, zone: "UTC"), .usage, "--from must be before --to")
    expectFailure(try part(day, day + "T01:00", zone: "Nowhere"), .usage, "Nowhere")
  }

  @Test("whatever shows local times refuses a TZ that is no zone, in the same words; JSON is in UTC and needs none")
  func unknownLocalZone() throws {
    let commands = [
      ["sessions"], ["show", "last"], ["hrv", "last"], ["devices", "list"], ["stats", "heartRate", "--every", "1d"],
    ]
    for command in commands {
      let outcome = try sensord.run(command + ["--store", store], changed: ["TZ": "Middle/Earth"])
      expectFailure(outcome, .usage, "TZ is 'Middle/Earth', which is no time zone; set it to a name of tzdata")
      let missing = try sensord.run(
        command + ["--store", store], changed: ["TZ": "Europe/Berlin", "TZDIR": folder.path + "/none"])
      expectFailure(missing, .unavailable, "install the package tzdata")
    }
    for command in commands.dropLast() {
      let outcome = try sensord.run(command + ["--json", "--store", store], changed: ["TZ": "Middle/Earth"])
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
  }

  @Test("what is wrong with a question for statistics is one line that names it")
  func statisticsErrors() throws {
    expectFailure(try stats("hartRate", "--every", "1h"), .usage, "did you mean heartRate?")
    expectFailure(try stats("xyzzy", "--every", "1h"), .usage, "there are heartRate, ")
    expectFailure(try stats("heartbeatSeries", "--every", "1h"), .usage, "beats")
    expectFailure(try stats("heartRate", "--every", "fortnight"), .usage, "fortnight is no interval")
    expectFailure(try stats("heartRate", "--every", "0h"), .usage, "0h is no interval")
    expectFailure(
      try stats("heartRate", "--every", "1h", "--zone", "Middle/Earth"), .usage, "no time zone Middle/Earth")
    expectFailure(
      try stats("heartRate", "--every", "1h", "--zone", "Europe/Berlin", changed: ["TZDIR": folder.path + "/none"]),
      .unavailable, "install the package tzdata")
    expectFailure(try stats("heartRate", "--every", "1h", "--from", "yesterday"), .usage, "'yesterday' for --from")
    expectFailure(
      try stats("heartRate", "--every", "1h", "--from", "2024-01-02", "--to", "2024-01-01"), .usage,
      "ends before it starts")
    expectFailure(
      try stats("heartRate", "--every", "1m", "--from", "1924-01-02", "--to", "2024-01-01"), .usage,
      "use longer ones")
    expectFailure(try stats("heartRate"), .usage, "--every")
  }

  @Test("a sound store, its journal and its captures are checked, and nothing is found")
  func sound() throws {
    let outcome = try sensord.run("check", "--store", store)
    #expect(outcome.status == 0 && outcome.output.hasPrefix("✓ 2 samples"), "\(outcome.output)")
    // What a check cannot tell is said, in both forms.
    #expect(outcome.output.split(separator: "\n").last?.hasPrefix("Not looked at: ") == true)
    #expect(
      try sensord.run("check", "--json", "--store", store).output
        .hasPrefix(#"{"sound":true,"samples":2,"captures":0,"damages":[],"notLookedAt":["whether "#))
  }

  @Test("a damaged chunk, journal and capture are each named, and the code is 65")
  func damaged() throws {
    var bytes = try FileAccess.read(store)
    // The layout byte behind the checksum of the one heartbeat chunk, and of the chunk of rates.
    let name = try sensord.run("sql", "SELECT hex(payload) AS payload FROM chunks", "--csv", "--store", store)
    let payload = try #require(name.output.split(separator: "\n").last.flatMap { Hexadecimal.bytes(String($0)) })
    let place = try #require(bytes.firstRange(of: payload)).lowerBound
    bytes[place + payload.count / 2] ^= 0x04
    try folder.write("b.sqlite", "")
    let file = try ReplacedFile(path: folder.path + "/b.sqlite")
    try file.write(bytes)
    try file.finish()
    try folder.write("b.journal/00000001.journal", "Dear reader,\n")
    try folder.write("b.captures/0f6a1c52-9d1e-4a35-8c1b-2b8f5a7e9d01.capture", "Dear reader,\n")
    let outcome = try sensord.run("check", "--store", folder.path + "/b.sqlite")
    #expect(outcome.status == Code.badData.rawValue)
    #expect(outcome.errors.isEmpty)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 5, "\(outcome.output)")
    #expect(lines[0].hasPrefix("✗ sample "))
    #expect(lines[1].hasPrefix("✗ journal: 00000001.journal"))
    #expect(lines[2].hasPrefix("✗ capture "))
    #expect(lines[3].hasPrefix("3 damaged places found"))
    #expect(lines[4].hasPrefix("Not looked at: "))
    #expect(try sensord.run("sessions", "--store", folder.path + "/b.sqlite").status == 0, "the rest is readable")
  }

  @Test("unpacked values are tables, printed aligned, as CSV and as JSON")
  func tables() throws {
    let query = "SELECT rr_ticks, flags FROM beats WHERE session = (SELECT id FROM session_list) ORDER BY time LIMIT 1"
    let csv = try sensord.run("sql", query, "--csv", "--store", store)
    let export = try sensord.run("export", "last", "--format", "beats", "--store", store).output
    let fields = export.split(separator: "\n")[1].split(separator: ",", omittingEmptySubsequences: false)
    #expect(csv.output == "rr_ticks,flags\n\(fields[3]),\(fields[5])\n")
    let json = try sensord.run("sql", query, "--json", "--store", store)
    #expect(json.output == "[\n{\"rr_ticks\":\(fields[3]),\"flags\":\"\(fields[5])\"}\n]\n")
    let table = try sensord.run("sql", "SELECT 'a' AS x, 1 AS n UNION ALL SELECT 'bcd', NULL", "--store", store)
    #expect(table.output == "x       n\na       1\nbcd  NULL\n")
    #expect(
      try sensord.run("sql", "SELECT count(*) AS n FROM rates", "--csv", "--store", store).output == "n\n2\n")
  }

  @Test(
    "a statement that would change anything, or is none, ends with 64 and SQLite's words in one line",
    arguments: [
      "DELETE FROM sessions", "INSERT INTO beats VALUES (1)", "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)",
      "ATTACH 'other' AS other", "PRAGMA query_only = OFF", "PRAGMA user_version = 9", "VACUUM INTO 'copy'", "SELEC 1",
      "SELECT 1; SELECT 2", "", "SELECT nothing FROM beats", "SELECT load_extension('x')", "DROP VIEW session_list",
    ])
  func refused(statement: String) throws {
    let before = try FileAccess.read(store)
    let outcome = try sensord.run("sql", statement, "--store", store)
    #expect(outcome.status == Code.usage.rawValue)
    #expect(outcome.output.isEmpty && outcome.errorLines.count == 1, "\(outcome.errors)")
    #expect(try FileAccess.read(store) == before)
  }
}
