import Glibc
import Reports
import TestSupport
import Testing

@testable import sensord

/// `sensord sql` with an answer that never ends.
@Suite("An endless answer of sql")
struct SQLProcessTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }

  /// Row after row, with the unpacked beats of the store read again for each.
  private static let query = """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    SELECT n.i, beats.time, printf('%0200d', n.i) AS padding FROM n CROSS JOIN beats
    """

  init() throws {
    _ = try sensord.run("replay", TestPlaces.everyRecord, "--store", store)
  }

  @Test(
    "is printed in constant memory; Ctrl-C ends it at once, and the store can be read and written as before",
    arguments: [[], ["--csv"], ["--json"]])
  func interrupted(form: [String]) throws {
    let child = try EndlessChild(["sql", Self.query, "--store", store] + form)
    try child.read(bytes: 512 << 10)
    let before = try child.peakKilobytes()
    try child.read(bytes: 2 << 20)
    #expect(try child.peakKilobytes() < before + 2048)
    #expect(child.interrupt() == -SIGINT)
    #expect(try sensord.run("check", "--store", store).status == 0)
    let added = try sensord.run("devices", "add", "C0:FF:EE:00:00:02", "--store", store)
    #expect(added.status == 0, "\(added.errors)")
  }
}

/// A program that writes more than is read of it.
private final class EndlessChild {
  private let program: StartedProgram
  private var output: Int32?

  init(_ arguments: [String]) throws {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw FileError(errno, "pipe", otherwise: .unavailable) }
    defer { close(ends[1]) }
    output = ends[0]
    program = try StartedProgram(
      "\(TestPlaces.programs)/sensord", arguments, environment: ["TZ": "UTC", "SWIFT_BACKTRACE": "enable=no"],
      output: ends[1], errors: STDERR_FILENO)
  }

  deinit {
    program.send(SIGKILL)
    program.wait()
    closeOutput()
  }

  /// Reads so many bytes of what it prints.
  func read(bytes: Int) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var rest = bytes
    while rest > 0 {
      let count = unsafe Glibc.read(output ?? -1, &buffer, min(rest, buffer.count))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileError(errno, "the answer has ended", otherwise: .unavailable) }
      rest -= count
    }
  }

  /// The most that it has had resident.
  func peakKilobytes() throws -> Int {
    let status = try String(decoding: FileAccess.read("\(program.folder)/status"), as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
  }

  /// Sends what Ctrl-C sends, and waits for the end: the exit status, or less than zero for the signal that ended it.
  func interrupt() -> Int32 {
    program.send(SIGINT)
    // One that does not end by that ends by its pipe, and its status tells.
    closeOutput()
    return program.wait()
  }

  private func closeOutput() {
    guard let descriptor = output else { return }
    close(descriptor)
    output = nil
  }
}
