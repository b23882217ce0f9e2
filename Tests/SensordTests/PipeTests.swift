import Glibc
import Reports
import TestSupport
import Testing

@testable import sensord

/// Pipes in places where files are meant: nobody may ever open their other end.
@Suite("A pipe in the place of a file")
struct PipeTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private let pipe: String

  init() throws {
    pipe = folder.path + "/pipe"
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
  }

  @Test(
    "is no store for any command, which does not wait for it",
    arguments: [
      ["sessions"], ["show", "last"], ["stats", "heartRate", "--every", "1d"], ["check"], ["sql", "SELECT 1"],
      ["devices", "add", "C0:FF:EE:00:00:02"], ["devices", "list"], ["delete", "abcd"], ["run"],
    ])
  func store(command: [String]) throws {
    let outcome = try sensord.run(command + ["--store", pipe])
    #expect(outcome.status == Code.badData.rawValue, "\(outcome.errors)")
    #expect(outcome.errors.contains("no store of sensord"), "\(outcome.errors)")
    #expect(folder.names.allSatisfy { $0 == "pipe" || $0 == "pipe.journal" }, "\(folder.names)")
  }

  @Test("is no configuration")
  func configuration() throws {
    let outcome = try sensord.run("run", "--config", pipe, "--store", folder.path + "/a.sqlite")
    #expect(outcome.status == Code.badData.rawValue && outcome.errors.contains("is a pipe"), "\(outcome.errors)")
  }

  @Test("is not written where another user made it, who may be reading")
  func foreign() throws {
    // Only root can make a pipe another user's; anybody else finds their own, which they named on purpose.
    let isRoot = geteuid() == 0
    if isRoot { #expect(unsafe chown(pipe, 65_534, gid_t.max) == 0) }
    let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    func write() throws(FileError) {
      let file = try ReplacedFile(path: pipe)
      try file.write([1, 2, 3])
      try file.finish()
    }
    if isRoot {
      let failure = #expect(throws: FileError.self) { try write() }
      #expect(failure?.code == .permission)
    } else {
      try write()
    }
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(unsafe read(reader, &bytes, bytes.count) == (isRoot ? 0 : 3))
  }

  @Test("without a name is written, whoever made it: sudo leaves it the person's")
  func unnamed() throws {
    var ends: [CInt] = [-1, -1]
    #expect(unsafe Glibc.pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    let file = try ReplacedFile(path: "/proc/self/fd/\(ends[1])")
    try file.write([1, 2, 3])
    try file.finish()
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(unsafe read(ends[0], &bytes, bytes.count) == 3)
  }
}
