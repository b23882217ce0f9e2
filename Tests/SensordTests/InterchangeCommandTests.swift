import Foundation
import HealthInterchange
import TestSupport
import Testing

@testable import SeriesStore
@testable import sensord

/// What `sensord` and `sensord-interchange` do together, as built programs.
@Suite("Formats of other programs")
struct InterchangeCommandTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }

  private func stored() throws {
    let capture = "\(TestPlaces.root)/Tests/CapturesTests/Fixtures/strap-lost-link.capture"
    #expect(try sensord.run("replay", capture, "--store", store).status == 0)
  }

  @Test("the command line has a name for each format that can be written, and no other")
  func names() {
    #expect(ExportChoice.ForeignFormat.allCases.map(\.rawValue) == InterchangeFormat.allCases.map(\.rawValue))
  }

  @Test("a session leaves as a FIT file that only its owner can read")
  func fit() throws {
    try stored()
    let file = "\(folder.path)/out.fit"
    let outcome = try sensord.run("export", "last", "--format", "fit", "--store", store, "-o", file)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(Array(bytes.dropFirst(8).prefix(4)) == Array(".FIT".utf8))
    #expect(TestPlaces.mode(file) == 0o600)
  }

  @Test("hrv says where intervals are known to hundredths of a second alone")
  func coarse() throws {
    try stored()
    let (file, other) = ("\(folder.path)/export.xml", "\(folder.path)/other.sqlite")
    #expect(try sensord.run("export", "last", "--format", "apple", "--store", store, "-o", file).status == 0)
    #expect(try sensord.run("import", "--store", other, file).status == 0)
    for (path, isCoarse) in [(store, false), (other, true)] {
      let text = try sensord.run("hrv", "last", "--store", path).output
      #expect(text.contains("known to 10 ms only") == isCoarse, "\(text)")
      let json = try sensord.run("hrv", "last", "--json", "--store", path).output
      #expect(json.contains(#""stepMilliseconds":10"#) == isCoarse, "\(json)")
    }
  }

  @Test("a workout that came in from elsewhere leaves with the heart that was recorded meanwhile")
  func importedWorkout() throws {
    try stored()
    let session = try #require(
      JSONSerialization.jsonObject(with: Data(try sensord.run("show", "last", "--json", "--store", store).output.utf8))
        as? [String: Any])
    func apple(_ key: String) throws -> String {
      // To whole seconds, as Apple's are.
      let text = try #require(session[key] as? String)
      return "\(text.prefix(19).replacing("T", with: " ")) +0000"
    }
    let (start, end) = (try apple("start"), try apple("end"))
    let export = try folder.write(
      "export.xml",
      """
      <?xml version="1.0"?>
      <HealthData locale="en_US">
       <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" startDate="\(start)" endDate="\(start)" value="199"/>
       <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="Watch" startDate="\(start)" endDate="\(end)"/>
      </HealthData>
      """)
    #expect(try sensord.run("import", "--store", store, export).status == 0)
    let other = "\(folder.path)/other.sqlite"
    #expect(try sensord.run("import", "--store", other, export).status == 0)
    func exported(_ format: String, from store: String) throws -> String {
      let workouts = try sensord.run("workouts", "--json", "--store", store).output
      let listed = try JSONSerialization.jsonObject(with: Data(workouts.utf8)) as? [[String: Any]]
      let id = try #require(listed?.first?["id"] as? String)
      let outcome = try sensord.run("export", id, "--format", format, "--store", store)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return outcome.output
    }
    // The strap's, and not the watch's.
    let rates = try exported("tcx", from: store)
    #expect(rates.contains("Sport=\"Running\"") && rates.components(separatedBy: "<Trackpoint>").count > 5)
    #expect(!rates.contains("<Value>199</Value></HeartRateBpm>"))
    #expect(try exported("rr", from: store).split(separator: "\n").count > 5)
    // Where nothing else was recorded, the watch's.
    #expect(try exported("tcx", from: other).contains("<Value>199</Value></HeartRateBpm>"))
  }

  @Test("a session that touches a workout's time does not hide the rates of all of it")
  func touchedWorkout() throws {
    let rates = (10..<60).map { minute in
      "<Record type='HKQuantityTypeIdentifierHeartRate' sourceName='Watch' unit='count/min' "
        + "startDate='2024-03-01 10:\(minute):00 +0000' endDate='2024-03-01 10:\(minute):00 +0000' value='150'/>"
    }
    let export = try folder.write(
      "export.xml",
      "<?xml version='1.0'?>\n<HealthData>\(rates.joined())"
        + #"<Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="Watch" "#
        + #"startDate="2024-03-01 10:00:00 +0000" endDate="2024-03-01 11:00:00 +0000"/></HealthData>"#)
    let text = try folder.write("before.txt", String(repeating: "800\n", count: 600))
    #expect(try sensord.run("import", "--store", store, export).status == 0)
    #expect(try sensord.run("import", "--start", "2024-03-01T10:02:30Z", "--store", store, text).status == 0)
    let listed =
      try JSONSerialization.jsonObject(with: Data(sensord.run("workouts", "--json", "--store", store).output.utf8))
      as? [[String: Any]]
    let id = try #require(listed?.first?["id"] as? String)
    let outcome = try sensord.run("export", id, "--format", "tcx", "--store", store)
    #expect(outcome.output.components(separatedBy: "<Trackpoint>").count == 1 + 50, "\(outcome.errors)")
  }

  @Test("text goes to stdout")
  func text() throws {
    try stored()
    let outcome = try sensord.run("export", "last", "--format", "hrvlogger", "--store", store)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("date, rr, since start\n"))
    #expect(outcome.output.split(separator: "\n").count > 2)
  }

  @Test("what is not there, and a format that nobody knows, are told as by every command")
  func failures() throws {
    try stored()
    let missing = try sensord.run("export", "ffff", "--format", "fit", "--store", store)
    #expect(missing.status == 66)
    #expect(missing.errors.hasPrefix("sensord: no session or workout ffff in "), "\(missing.errors)")
    let unknown = try sensord.run("export", "last", "--format", "gpx", "--store", store)
    #expect(unknown.status == 64)
    #expect(unknown.errorLines.count == 1)
    let csv = try sensord.run("export", "last", "--format", "csv", "--store", store)
    #expect(csv.status == 64 && csv.errorLines.count == 1)
    #expect(csv.errors.contains("beats and rates are the CSV tables, the others fit, tcx,"), "\(csv.errors)")
  }

  @Test(
    "a date alone is no start, and a file that cannot be read keeps back no other; what became of each is told in any case"
  )
  func each() throws {
    let text = try folder.write("rr.txt", "800\n810\n820\n")
    let start = "2026-03-01T07:14:22+01:00"
    for date in ["2026-03-01", "2026-03-01T07:14:22"] {
      let refused = try sensord.run("import", "--start", date, "--store", store, text)
      #expect(refused.status == 64 && refused.errors.contains("is no time with a zone"), "\(refused.errors)")
      #expect(refused.errors.hasPrefix("sensord: ") && refused.errorLines.count == 1, "\(refused.errors)")
    }
    // Who reads its memory gets an I/O error at once.
    let unreadable = "/proc/self/mem"
    for arguments in [[unreadable, text], [text, unreadable]] {
      let outcome = try sensord.run(["import", "--dry-run", "--json", "--start", start, "--store", store] + arguments)
      #expect(outcome.status == 74, "\(outcome.errors)")
      #expect(outcome.output.contains(#""outcome":"stored""#), "\(outcome.output)")
      #expect(outcome.output.contains("cannot read \(unreadable)"), "\(outcome.output)")
      #expect(
        outcome.errorLines.count == 1 && outcome.errors.contains("cannot read \(unreadable)"), "\(outcome.errors)")
    }
    let plain = try sensord.run("import", "--start", start, "--store", store, unreadable, text)
    #expect(plain.status == 74 && plain.output.contains(" stored: "), "\(plain.output)\(plain.errors)")
    // What is wrong with the store ends it, and is in the answer.
    let wrong = try sensord.run(
      "import", "--json", "--start", start, "--store", "\(text)/a.sqlite", text, text)
    #expect(wrong.status != 0 && wrong.errorLines.count == 1, "\(wrong.errors)")
    #expect(wrong.output.components(separatedBy: #""failure":"#).count == 1 + 1, "\(wrong.output)")
  }

  @Test("what was exported comes in once, in another store, with its beats")
  func imported() throws {
    try stored()
    let (file, other) = ("\(folder.path)/out.fit", "\(folder.path)/other.sqlite")
    #expect(try sensord.run("export", "last", "--format", "fit", "--store", store, "-o", file).status == 0)
    let dry = try sensord.run("import", "--dry-run", "--store", other, file)
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(dry.output.contains(" would be stored: "))
    #expect(!FileManager.default.fileExists(atPath: other))
    let first = try sensord.run("import", "--store", other, file)
    #expect(first.output == dry.output.replacing(" would be stored: ", with: " stored: "))
    let second = try sensord.run("import", "--json", "--store", other, file)
    #expect(second.output.contains(#""outcome":"unchanged""#), "\(second.output)")
    // Intervals are the same in both.
    let one = try sensord.run("export", "last", "--format", "rr", "--store", store)
    #expect(!one.output.isEmpty)
    #expect(try sensord.run("export", "last", "--format", "rr", "--store", other).output == one.output)
    #expect(try sensord.run("show", "last", "--store", other).output.contains("imported from a file"))
  }

  @Test(
    "what was written like Apple's export is known again, also packed as the phone packs its own, and has every beat and gap"
  )
  func likeApple() throws {
    try stored()
    let (file, zip, other) = ("\(folder.path)/export.xml", "\(folder.path)/export.zip", "\(folder.path)/other.sqlite")
    #expect(try sensord.run("export", "last", "--format", "apple", "--store", store, "-o", file).status == 0)
    #expect(TestPlaces.mode(file) == 0o600)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try Data(Self.zip("apple_health_export/export.xml", Array(text.utf8))).write(to: URL(fileURLWithPath: zip))
    let first = try sensord.run("import", "--store", other, zip)
    #expect(
      first.output.contains("session fd81d2e6 stored: 149 rates, 54 beats, 3 gaps"), "\(first.output)\(first.errors)")
    for (store, path) in [(store, zip), (other, zip), (other, file)] {
      let again = try sensord.run("import", "--store", store, path)
      #expect(
        again.status == 0 && again.output.contains("is known already, nothing new"), "\(again.output)\(again.errors)")
    }
    let counts = try [store, other].map { store in
      try sensord.run("sql", "SELECT type, count(*) FROM samples GROUP BY 1", "--store", store).output
    }
    #expect(counts[0].split(separator: "\n").count == counts[1].split(separator: "\n").count, "\(counts)")
    let refused = try sensord.run("import", "--types", "heartRate", "--store", other, file)
    #expect(refused.status == 64 && refused.errors.contains("sensord wrote it: it has sessions"), "\(refused.errors)")
    // The part before the damage, of the same session.
    try Data(text.utf8.dropLast(text.utf8.count / 3)).write(to: URL(fileURLWithPath: file))
    let cut = try sensord.run("import", "--store", "\(folder.path)/third.sqlite", file)
    #expect(cut.status == 65 && cut.output.contains("session fd81d2e6 stored: "), "\(cut.output)")
  }

  @Test(
    "what else is in a ZIP file with an export of our own is told: other exports by name and with 65, a lost list, other files"
  )
  func besideOwn() throws {
    try stored()
    let (file, zip, other) = ("\(folder.path)/export.xml", "\(folder.path)/export.zip", "\(folder.path)/other.sqlite")
    #expect(try sensord.run("export", "last", "--format", "apple", "--store", store, "-o", file).status == 0)
    let own = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    let real = Array(
      (#"<HealthData><Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" sourceName="W" "#
        + #"startDate="2024-03-01 07:10:00 -0800" endDate="2024-03-01 07:10:00 -0800" value="61"/></HealthData>"#).utf8)
    let second = Array(String(decoding: own, as: UTF8.self).replacing("fd81d2e6", with: "aaaaaaaa").utf8)
    for (further, name) in [(real, "apple/export.xml"), (second, "november.xml")] {
      try Data(Self.zip([("mine/export.xml", own), (name, further), ("notes.txt", [10])]))
        .write(to: URL(fileURLWithPath: zip))
      let outcome = try sensord.run("import", "--dry-run", "--store", other, zip)
      #expect(outcome.status == 65 && outcome.output.contains("149 rates, 54 beats, 3 gaps"), "\(outcome.output)")
      #expect(outcome.output.contains("left out: 1 × other file"), "\(outcome.output)")
      #expect(outcome.errors.contains("\(zip): \(name): another export is in the same ZIP file"), "\(outcome.errors)")
    }
    // The other way round.
    try Data(Self.zip([("apple/export.xml", real), ("mine/export.xml", own)])).write(to: URL(fileURLWithPath: zip))
    let outcome = try sensord.run("import", "--dry-run", "--store", other, zip)
    #expect(outcome.status == 65 && outcome.output.contains("heartRate: 1 read"), "\(outcome.output)")
    #expect(outcome.errors.contains("mine/export.xml: another export"), "\(outcome.errors)")
    // Cut behind the file, before the list.
    let whole = Self.zip([("mine/export.xml", own)])
    try Data(whole.prefix(30 + 15 + own.count)).write(to: URL(fileURLWithPath: zip))
    let cut = try sensord.run("import", "--dry-run", "--store", other, zip)
    #expect(cut.status == 65 && cut.output.contains("149 rates, 54 beats, 3 gaps"), "\(cut.output)")
    #expect(cut.errors.contains("the ZIP file ends before its list of files"), "\(cut.errors)")
  }

  private static func zip(_ name: String, _ bytes: [UInt8]) -> [UInt8] { zip([(name, bytes)]) }

  /// A ZIP file of files as they are.
  static func zip(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    var (contents, list): ([UInt8], [UInt8]) = ([], [])
    for (name, bytes) in files {
      var sum = UInt32.max
      for byte in bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
      }
      let middle = number(0, 8) + number(Int(~sum), 4) + number(bytes.count, 4) + number(bytes.count, 4)
      list += [0x50, 0x4B, 1, 2, 20, 0, 20, 0] + middle + number(name.utf8.count, 2) + number(0, 12)
      list += number(contents.count, 4) + Array(name.utf8)
      contents += [0x50, 0x4B, 3, 4, 20, 0] + middle + number(name.utf8.count, 4) + Array(name.utf8) + bytes
    }
    return contents + list + [0x50, 0x4B, 5, 6] + number(0, 4) + number(files.count, 2) + number(files.count, 2)
      + number(list.count, 4) + number(contents.count, 4) + number(0, 2)
  }

  @Test("a record of WFDB is two files of one name, and comes in by its header")
  func record() throws {
    try stored()
    let (base, other) = ("\(folder.path)/ride", "\(folder.path)/other.sqlite")
    let outcome = try sensord.run("export", "last", "--format", "wfdb", "--store", store, "-o", "\(base).hea")
    #expect(outcome.status == 0, "\(outcome.errors)")
    for file in ["\(base).hea", "\(base).atr"] { #expect(TestPlaces.mode(file) == 0o600) }
    #expect(try String(contentsOfFile: "\(base).hea", encoding: .utf8).hasPrefix("ride 0 1024 "))
    let imported = try sensord.run("import", "--store", other, "\(base).hea")
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.output.contains("54 beats, 3 gaps"), "\(imported.output)")
    // Intervals are the same in both, to the tick.
    let tables = try [store, other].map { store in
      try sensord.run("export", "last", "--format", "rr", "--store", store).output
    }
    #expect(tables[0] == tables[1] && !tables[0].isEmpty)
    // Of rhythms alone, as of a record whose beats were annotated by a program.
    try FileManager.default.moveItem(atPath: "\(base).atr", toPath: "\(base).qrs")
    try Data([0x12, 0x70, 0x05, 0xFC] + Array("(AFIB\0".utf8) + [0, 0]).write(to: URL(fileURLWithPath: "\(base).atr"))
    let rhythms = try sensord.run("import", "--store", "\(folder.path)/third.sqlite", "\(base).hea")
    #expect(rhythms.status == 0 && rhythms.output.contains("54 beats, 3 gaps"), "\(rhythms.output)\(rhythms.errors)")
    #expect(rhythms.output.contains("the beats are those of \(base).qrs"), "\(rhythms.output)")
    for ending in ["atr", "qrs"] { try FileManager.default.removeItem(atPath: "\(base).\(ending)") }
    let alone = try sensord.run("import", "--store", other, "\(base).hea")
    #expect(alone.status == 66)
    #expect(alone.errors.contains("there are no annotations beside it (.atr, "), "\(alone.errors)")
    for arguments in [[], ["-o", "\(folder.path)/my ride"]] {
      let refused = try sensord.run(["export", "last", "--format", "wfdb", "--store", store] + arguments)
      #expect(refused.status == 64 && refused.errorLines.count == 1, "\(refused.errors)")
    }
  }

  @Test("what was deleted here stays deleted, also when it is imported again")
  func deleted() throws {
    try stored()
    let (file, other) = ("\(folder.path)/out.fit", "\(folder.path)/other.sqlite")
    #expect(try sensord.run("export", "last", "--format", "fit", "--store", store, "-o", file).status == 0)
    let first = try sensord.run("import", "--json", "--store", other, file)
    let document = try #require(JSONSerialization.jsonObject(with: Data(first.output.utf8)) as? [[String: Any]])
    let sessions = try #require(document.first?["sessions"] as? [[String: Any]])
    let session = try #require(sessions.first?["session"] as? String)
    #expect(try sensord.run("delete", session, "--store", other).status == 0)
    for dry in [["--dry-run"], []] {
      let again = try sensord.run(["import", "--store", other, file] + dry)
      #expect(again.status == 0)
      #expect(again.output.contains("was deleted before, nothing stored"), "\(again.output)")
      #expect(try sensord.run("show", session, "--store", other).status == 66)
    }
  }

  @Test(
    "a session that was exported is known in the store that has it, stays deleted where it was, and is itself elsewhere",
    arguments: [("fit", "out.fit"), ("tcx", "out.tcx"), ("wfdb", "out.hea"), ("apple", "export.xml")])
  func known(format: String, name: String) throws {
    try stored()
    let (file, other) = ("\(folder.path)/\(name)", "\(folder.path)/other.sqlite")
    #expect(try sensord.run("export", "last", "--format", format, "--store", store, "-o", file).status == 0)
    let before = try sensord.run("show", "last", "--json", "--store", store).output
    for dry in [["--dry-run"], []] {
      let known = try sensord.run(["import", "--store", store, file] + dry)
      #expect(known.status == 0 && known.output.contains("is known already, nothing new"), "\(known.output)")
    }
    #expect(try sensord.run("show", "last", "--json", "--store", store).output == before)
    #expect(try sensord.run("sessions", "--json", "--store", store).output.split(separator: "\n").count == 1 + 2)
    // Elsewhere it has its own name and recorder.
    #expect(try sensord.run("import", "--store", other, file).output.contains("fd81d2e6 stored: "))
    let query = "SELECT identifier, name FROM sources JOIN sessions ON source = sources.id"
    let sources = try [store, other].map { try sensord.run("sql", query, "--store", $0).output }
    #expect(sources[0] == sources[1] && sources[0].contains("sensord"), "\(sources)")
    // What was recorded takes the place of a copy.
    let capture = "\(TestPlaces.root)/Tests/CapturesTests/Fixtures/strap-lost-link.capture"
    #expect(try sensord.run("replay", capture, "--store", other).status == 0)
    #expect(try sensord.run("show", "last", "--json", "--store", other).output == before)
    #expect(try sensord.run("delete", "fd81d2e6", "--store", store).status == 0)
    let again = try sensord.run("import", "--store", store, file)
    #expect(again.output.contains("was deleted before, nothing stored"), "\(again.output)")
  }

  @Test(
    "intervals alone are known by themselves, in the session's own day; elsewhere they come in as another program's",
    arguments: ["rr", "hrvlogger"])
  func intervals(format: String) throws {
    try stored()
    let (file, other) = ("\(folder.path)/out.txt", "\(folder.path)/other.sqlite")
    #expect(try sensord.run("export", "last", "--format", format, "--store", store, "-o", file).status == 0)
    // A time zone wrong.
    let start = format == "rr" ? ["--start", "2026-09-21T14:13:20+02:00"] : []
    for dry in [["--dry-run"], []] {
      let known = try sensord.run(["import", "--store", store, file] + start + dry)
      #expect(
        known.status == 0 && known.output.contains("is known already as fd81d2e6, nothing new"), "\(known.output)")
    }
    #expect(try sensord.run("sessions", "--json", "--store", store).output.split(separator: "\n").count == 1 + 2)
    #expect(try sensord.run(["import", "--store", other, file] + start).output.contains(" stored: "))
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    let changed = try folder.write(
      "changed.txt", lines.dropLast().joined(separator: "\n") + "\n" + Self.last(of: lines))
    let another = try sensord.run(["import", "--store", store, changed] + start)
    #expect(another.output.contains(" stored: "), "\(another.output)\(another.errors)")
  }

  /// The last line with another interval.
  private static func last(of lines: [Substring]) -> String {
    var fields = (lines.last ?? "").components(separatedBy: ", ")
    let place = fields.count > 1 ? 1 : 0
    fields[place] = "\((Int(fields[place]) ?? 0) + 7)"
    return fields.joined(separator: ", ") + "\n"
  }

  @Test("a copy of a session that is being recorded does not come in before it has ended")
  func journalled() throws {
    try stored()
    let file = "\(folder.path)/out.fit"
    #expect(try sensord.run("export", "last", "--format", "fit", "--store", store, "-o", file).status == 0)
    let capture = "\(TestPlaces.root)/Tests/CapturesTests/Fixtures/strap-lost-link.capture"
    let lines = try String(contentsOfFile: capture, encoding: .utf8).split(separator: "\n").dropLast()
    try folder.write("other.journal/00000001.journal", lines.joined(separator: "\n") + "\n")
    let other = "\(folder.path)/other.sqlite"
    let outcome = try sensord.run("import", "--store", other, file)
    #expect(outcome.status == 0 && outcome.output.contains("is known already, nothing new"), "\(outcome.output)")
    #expect(!FileManager.default.fileExists(atPath: other))
  }

  @Test("all sessions of a time: in one file where the format can hold them, else each in a file of a folder")
  func range() throws {
    try stored()
    let second = "\(TestPlaces.root)/Tests/CapturesTests/Fixtures/\(Self.second)"
    #expect(try sensord.run("replay", second, "--store", store).status == 0)
    let all = ["export", "--from", "2020-01-01", "--store", store]
    let text = try sensord.run(all + ["--format", "tcx"])
    #expect(text.status == 0, "\(text.errors)")
    #expect(text.output.components(separatedBy: "<Activity ").count == 1 + 2)
    let apple = "\(folder.path)/export.xml"
    #expect(try sensord.run(all + ["--format", "apple", "-o", apple]).status == 0)
    let both = try sensord.run("import", "--store", store, apple)
    #expect(both.output.components(separatedBy: "is known already").count == 1 + 2, "\(both.output)")
    let path = "\(folder.path)/some/sessions"
    let files = try sensord.run(all + ["--format", "fit", "-o", path])
    #expect(files.status == 0, "\(files.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    #expect(names.count == 2 && names.allSatisfy { $0.hasSuffix(".fit") && $0.dropFirst(15).first == "Z" }, "\(names)")
    #expect(TestPlaces.mode(path) == 0o700)
    let known = try sensord.run(["import", "--store", store] + names.map { "\(path)/\($0)" })
    #expect(known.output.components(separatedBy: "is known already").count == 1 + 2, "\(known.output)")
    let none = try sensord.run("export", "--to", "2020-01-01", "--format", "omh", "--store", store)
    #expect(none.status == 66 && none.errors.contains("no session begins then"), "\(none.errors)")
    for arguments in [
      ["--format", "fit"], ["--format", "beats"], ["last", "--format", "tcx"], ["--into", "x.fit"],
      ["--format", "tcx", "--json"],
    ] {
      let refused = try sensord.run(all + arguments)
      #expect(refused.status == 64 && refused.errorLines.count == 1, "\(arguments): \(refused.errors)")
    }
  }

  @Test("a damaged session is left out of a time and told, with 65; the others are there")
  func damagedRange() throws {
    try stored()
    let second = "\(TestPlaces.root)/Tests/CapturesTests/Fixtures/\(Self.second)"
    #expect(try sensord.run("replay", second, "--store", store).status == 0)
    try Connection(store, flags: 2).execute(
      "UPDATE changes SET uuid = x'00' WHERE number = (SELECT min(id) FROM sessions)")
    let text = try sensord.run("export", "--from", "2020-01-01", "--format", "tcx", "--store", store)
    #expect(text.status == 65 && text.errors.contains("session "), "\(text.errors)")
    #expect(text.output.components(separatedBy: "<Activity ").count == 1 + 1, "\(text.errors)")
  }

  private static let second = "rates-only.capture"

  @Test("a ride gets the heart that was recorded meanwhile; one that has a heart already is left alone")
  func ride() throws {
    try stored()
    let (own, merged) = ("\(folder.path)/own.fit", "\(folder.path)/merged.fit")
    #expect(try sensord.run("export", "last", "--format", "fit", "--store", store, "-o", own).status == 0)
    // Its own file without its rates: the field is there, and says that there is none.
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: own)))
    let rates = try blank(&bytes)
    try Data(bytes).write(to: URL(fileURLWithPath: own))
    let outcome = try sensord.run("export", "last", "--into", own, "--store", store, "-o", merged)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let words = outcome.errors.split(separator: " ")
    let place = try #require(words.firstIndex(of: "records"))
    #expect(rates > 0 && Int(words[place - 1]) ?? 0 >= rates, "\(outcome.errors)")
    #expect(TestPlaces.mode(merged) == 0o600)
    let told = try sensord.run("export", "last", "--into", own, "--store", store, "-o", merged, "--json")
    let account = try #require(
      JSONSerialization.jsonObject(with: Data(told.output.utf8)) as? [String: Any], "\(told.output)")
    #expect(account["rates"] as? Int == Int(words[place - 1]) && account["intervals"] as? Int == 0)
    let leftOut = try #require(account["leftOut"] as? [String: Int])
    #expect(leftOut["interval, of which the ride has its own"] ?? 0 > 0)
    #expect(outcome.errors.contains("left out: ") && told.errors.isEmpty, "\(outcome.errors)\(told.errors)")
    // The ride is nowhere else, whatever it is called.
    let link = "\(folder.path)/link.fit"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: own)
    for name in [own, "\(folder.path)/./own.fit", link] {
      let refused = try sensord.run("export", "last", "--into", own, "--store", store, "-o", name)
      #expect(refused.status == 73 && refused.errorLines.count == 1, "\(refused.errors)")
      #expect(refused.errors.contains("is the ride itself, which cannot be made again"), "\(refused.errors)")
      #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: own))) == bytes)
    }
    // Now there is nothing left to add.
    let full = try sensord.run("export", "last", "--into", merged, "--store", store, "-o", own)
    #expect(full.status == 65 && full.errors.contains("it has a heart rate already"), "\(full.errors)")
    let text = try folder.write("ride.txt", "no ride\n")
    let wrong = try sensord.run("export", "last", "--into", text, "--store", store, "-o", own)
    #expect(wrong.status == 65 && wrong.errors.contains("byte 0: here no FIT file begins"), "\(wrong.errors)")
    let missing = try sensord.run("export", "last", "--into", "\(folder.path)/none.fit", "--store", store)
    #expect(missing.status == 66, "\(missing.errors)")
  }

  /// Takes the rates out of a file of our own; returns how many there were.
  private func blank(_ bytes: inout [UInt8]) throws -> Int {
    let form: [UInt8] = [0x44, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 2]
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: form) })
    let head = bytes[start + form.count]
    let date = bytes[(start + form.count + 3)...(start + form.count + 4)]
    var count = 0
    for place in (start + form.count)..<(bytes.count - 6)
    where bytes[place] == head && bytes[(place + 3)...(place + 4)] == date && bytes[place + 5] != 255 {
      bytes[place + 5] = 255
      count += 1
    }
    var checksum = FITChecksum()
    checksum.add(bytes.dropLast(2))
    bytes[bytes.count - 2] = UInt8(truncatingIfNeeded: checksum.value)
    bytes[bytes.count - 1] = UInt8(checksum.value >> 8)
    return count
  }

  @Test("a damaged file comes in up to the damage, which is told with 65; what is no such file is named")
  func damaged() throws {
    try stored()
    let (file, other) = ("\(folder.path)/out.fit", "\(folder.path)/other.sqlite")
    #expect(try sensord.run("export", "last", "--format", "fit", "--store", store, "-o", file).status == 0)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    try bytes.dropLast(40).write(to: URL(fileURLWithPath: file))
    let outcome = try sensord.run("import", "--store", other, file)
    #expect(outcome.status == 65)
    #expect(outcome.output.contains(" stored: "))
    #expect(outcome.errors.contains("\(file): byte "), "\(outcome.errors)")
    let text = try sensord.run("import", "--store", other, "\(TestPlaces.root)/README.md", "\(folder.path)/none.fit")
    #expect(text.status == 66)
    #expect(text.errorLines.count == 2, "\(text.errors)")
  }

  @Test("Apple's export comes in once, up to its damage, and what is not asked for does not")
  func apple() throws {
    let rate = #"<Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" sourceName="W" "#
    func record(_ minute: Int) -> String {
      let time = "2024-03-01 07:\(minute):00 -0800"
      return rate + #"startDate="\#(time)" endDate="\#(time)" value="61"/>"#
    }
    let text =
      "<HealthData>" + record(10) + record(11) + #"<Record type="HKQuantityTypeIdentifierVO2Max"/></HealthData>"#
    let file = "\(folder.path)/anything"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let dry = try sensord.run("import", "--dry-run", "--store", store, file)
    #expect(dry.output.contains("heartRate: 2 read, 2 new (samples: 1 would be stored)"), "\(dry.output)\(dry.errors)")
    #expect(!FileManager.default.fileExists(atPath: store))
    let cut = "\(folder.path)/cut"
    try Data(text.utf8.prefix(12 + record(10).utf8.count + 20)).write(to: URL(fileURLWithPath: cut))
    let damaged = try sensord.run("import", "--store", store, cut)
    #expect(damaged.status == 65)
    #expect(damaged.output.contains("heartRate: 1 read, 1 new (samples: 1 stored)"), "\(damaged.output)")
    #expect(damaged.errors.contains("\(cut): byte "), "\(damaged.errors)")
    let steps = try sensord.run("import", "--types", "stepCount", "--store", store, file)
    #expect(steps.output.contains("2 records were not asked for"), "\(steps.output)")
    let whole = try sensord.run("import", "--store", store, file)
    #expect(whole.output.contains("heartRate: 2 read, 1 new (samples: 1 replaced)"), "\(whole.output)")
    let again = try sensord.run("import", "--json", "--store", store, file)
    #expect(again.output.contains(#""unchanged":1"#), "\(again.output)")
    #expect(again.output.contains(#""leftOut":{"record without a time":1}"#), "\(again.output)")
    #expect(try sensord.run("import", "--types", "stepcount", "--store", store, file).status == 64)
    // Corrected since, in the phone.
    try Data(text.replacing("61", with: "62").utf8).write(to: URL(fileURLWithPath: file))
    let corrected = try sensord.run("import", "--types", "heartRate, stepCount", "--store", store, file)
    #expect(
      corrected.output.contains(
        "heartRate: 2 read, 0 new (samples: 1 known already, of which 1 has other values in the file, which did not come in)"
      ), "\(corrected.output)\(corrected.errors)")
  }
}
