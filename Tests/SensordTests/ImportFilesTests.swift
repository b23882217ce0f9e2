import Foundation
import TestSupport
import Testing

/// What becomes of files that are packed, empty, damaged, no files, or many.
@Suite("Files that come in")
struct ImportFilesTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }
  private static let start = "2026-03-01T07:14:22+01:00"

  /// Runs a command of the shell in the folder; what it printed.
  @discardableResult private func shell(_ command: String) throws -> String {
    let output = try OutputFile()
    let program = try StartedProgram(
      "/bin/sh", ["-ec", "cd \"$0\"; \(command)", folder.path],
      environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path, "TZ": "UTC"], output: output.descriptor,
      errors: output.descriptor)
    #expect(program.wait() == 0, "\(command): \(output.text)")
    return output.text
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)")))
  }

  private func exported(_ name: String = "out.fit", _ format: String = "fit") throws -> String {
    let capture = "\(TestPlaces.root)/Tests/CapturesTests/Fixtures/strap-lost-link.capture"
    #expect(try sensord.run("replay", capture, "--store", store).status == 0)
    let file = "\(folder.path)/\(name)"
    #expect(try sensord.run("export", "last", "--format", format, "--store", store, "-o", file).status == 0)
    return file
  }

  private func dry(_ arguments: String...) throws -> BuiltProgram.Outcome {
    try sensord.run(["import", "--dry-run", "--store", "\(folder.path)/other.sqlite"] + arguments)
  }

  @Test(
    "what gzip packed comes in, up to its damage, whose byte is told",
    arguments: [("fit", "out.fit"), ("tcx", "o.tcx")])
  func gzip(format: String, name: String) throws {
    let file = try exported(name, format)
    let plain = try dry(file)
    try shell(
      "gzip -k \(name); cat \(name).gz \(name).gz >two.gz; head -c -9 \(name).gz >cut.gz; gzip -c <two.gz >two.gz.gz")
    let packed = try dry("\(file).gz")
    #expect(packed.status == 0 && packed.output == plain.output.replacing(file, with: "\(file).gz"), "\(packed.errors)")
    let cut = try dry("\(folder.path)/cut.gz")
    #expect(cut.status == 65 && cut.output.contains("would be stored: 149 rates"), "\(cut.output)")
    let length = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/cut.gz")).count
    #expect(
      cut.errors
        == "sensord: \(folder.path)/cut.gz: byte \(length) of the packed file: the file ends here, in the midst "
        + "of what gzip packed; what is before it is kept\n")
    let twice = try dry("\(folder.path)/two.gz.gz")
    #expect(twice.status == 65 && twice.errors.contains("it is packed twice; unpack it once"), "\(twice.errors)")
    // Files in FIT follow each other; of XML there is one.
    guard format == "fit" else { return }
    let two = try dry("\(folder.path)/two.gz")
    #expect(two.output.contains(" would be stored: ") && two.output.contains(" is known already, nothing new"))
  }

  @Test("text whose packed file breaks off comes in up to there, without a half line")
  func cutText() throws {
    // Fewer lines than are looked at before the first is given.
    let lines = (0..<50).map { "2026-03-11 09:57:\(10 + $0 / 2) +0000,500,\($0 * 500)" }
    let csv = try folder.write("a.csv", "date,rr,since start\n" + lines.joined(separator: "\n") + "\n")
    let text = try folder.write("a.txt", (0..<50).map { "8\(10 + $0).5\n" }.joined())
    try shell("for f in a.csv a.txt; do gzip -n $f; head -c -9 $f.gz >cut.$f.gz; done")
    for (file, name) in [(csv, "cut.a.csv.gz"), (text, "cut.a.txt.gz")] {
      let whole = try dry("\(file).gz", "--start", Self.start)
      #expect(whole.status == 0 && whole.output.contains("would be stored: 0 rates, 51 beats"), "\(whole.output)")
      let cut = try dry("\(folder.path)/\(name)", "--start", Self.start)
      #expect(cut.status == 65 && cut.output.contains("would be stored: 0 rates, "), "\(cut.output)\(cut.errors)")
    }
  }

  @Test("a file of an archive that cannot be stored does not end the others, and names stay whole in messages")
  func badEntry() throws {
    _ = try exported()
    let whole = try bytes("out.fit")
    let bad = "date,rr,since start\n9999-12-31 23:59:59 +0000,800,800\n9999-12-31 23:59:59 +0000,800,90000000000\n"
    let zip = "\(folder.path)/all.zip"
    let entries = [
      (name: "1.csv", bytes: Array(bad.utf8)), (name: "2.fit", bytes: whole),
      (name: "i", bytes: Array(whole.dropLast(300))),
    ]
    try Data(InterchangeCommandTests.zip(entries)).write(to: URL(fileURLWithPath: zip))
    let outcome = try sensord.run("import", "--store", "\(folder.path)/other.sqlite", zip)
    #expect(outcome.status == 65)
    #expect(outcome.output.contains("\(zip)/2.fit: session fd81d2e6 stored: "), "\(outcome.output)")
    #expect(outcome.errors.contains("\(zip)/1.csv: "), "\(outcome.errors)")
    #expect(outcome.errors.contains("outside of the years 1 to 9999"), "\(outcome.errors)")
    #expect(outcome.errors.contains("\(zip)/i: "), "\(outcome.errors)")
    #expect(outcome.errors.contains(": the file ends here; its header promises "), "\(outcome.errors)")
  }

  @Test("Apple's export comes in packed by gzip, too")
  func apple() throws {
    let text =
      "\u{FEFF}\n<?xml version='1.0'?><HealthData>"
      + #"<Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" sourceName="W" "#
      + #"startDate="2024-03-01 07:10:00 -0800" endDate="2024-03-01 07:10:00 -0800" value="61"/></HealthData>"#
    let file = try folder.write("export.xml", text)
    try shell("gzip export.xml")
    let outcome = try dry("\(file).gz")
    #expect(outcome.status == 0 && outcome.output.contains("gz: 1 record\n"), "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("heartRate: 1 read, 1 new"), "\(outcome.output)")
    // Where nothing comes in, no store is made.
    let other = "\(folder.path)/new/other.sqlite"
    let none = try sensord.run("import", "--since", "2025-01-01T00:00:00Z", "--store", other, "\(file).gz")
    #expect(none.status == 0 && none.output.contains("1 record was not asked for"), "\(none.output)\(none.errors)")
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/new"))
  }

  @Test("where a ZIP file's list is damaged in its middle, files before and behind that come in by their own headers")
  func damagedList() throws {
    let span = #"sourceName="W" startDate="2024-03-01 07:10:00 +0000" endDate="2024-03-01 07:20:00 +0000""#
    let text =
      #"<HealthData><Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" value="61" \#(span)/>"#
      + #"<Workout workoutActivityType="HKWorkoutActivityTypeRunning" \#(span)><WorkoutRoute \#(span)>"#
      + #"<FileReference path="/workout-routes/r.gpx"/></WorkoutRoute></Workout></HealthData>"#
    let route =
      #"<gpx><trk><trkseg><trkpt lon="8.0" lat="50.0"><time>2024-03-01T07:11:00Z</time></trkpt></trkseg></trk></gpx>"#
    let files = [("a/export.xml", text), ("a/workout-routes/r.gpx", route), ("a/notes.txt", "x")]
    var zip = InterchangeCommandTests.zip(files.map { (name: $0.0, bytes: Array($0.1.utf8)) })
    let list = try #require(zip.indices.last { zip[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
    zip[list] = 0
    let file = "\(folder.path)/export.zip"
    try Data(zip).write(to: URL(fileURLWithPath: file))
    let outcome = try sensord.run("import", "--store", "\(folder.path)/damaged.sqlite", file)
    #expect(outcome.status == 65)
    #expect(outcome.output.contains("heartRate: 1 read, 1 new (samples: 1 stored)"), "\(outcome.output)")
    #expect(outcome.output.contains("workoutRoute: 1 read, 1 new (samples: 1 stored)"), "\(outcome.output)")
    #expect(outcome.errors.contains("byte \(list): the ZIP file's list of files is damaged"), "\(outcome.errors)")
  }

  @Test("a dry run tells of what stands in an export twice what an import does, with a store and without one")
  func repeatedInExport() throws {
    let span = #"sourceName="W" startDate="2024-03-01 07:10:00 +0000" endDate="2024-03-01 07:20:00 +0000""#
    let sleep =
      #"<Record type="HKCategoryTypeIdentifierSleepAnalysis" value="HKCategoryValueSleepAnalysisAsleepCore" \#(span)/>"#
    func workout(_ inner: String) -> String {
      #"<Workout workoutActivityType="HKWorkoutActivityTypeRunning" \#(span)>\#(inner)</Workout>"#
    }
    let more = workout(#"<MetadataEntry key="HKIndoorWorkout" value="1"/>"#)
    let file = try folder.write(
      "export.xml", "<HealthData>\(sleep)\(workout(""))\(sleep)\(more)\(workout(""))</HealthData>")
    for known in ["", sleep] {
      let store = "\(folder.path)/\(known.count).sqlite"
      if !known.isEmpty {
        let part = try folder.write("part.xml", "<HealthData>\(known)</HealthData>")
        #expect(try sensord.run("import", "--store", store, part).status == 0)
      }
      let dry = try sensord.run("import", "--dry-run", "--store", store, file)
      let real = try sensord.run("import", "--store", store, file)
      #expect(real.output.contains("1 stored, 1 replaced, 1 known already"), "\(real.output)")
      #expect(dry.output.replacing("would be ", with: "") == real.output, "\(dry.output)")
    }
  }

  @Test("of a ZIP file of activities each is told; what is no recording is counted")
  func archive() throws {
    _ = try exported()
    try shell("gzip -k out.fit")
    let whole = try bytes("out.fit")
    let others = [("a/x.csv", "a,b\n"), ("a/y.gpx", "x\n"), ("a/z.txt", "800\n"), ("a/n", "no\n"), ("a/", "")].map {
      (name: $0, bytes: Array($1.utf8))
    }
    let recordings = [
      (name: "a/1.fit.gz", bytes: try bytes("out.fit.gz")), (name: "a/2.fit", bytes: whole),
      (name: "a/3.fit", bytes: Array(whole.dropLast(300))),
    ]
    let zip = "\(folder.path)/all.zip"
    try Data(InterchangeCommandTests.zip(recordings + others)).write(to: URL(fileURLWithPath: zip))
    let outcome = try dry(zip)
    #expect(outcome.status == 65, "\(outcome.errors)")
    // All of one session, and the last one cut.
    for (name, told) in [
      ("1.fit.gz", "would be stored: "), ("2.fit", "is known already"), ("3.fit", "is known already"),
    ] {
      #expect(outcome.output.contains("\(zip)/a/\(name): session fd81d2e6 \(told)"), "\(outcome.output)")
    }
    #expect(
      outcome.output.hasSuffix(
        "\(zip): left out: 1 × csv file, 1 × gpx file, 1 × intervals as text: unpack them, and give each its --start, "
          + "1 × other file\n"), "\(outcome.output)")
    #expect(outcome.errorLines.count == 1, "\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("sensord: \(zip)/a/3.fit: byte "), "\(outcome.errors)")
    #expect(outcome.errors.contains(": the file ends here; its header promises "), "\(outcome.errors)")
    let own = try sensord.run("import", "--json", "--store", store, zip)
    #expect(own.output.components(separatedBy: #""outcome":"unchanged""#).count == 1 + 3, "\(own.output)")
    try Data(InterchangeCommandTests.zip(others)).write(to: URL(fileURLWithPath: zip))
    let none = try dry(zip)
    #expect(none.status == 65 && none.errors.contains("no file in it is Apple's export, FIT"), "\(none.errors)")
    #expect(none.errors.components(separatedBy: zip).count == 1 + 1, "\(none.errors)")
  }

  @Test("empty files, files of a few bytes and UTF-16 are told as what they are, each with its name once, and 65")
  func useless() throws {
    let file = try exported()
    try shell(": >empty; gzip -k empty; head -c 14 out.fit >head; head -c 9 out.fit >few; printf '8' >one")
    let wide = "\(folder.path)/wide"
    try Data([0xFF, 0xFE] + Array("<\0?\0x\0m\0l\0".utf8)).write(to: URL(fileURLWithPath: wide))
    let again = "copy it again from where it came from"
    for (name, reason) in [
      ("empty", "it is empty; \(again)"), ("empty.gz", "there is nothing in it; \(again)"),
      ("head", "byte 14: the file ends here; its header promises "),
      ("few", "it has 9 bytes, too few for any of FIT, "),
      ("wide", "it is text in UTF-16; save it as UTF-8"), ("none", ""),
    ] {
      let path = "\(folder.path)/\(name)"
      let outcome = try dry(path)
      #expect(outcome.status == (name == "none" ? 66 : 65), "\(outcome.errors)")
      #expect(outcome.errors.components(separatedBy: path).count == 1 + 1, "\(outcome.errors)")
      let line = name == "none" ? "sensord: cannot read \(path): no such file" : "sensord: \(path): \(reason)"
      #expect(outcome.errors.hasPrefix(line) && outcome.errorLines.count == 1, "\(outcome.errors)")
    }
    let head = try dry("\(folder.path)/head")
    #expect(head.errors.hasSuffix("; nothing came in before it: copy the file again from where it came from\n"))
    // One does not keep back the others, and the code does not depend on their order.
    for files in [["few", "out.fit", "none"], ["none", "few", "out.fit"]] {
      let outcome = try sensord.run(
        ["import", "--dry-run", "--store", "\(folder.path)/other.sqlite"] + files.map { "\(folder.path)/\($0)" })
      #expect(outcome.status == 66 && outcome.errorLines.count == 2, "\(outcome.errors)")
      #expect(outcome.output.hasPrefix("\(file): session fd81d2e6 would be stored: "), "\(outcome.output)")
    }
  }

  @Test("a pipe with a name is read if somebody writes into it, and else refused; standard input is -")
  func pipes() throws {
    let file = try exported()
    try shell("mkfifo pipe; gzip -kc out.fit >out.gz")
    let silent = try dry("\(folder.path)/pipe")
    #expect(silent.status == 66 && silent.errors.contains("nobody writes into this pipe; start "), "\(silent.errors)")
    let plain = try dry(file)
    let nothing = try OutputFile()
    let writer = try StartedProgram(
      "/bin/sh", ["-c", "cat \"$0/out.gz\" >\"$0/pipe\"", folder.path], environment: ["PATH": "/usr/bin:/bin"],
      output: nothing.descriptor, errors: nothing.descriptor)
    let outcome = try dry("\(folder.path)/pipe")
    #expect(writer.wait() == 0)
    #expect(outcome.output == plain.output.replacing(file, with: "\(folder.path)/pipe"), "\(outcome.errors)")
    let program = "'\(TestPlaces.programs)/sensord' import --dry-run --store other.sqlite -"
    #expect(try shell("cat out.gz | \(program)") == plain.output.replacing(file, with: "-"))
    #expect(try shell("\(program) <out.fit") == plain.output.replacing(file, with: "-"))
  }

  @Test("an output or input without a name is an error of usage, a folder is none for a file")
  func names() throws {
    _ = try exported()
    for arguments in [
      ["export", "last", "--format", "fit", "-o", ""], ["export", "last", "--format", "beats", "-o", ""],
      ["export", "last", "--into", ""], ["import", ""],
    ] {
      let outcome = try sensord.run(arguments + ["--store", store])
      #expect(outcome.status == 64 && outcome.errorLines.count == 1, "\(arguments): \(outcome.errors)")
    }
    let onFolder = try sensord.run("export", "last", "--format", "fit", "--store", store, "-o", folder.path)
    #expect(onFolder.status == 73 && onFolder.errors.contains("is a folder"), "\(onFolder.errors)")
    // A file is no folder for many.
    let many = try sensord.run(
      "export", "--from", "2020-01-01", "--format", "fit", "--store", store, "-o", "\(folder.path)/out.fit")
    #expect(many.status == 73 && many.errorLines.count == 1, "\(many.errors)")
  }

  @Test("one of a thing is told as one")
  func one() throws {
    let text = try folder.write("rr.txt", "800\n")
    let outcome = try dry("--start", Self.start, text)
    #expect(outcome.output.contains("stored: 0 rates, 2 beats, 0 gaps"), "\(outcome.output)\(outcome.errors)")
    let old = try dry("--start", Self.start, "--since", "2026-05-01T00:00:00Z", text)
    #expect(old.output == "\(text): 1 session ended before --since\n", "\(old.output)\(old.errors)")
  }

  @Test("text that is none of intervals is told by its first line; a heading or semicolons are no reason to refuse it")
  func lines() throws {
    for text in ["RR\n800\n810\n", "800;810", "800\n0\n810\n"] {
      let file = try folder.write("read.txt", text)
      let outcome = try dry("--start", Self.start, file)
      #expect(outcome.status == 0 && outcome.output.contains("would be stored: 0 rates, "), "\(outcome.errors)")
      #expect(
        outcome.output.contains(text.contains("\n0") ? "4 beats, 1 gap\n" : "3 beats, 0 gaps\n"), "\(outcome.output)")
    }
    let file = try folder.write("none.txt", "\nRR;beat\n800;1\n")
    let outcome = try dry("--start", Self.start, file)
    #expect(outcome.status == 65 && outcome.errorLines.count == 1)
    #expect(outcome.errors.contains("of intervals as text line 2 would be a number"), "\(outcome.errors)")
  }
}
