import Captures
import Documents
import Glibc
import HealthModel
import Ingestion
import Reports
import SeriesStore
import Support
import TestSupport
import Testing

@testable import sensord

/// From a capture to a stored session and out again, with the built program.
@Suite("Replay, show, export and delete")
struct ReplayCommandTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }

  /// A capture with every kind of record; its sensor's name tries to clear the screen.
  private var capture: String { TestPlaces.everyRecord }

  @Test("a capture is stored once, and a second time says that there is nothing new")
  func once() throws {
    let first = try sensord.run("replay", capture, "--store", store)
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.contains("session 0f6a1c52 stored: 3 notifications"))
    let second = try sensord.run("replay", capture, "--store", store)
    #expect(second.status == 0)
    #expect(second.output.contains("nothing new"))
    let json = try sensord.run("replay", capture, "--store", store, "--json")
    #expect(json.output.contains(#""session":"0f6a1c52-9d1e-4a35-8c1b-2b8f5a7e9d01","outcome":"unchanged","#))
    #expect(try sensord.run("sessions", "--store", store).output.split(separator: "\n").count == 2)
  }

  @Test("a session is found by its first digits and by last, and shown without letting its sensor's name act")
  func show() throws {
    _ = try sensord.run("replay", capture, "--store", store)
    let shown = try sensord.run("show", "0F6A1C52", "--store", store)
    #expect(shown.status == 0)
    #expect(shown.output.contains("Sensor    Strap �[2J�♥, C0:FF:EE:00:00:01"))
    #expect(shown.output == (try sensord.run("show", "last", "--store", store).output))
    let json = try sensord.run("show", "last", "--store", store, "--json")
    #expect(json.output.contains(#""device":{"name":"Strap \u001b[2J\n♥","address":"C0:FF:EE:00:00:01"}"#))
    #expect(json.output.hasSuffix("}]}\n"))
    for text in [shown.output, json.output, try sensord.run("sessions", "--store", store).output] {
      #expect(!text.contains("\u{1B}"))
    }
  }

  @Test("an export into a file is the same as on stdout, is readable by its owner alone, and replaces what was there")
  func export() throws {
    _ = try sensord.run("replay", capture, "--store", store)
    for (format, heading) in [("beats", BeatsExport.heading), ("rates", RatesExport.heading)] {
      let printed = try sensord.run("export", "last", "--format", format, "--store", store)
      #expect(printed.status == 0 && printed.output.hasPrefix(heading))
      let file = try folder.write(format + ".csv", "something else")
      #expect(try sensord.run("export", "last", "--format", format, "--store", store, "-o", file).status == 0)
      #expect(try String(decoding: FileAccess.read(file), as: UTF8.self) == printed.output)
      #expect(TestPlaces.mode(file) == 0o600)
    }
  }

  @Test("an export that cannot be written ends with 73 or 74 and leaves nothing behind")
  func unwritable() throws {
    _ = try sensord.run("replay", capture, "--store", store)
    let names = folder.names
    for (place, code) in [("/none/x.csv", Code.cannotCreate), ("", .cannotCreate)] {
      let outcome = try sensord.run(
        "export", "last", "--format", "beats", "--store", store, "-o", folder.path + place)
      #expect(outcome.status == code.rawValue && outcome.errorLines.count == 1)
    }
    let full = try sensord.run("export", "last", "--format", "beats", "--store", store, "-o", "/dev/full")
    #expect(full.status == Code.inputOutput.rawValue)
    #expect(folder.names == names)
  }

  @Test("a deleted session is gone, stays gone, and comes back only when asked for")
  func delete() throws {
    _ = try sensord.run("replay", capture, "--store", store)
    #expect(try sensord.run("delete", "0f6a1c52", "--store", store).status == 0)
    #expect(try sensord.run("sessions", "--json", "--store", store).output == "[]\n")
    #expect(try sensord.run("show", "0f6a1c52", "--store", store).status == Code.noInput.rawValue)
    let again = try sensord.run("replay", capture, "--store", store)
    #expect(again.status == 0 && again.output.contains("deleted before"))
    #expect(try sensord.run("replay", capture, "--store", store, "--restore").output.contains("stored"))
    #expect(try sensord.run("sessions", "--store", store).output.contains("0f6a1c52"))
  }

  @Test("deleting a session deletes its kept capture too")
  func deleteCapture() throws {
    _ = try sensord.run("replay", capture, "--store", store)
    let text = try String(decoding: FileAccess.read(capture), as: UTF8.self)
    let kept = try folder.write("store.captures/0f6a1c52-9d1e-4a35-8c1b-2b8f5a7e9d01.capture", text)
    let other = try folder.write("store.captures/1f6a1c52-9d1e-4a35-8c1b-2b8f5a7e9d01.capture", text)
    #expect(try sensord.run("delete", "0f6a1c52", "--store", store).status == 0)
    #expect(!FileAccess.exists(kept))
    #expect(FileAccess.exists(other))
  }

  @Test("a session that only the journal has is deleted where no recorder runs, and otherwise stays, with the reason")
  func deleteUnstored() throws {
    #expect(try sensord.run("devices", "add", "C0:FF:EE:00:00:01", "--store", store).status == 0)
    let ended = try String(decoding: FileAccess.read(capture), as: UTF8.self)
    let open = ended.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
    let segment = "store.journal/00000001.journal"
    for (text, reason) in [(open, "still being recorded"), (ended, "being stored just now")] {
      try folder.write(segment, text)
      #expect(try sensord.run("sessions", "--store", store).output.contains("0f6a1c52"))
      let lock = unsafe Glibc.open(folder.path + "/store.journal", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      #expect(flock(lock, LOCK_EX) == 0)
      let refused = try sensord.run("delete", "0f6a1c52", "--store", store)
      #expect(refused.status == Code.locked.rawValue && refused.errors.contains(reason), "\(refused.errors)")
      // Given back by name: a program that another test is just starting has a copy of the descriptor until its exec.
      #expect(flock(lock, LOCK_UN) == 0)
      close(lock)
      let deleted = try sensord.run("delete", "0f6a1c52", "--store", store)
      #expect(deleted.status == 0 && deleted.output.contains("is deleted"), "\(deleted.errors)")
      #expect(try sensord.run("sessions", "--json", "--store", store).output == "[]\n")
      #expect(
        try !String(decoding: FileAccess.read(folder.path + "/" + segment), as: UTF8.self).contains("105a4b04a701"))
    }
  }

  @Test("a capture without a notification is no session")
  func nothingIn() throws {
    let text = try String(decoding: FileAccess.read(capture), as: UTF8.self)
    let file = try folder.write(
      "none.capture", text.split(separator: "\n").filter { !$0.contains(" m ") }.joined(separator: "\n") + "\n")
    let outcome = try sensord.run("replay", file, "--store", store)
    #expect(outcome.status == Code.badData.rawValue && outcome.errors.contains("no notification"), "\(outcome.errors)")
    #expect(!FileAccess.exists(store))
  }

  @Test(
    "records that only a later version knows are told in one line, and the rest is stored; check finds nothing wrong")
  func laterKinds() throws {
    var lines = try String(decoding: FileAccess.read(capture), as: UTF8.self).split(separator: "\n")
    lines += ["1 8443000000 ecg 1 2 3 084b114a", "workout 7 6855ea41"]
    let file = try folder.write("later.capture", lines.joined(separator: "\n") + "\n")
    let outcome = try sensord.run("replay", file, "--store", store)
    #expect(outcome.status == 0 && outcome.output.contains("3 notifications"))
    #expect(
      outcome.errors
        == "sensord: \(file): record \(lines.count - 1) is of a kind that only a later sensord knows (ecg); such records: 2; what is known is used\n"
    )
    #expect(try sensord.run("check", "--store", store).status == 0)
  }

  @Test("three digits name no session, and the message says how many do")
  func tooFewDigits() throws {
    _ = try sensord.run("replay", capture, "--store", store)
    let outcome = try sensord.run("show", "0f6", "--store", store)
    #expect(outcome.status == Code.noInput.rawValue && outcome.errors.contains("at least 4 digits"))
    let whole = try sensord.run("show", "0f6a1c529d1e4a358c1b2b8f5a7e9d01", "--store", store)
    #expect(whole.status == 0, "as session_list spells it")
  }

  @Test("old sessions are renewed from their kept captures, in place, and those that have none are named")
  func rebuild() async throws {
    let present = folder.path + "/present.sqlite"
    _ = try sensord.run("replay", capture, "--store", present)
    let shown = try sensord.run("show", "last", "--store", present, "--json").output
    let none = try sensord.run("replay", "--rebuild", "--store", present)
    #expect(none.status == 0 && none.output.contains("1 session is of the present algorithm"))
    try await storeOfEarlierAlgorithm()
    let missing = try sensord.run("replay", "--rebuild", "--store", store)
    #expect(missing.status == 0 && missing.output == "session 0f6a1c52 has no kept capture and stays as it is\n")
    let named = try sensord.run("replay", "--rebuild", "0f6a1c52", "--store", store)
    #expect(named.status == Code.noInput.rawValue && named.errorLines.count == 1)
    let text = try String(decoding: FileAccess.read(capture), as: UTF8.self)
    let name = "store.captures/0f6a1c52-9d1e-4a35-8c1b-2b8f5a7e9d01.capture"
    // In the middle of the third measurement: what was stored is more than the capture has.
    let cut = try #require(text.firstRange(of: "8125457013 m")).upperBound
    try folder.write(name, String(text[..<cut]))
    #expect(try sensord.run("replay", "--rebuild", "--store", store).output.contains("only 2 of 3 notifications"))
    try folder.write(name, text)
    let renewed = try sensord.run("replay", "--rebuild", "0F6A1C52", "--store", store)
    #expect(renewed.status == 0 && renewed.output.hasPrefix("session 0f6a1c52 renewed from algorithm 0 to "))
    #expect(try sensord.run("show", "last", "--store", store, "--json").output == shown)
    #expect(try sensord.run("sessions", "--store", store).output.split(separator: "\n").count == 2)
    let json = try sensord.run("replay", "--rebuild", "--json", "--store", store)
    #expect(json.output.contains(#"{"session":"0f6a1c52-9d1e-4a35-8c1b-2b8f5a7e9d01","outcome":"unchanged"}"#))
    #expect(try sensord.run("replay", "--rebuild", "ffff", "--store", store).status == Code.noInput.rawValue)
    #expect(try sensord.run("replay", "--rebuild", capture, capture, "--store", store).status == Code.usage.rawValue)
    #expect(try sensord.run("replay", "--store", store).status == Code.usage.rawValue)
  }

  /// Stores the capture's session as an earlier algorithm did.
  private func storeOfEarlierAlgorithm() async throws {
    let read = try #require(try CaptureFile.read(path: capture).captures.first)
    var session = try RecordedSession(of: read, version: SensordCommand.version)
    session.quality.algorithmVersion = nil
    let writer = try HealthStore.open(store, for: .writing)
    _ = try await writer.commit(session)
    await writer.close()
  }

  @Test("a capture that is cut off is stored up to there, and the place is named")
  func cutOff() throws {
    let text = try String(decoding: FileAccess.read(capture), as: UTF8.self)
    // In the middle of the third measurement.
    let end = try #require(text.firstRange(of: "8125457013 m")).upperBound
    let cut = try folder.write("cut.capture", String(text[..<end]))
    let outcome = try sensord.run("replay", cut, "--store", store)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errorLines.count == 1 && outcome.errors.contains("cut.capture: record "))
    #expect(try sensord.run("replay", capture, "--store", store).output.contains("replaced a shorter form"))
    #expect(try sensord.run("sessions", "--store", store).output.split(separator: "\n").count == 2)
  }

  @Test("of several files the good ones are stored, the bad ones told, and the code is of the last bad one")
  func several() throws {
    let letter = try folder.write("letter", "Dear reader,\n")
    let outcome = try sensord.run("replay", letter, capture, folder.path + "/none", "--store", store)
    #expect(outcome.status == Code.noInput.rawValue)
    #expect(outcome.errorLines.count == 2 && outcome.errors.contains("letter"))
    #expect(outcome.output.contains("0f6a1c52 stored"))
  }

  @Test("a store of a newer version ends with 65")
  func newerStore() throws {
    _ = try sensord.run("replay", capture, "--store", store)
    var bytes = try FileAccess.read(store)
    // Behind the store's UUID stands the oldest layout whose programs may read it, and the same for writing.
    let row = try sensord.run("sql", "SELECT hex(uuid) AS uuid FROM store", "--csv", "--store", store)
    let uuid = try #require(row.output.split(separator: "\n").last.flatMap { Hexadecimal.bytes(String($0)) })
    let place = try #require(bytes.firstRange(of: uuid)).upperBound
    #expect(bytes[place...].starts(with: [2, 2]))
    bytes.replaceSubrange(place..<place + 2, with: [0x7F, 0x7F])
    let newer = folder.path + "/newer.sqlite"
    let file = try ReplacedFile(path: newer)
    try file.write(bytes)
    try file.finish()
    for command in ["sessions", "devices"] {
      let outcome = try sensord.run(command, "--store", newer)
      #expect(outcome.status == Code.badData.rawValue && outcome.errorLines.count == 1, "\(outcome.errors)")
    }
    #expect(try FileAccess.read(newer) == bytes)
  }

  @Test(
    "a real recording gives the same session from either form of its capture",
    .enabled(if: TestPlaces.data != nil, "left out: SENSORD_TEST_DATA is not set"))
  func recording() throws {
    let data = try #require(TestPlaces.data)
    var exports: Set<String> = []
    for form in ["h4", "mon"] {
      let file = "\(data)/btsnoop/h10_kbroman_pvc_10min.\(form).btsnoop"
      let path = "\(folder.path)/\(form).sqlite"
      let outcome = try sensord.run("replay", file, "--store", path)
      #expect(outcome.status == 0 && outcome.output.contains("600 notifications, 798 beats, 0 gaps"))
      let beats = try sensord.run("export", "last", "--format", "beats", "--store", path).output
      exports.insert(beats + (try sensord.run("export", "last", "--format", "rates", "--store", path).output))
      let ticks = beats.split(separator: "\n").dropFirst().map { Int($0.split(separator: ",")[3]) ?? 0 }
      #expect(ticks.count == 798)
      #expect(FixedPoint.text(Double(ticks.reduce(0, +)) / 1_024, digits: 3) == "599.448")
    }
    #expect(exports.count == 1)
    let other = try sensord.run(
      "replay", "\(data)/btsnoop/h10_kbroman_pvc_10min.mon.btsnoop", "--store", "\(folder.path)/h4.sqlite")
    #expect(other.status == 0 && other.output.contains("nothing new"))
  }
}
