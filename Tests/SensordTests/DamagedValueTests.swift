import FoundationEssentials
import Reports
import TestSupport
import Testing

@testable import SeriesStore
@testable import sensord

/// What the commands say of a store whose rows hold what no program ever wrote there.
@Suite("A store with damaged values")
struct DamagedValueTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }

  init() throws {
    _ = try sensord.run("replay", TestPlaces.everyRecord, "--store", store)
    // A second one, an hour before it, without values.
    let connection = try Connection(store, flags: 2)
    let identifier = try #require(UUID(bytes: [0xAB] + [UInt8](repeating: 0, count: 14) + [1]))
    let number = try connection.changeList.record(identifier, type: nil, source: nil, deleted: false)
    try connection.execute(
      """
      INSERT INTO sessions SELECT \(number), sync_version, source, device, start - 3600000000, start - 3599000000,
        end_reason, NULL, NULL, NULL, row_checksum(\(number), sync_version, source, device, start - 3600000000,
        start - 3599000000, end_reason, NULL, NULL, NULL) FROM sessions
      """)
  }

  private func damage(_ statement: String) throws {
    let connection = try Connection(store, flags: 2)
    try connection.execute(statement)
  }

  private static let readers = [
    ["sessions"], ["sessions", "--json"], ["show", "last"], ["show", "last", "--json"], ["hrv", "last"],
    ["hrv", "last", "--json"], ["hrv", "last", "--window", "5m"], ["export", "last", "--format", "beats"],
    ["export", "last", "--format", "rates"], ["stats", "heartRate", "--every", "1d"],
    ["stats", "heartRate", "--every", "1mo", "--json"], ["sql", "SELECT * FROM session_list"],
    ["sql", "SELECT * FROM sample_list"], ["sql", "SELECT * FROM change_list"],
    ["sql", "--json", "SELECT * FROM sessions, samples, runs"], ["sql", "SELECT * FROM beats"],
    ["sql", "--json", "SELECT * FROM rates"], ["sql", "SELECT * FROM quantities"], ["check"], ["report", "last"],
    ["show", "last", "--tachogram"], ["events"], ["recovery", "last"],
  ]

  /// No signal ends a command, and each answers or names what is damaged.
  private func expectAnswers(_ readers: [[String]], _ damage: String) throws {
    for reader in readers {
      let outcome = try sensord.run(reader + ["--store", store])
      let isAnswered = [Code.success, .usage, .badData].map(\.rawValue).contains(outcome.status)
      #expect(isAnswered, "\(damage): \(reader) ends with \(outcome.status): \(outcome.errors)")
      #expect(outcome.status == 0 || !(outcome.errors + outcome.output).isEmpty, "\(damage): \(reader) says nothing")
    }
  }

  @Test("the smallest number that there is prints as any other")
  func smallestNumber() throws {
    for number in ["-9223372036854775808.0", "-9223372036854775807 - 1", "9223372036854775807.0", "1e308"] {
      let outcome = try sensord.run("sql", "--json", "SELECT \(number) AS n", "--store", store)
      #expect(outcome.status == 0 && outcome.output.hasPrefix("[\n{\"n\":"), "\(number): \(outcome.errors)")
    }
  }

  @Test(
    "a bit of a time or a type that flipped is answered by every command",
    arguments: [
      "sessions SET start = start | -9223372036854775807 - 1", "sessions SET start = -9223372036854775807 - 1",
      "sessions SET end = -9223372036854775807", "runs SET anchor = -9223372036854775807 - 1",
      "samples SET start = -9223372036854775807 - 1", "samples SET start = start | -9223372036854775807 - 1",
      "samples SET most_recent_start = -9223372036854775807 - 1, most_recent_end = 9223372036854775807",
      "samples SET type = -1",
    ])
  func flippedBit(change: String) throws {
    try damage("UPDATE \(change)")
    try expectAnswers(Self.readers, change)
  }

  @Test(
    "a session at the ends of time, or from one end to the other, is answered by every command",
    arguments: [
      (Int64.min, Int64.min), (.min, .max), (.min, 0), (0, .max), (.max - 1, .max), (.max, .max), (.max, .min),
      (-62_135_596_800_000_001, 253_402_300_800_000_000), (1_795_226_888_000_000, .max),
      (.min, 1_795_226_988_000_000), (1_795_226_888_000_000, 253_402_300_799_000_000),
    ])
  func endsOfTime(start: Int64, end: Int64) throws {
    func number(_ value: Int64) -> String { value == .min ? "-9223372036854775807 - 1" : "\(value)" }
    let span = "start = \(number(start)), end = \(number(end))"
    // The session alone, then with all that it has.
    let changes = [["sessions SET \(span)"], ["gaps SET \(span)", "runs SET anchor = \(number(start))"]]
    for (index, change) in changes.enumerated() {
      for statement in change { try damage("UPDATE OR IGNORE \(statement)") }
      let exports = ["fit", "tcx", "rr", "hrvlogger", "omh", "fhir", "apple", "wfdb", "edf"].map {
        ["export", "last", "--format", $0, "-o", "\(folder.path)/\(index).\($0)"]
      }
      try expectAnswers(Self.readers + exports, change[0])
    }
  }

  @Test("any number in any column of the file is answered")
  func anyColumn() throws {
    var random = SeededGenerator(seed: UInt64.random(in: 0 ... .max))
    let tables = [
      "sessions": ["sync_version", "device", "source", "start", "end", "coverage_floor", "quality"],
      "samples": [
        "type", "start", "end", "count", "average", "minimum", "most_recent", "most_recent_start", "most_recent_end",
        "duration", "value",
      ],
      "heartbeat_series": ["timescale", "gaps"], "changes": ["type", "source", "deleted"],
      "associations": ["owner", "member"], "commits": ["time"],
      "runs": ["first", "count", "first_tick", "anchor", "slope", "uncertainty", "start", "end"],
      "gaps": ["start", "end", "lost"], "summaries": ["start", "end", "count", "sum"],
      "metadata_values": ["form", "value"],
    ]
    let numbers = [
      "-9223372036854775807 - 1", "9223372036854775807", "-1", "0", "4611686018427387904", "-2147483649", "3000000000",
      "1e308",
      "-9.3e18", "'x'",
    ]
    for _ in 0..<12 * Trials.factor {
      let table = tables.keys.sorted().randomElement(using: &random) ?? ""
      let column = tables[table]?.randomElement(using: &random) ?? ""
      let change = "\(table) SET \(column) = \(numbers.randomElement(using: &random) ?? "0")"
      try folder.write("copy", FileAccess.read(store))
      try damage("UPDATE OR IGNORE \(change)")
      try expectAnswers(Self.readers, change)
      try folder.write("store.sqlite", FileAccess.read(folder.path + "/copy"))
    }
  }

  @Test("a session that cannot be read hides no other: the others are listed, it is named, and the status is 65")
  func unreadable() throws {
    try damage("UPDATE changes SET uuid = x'00' WHERE number = (SELECT id FROM sessions ORDER BY start DESC LIMIT 1)")
    for form in [[], ["--json"]] {
      let outcome = try sensord.run(["sessions", "--store", store] + form)
      #expect(outcome.status == Code.badData.rawValue)
      #expect(outcome.output.contains("ab000000"), "\(outcome.output)")
      #expect(outcome.errors == "sensord: session row 1: it cannot be read\n")
    }
    #expect(try sensord.run("show", "ab00", "--store", store).status == 0)
  }

  @Test(
    "a session with a row that is not as it was written is printed and exported, and named, and the status is 65",
    arguments: [
      "sessions SET end = end - 1", "samples SET average = 61 WHERE session IS NOT NULL AND count > 1",
      "markers SET text = 'x'", "metadata_values SET value = 'x'", "runs SET slope = slope + 1",
      "chunks SET id = id + 0, checksum = 0",
    ])
  func altered(change: String) throws {
    try damage("UPDATE \(change)")
    let isListed = change.hasPrefix("se") || change.hasPrefix("sa")
    let list = try sensord.run("sessions", "--store", store)
    #expect(list.status == (isListed ? Code.badData.rawValue : 0), "\(list.errors)")
    #expect(list.output.contains("ab000000"))
    let commands = [
      ["show", "last"], ["show", "last", "--json"], ["export", "last", "--format", "beats"], ["hrv", "last"],
      ["export", "last", "--format", "tcx"], ["report", "last"],
      ["export", "--from", "1970-01-01", "--format", "tcx", "-o", "\(folder.path)/exported"],
    ]
    for command in commands {
      let outcome = try sensord.run(command + ["--store", store])
      #expect(!outcome.output.isEmpty || command.contains("-o"), "\(command)")
      #expect(outcome.status == Code.badData.rawValue, "\(command): \(outcome.errors)")
      #expect(outcome.errors.contains("not as it was written"), "\(command): \(outcome.errors)")
    }
  }

  @Test("a session whose device is missing is listed without it")
  func deviceMissing() throws {
    try damage("DELETE FROM devices")
    let outcome = try sensord.run("sessions", "--json", "--store", store)
    #expect(outcome.status == 0 && outcome.output.split(separator: "\n").count == 4, "\(outcome.output)")
  }

  @Test("statistics name the sample that lies beyond the calendar, and give the others where a time is asked for")
  func beyondTheCalendar() throws {
    try damage(
      """
      UPDATE samples SET start = -9223372036854775807 - 1 WHERE type IN (SELECT id FROM types WHERE kind = 'quantity')
      """)
    let outcome = try sensord.run("stats", "heartRate", "--every", "1d", "--store", store)
    #expect(outcome.status == Code.badData.rawValue && outcome.errors.contains("of sample "), "\(outcome.errors)")
    let part = try sensord.run(
      "stats", "heartRate", "--every", "1d", "--from", "2020-01-01", "--to", "2020-01-02", "--store", store)
    #expect(part.status == 0, "\(part.errors)")
  }
}
