import Glibc
import Reports
import TestSupport
import Testing

@testable import sensord

/// Limits that a shell or a service manager sets for the program.
@Suite("A limit of the process")
struct ProcessLimitTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }
  private let capture = TestPlaces.everyRecord

  @Test("a file that may not grow is an error like a full disk, and nothing half-made is left behind")
  func fileSize() throws {
    for command in [["devices", "add", "C0:FF:EE:00:00:02"], ["replay", capture]] {
      let outcome = try sensord.run(command + ["--store", store], limited: "-f 8")
      #expect(outcome.status == Code.inputOutput.rawValue, "\(command) ends with \(outcome.status)")
      #expect(outcome.errors.contains("limit") && outcome.errorLines.count == 1, "\(outcome.errors)")
      #expect(folder.names.isEmpty, "\(folder.names)")
    }
  }

  @Test("a commit that does not fit leaves the store as it was")
  func commit() throws {
    #expect(try sensord.run("devices", "add", "C0:FF:EE:00:00:02", "--store", store).status == 0)
    // In units of 512 bytes: the file as it is, and a log of one page.
    let outcome = try sensord.run("replay", capture, "--store", store, limited: "-f 40")
    #expect(outcome.status == Code.inputOutput.rawValue, "\(outcome.status)")
    #expect(outcome.errors.contains("limit"), "\(outcome.errors)")
    #expect(try sensord.run("check", "--store", store).status == 0)
    #expect(try sensord.run("sessions", "--json", "--store", store).output == "[]\n")
  }

  @Test("an export that does not fit leaves what was there")
  func export() throws {
    _ = try sensord.run("replay", capture, "--store", store)
    let path = try folder.write("out/beats.csv", "old")
    let outcome = try sensord.run(
      "export", "last", "--format", "beats", "-o", path, "--store", store, limited: "-f 0")
    #expect(outcome.status == Code.inputOutput.rawValue, "\(outcome.status)")
    #expect(try FileAccess.read(path) == Array("old".utf8))
    #expect(TemporaryFolder.names(folder.path + "/out") == ["beats.csv"])
  }

  @Test("too many open files are not blamed on owner and mode")
  func descriptors() throws {
    _ = try sensord.run("replay", capture, "--store", store)
    let outcome = try sensord.run("sql", "SELECT count(*) FROM sessions", "--store", store, limited: "-n 4")
    #expect(outcome.status == Code.inputOutput.rawValue, "\(outcome.status)")
    #expect(
      outcome.errors.contains("too many files are open") && !outcome.errors.contains("owner"), "\(outcome.errors)")
  }

  @Test("a file of ten gigabytes that is no capture is refused by its beginning")
  func hugeFiles() throws {
    for (name, beginning, words) in [
      ("zeros", "", "nothing is readable"), ("notes", "notes\n", "no capture"),
      ("snoop", "btsnoop\0", "version 0 is not supported"),
    ] {
      let path = try folder.write("big/\(name)", beginning)
      #expect(unsafe truncate(path, 10 << 30) == 0)
      let outcome = try sensord.run("replay", path, "--store", store, limited: "-v 400000")
      #expect(outcome.status == Code.badData.rawValue, "\(name): \(outcome.status) \(outcome.errors)")
      #expect(outcome.errors.contains(words) && outcome.errorLines.count == 1, "\(outcome.errors)")
    }
  }

  @Test("one value of hundreds of megabytes is refused, not unpacked")
  func hugeValue() throws {
    _ = try sensord.run("devices", "add", "C0:FF:EE:00:00:02", "--store", store)
    for form in [[], ["--csv"], ["--json"]] {
      let outcome = try sensord.run(
        ["sql", "SELECT randomblob(200000000)", "--store", store] + form, limited: "-v 400000")
      #expect(outcome.status == Code.usage.rawValue && outcome.errors.contains("too big"), "\(outcome.errors)")
    }
  }
}
