import DBus
import Glibc
import Reports
import TestSupport
import Testing

@testable import sensord

/// The demo as a person starts it: three processes, one of which is killed.
@Suite("Demo from outside", .serialized)
struct DemoProcessTests {
  private static var isComplete: Bool {
    ["sensord", "sensord-simulator"].allSatisfy { FileAccess.exists("\(TestPlaces.programs)/\($0)") }
      && ProgramSearch.find("dbus-daemon", path: nil) != nil
  }

  @Test(
    "the bus is killed in the middle, and the session is stored with a gap",
    .enabled(if: isComplete, "left out: sensord-simulator or dbus-daemon is missing"))
  func killedBus() throws {
    let folder = TemporaryFolder()
    let store = folder.path + "/demo.sqlite"
    let demo = try RunningDemo(["demo", "--duration", "600", "--store", store])
    try demo.wait(for: "session begins")
    let children = demo.children
    #expect(children.map(\.name).sorted() == ["dbus-daemon", "sensord", "sensord-simulat"])
    let bus = try #require(children.first { $0.name == "dbus-daemon" })
    kill(bus.identifier, SIGKILL)
    try demo.wait(for: "the message bus ended (signal 9); starting it again")
    try demo.wait(for: "linked over")
    // Until the live line has counted more beats after the gap.
    var before: Int?
    try demo.wait(for: "more beats") { line in
      let words = line.split(separator: " · ")
      guard words.contains("1 gap"), let beats = words.first(where: { $0.hasSuffix(" beats") })?.split(separator: " "),
        let count = Int(beats[0])
      else { return false }
      defer { before = before ?? count }
      return count > before ?? count
    }
    kill(demo.identifier, SIGINT)
    let (status, lines) = demo.finish()
    #expect(status == 0, "\(lines)")
    #expect(lines.contains { $0.contains("Stored in \(store)") })
    let sessions = try BuiltProgram(in: folder).run("sessions", "--json", "--store", store).output
    #expect(sessions.split(separator: "\n").count == 3, "one session: \(sessions)")
    #expect(sessions.contains(#""gaps":1,"runs":2"#), "\(sessions)")
  }

  @Test(
    "Ctrl-C ends the demo early, and what was recorded is stored",
    .enabled(if: isComplete, "left out: sensord-simulator or dbus-daemon is missing"))
  func interrupted() throws {
    let folder = TemporaryFolder()
    let demo = try RunningDemo(["demo", "--duration", "600", "--store", folder.path + "/demo.sqlite"])
    try demo.wait(for: "session begins")
    let children = demo.children
    kill(demo.identifier, SIGINT)
    #expect(demo.finish().status == 0)
    #expect(children.allSatisfy { kill($0.identifier, 0) != 0 }, "nothing is left running")
  }
}

/// A demo whose output is read line by line.
private final class RunningDemo {
  let identifier: pid_t
  private let process: ChildProcess
  private var lines: [String] = []
  private var rest: [UInt8] = []

  init(_ arguments: [String]) throws {
    let program = ChildProgram(
      title: "the demo", path: "\(TestPlaces.programs)/sensord", arguments: arguments,
      environment: ["SWIFT_BACKTRACE": "enable=no"])
    process = try ChildProcess(program, launcher: "\(TestPlaces.programs)/sensord")
    identifier = process.identifier
  }

  deinit {
    kill(identifier, SIGKILL)
  }

  /// Reads on until a line holds `text`.
  func wait(for text: String) throws {
    try wait(for: text) { $0.contains(text) }
  }

  /// Reads on until a line is one that is meant; each new line is asked about once.
  func wait(for what: String, _ isMeant: (String) -> Bool) throws {
    var seen = lines.count
    while true {
      while seen < lines.count {
        seen += 1
        if isMeant(lines[seen - 1]) { return }
      }
      guard readMore() else { throw Failure(text: "the demo ended before \"\(what)\": \(lines)") }
    }
  }

  /// Reads to the end.
  func finish() -> (status: Int32, lines: [String]) {
    while readMore() {}
    var status: CInt = 0
    unsafe waitpid(identifier, &status, 0)
    return (status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F), lines)
  }

  /// The processes that it has started.
  var children: [(identifier: pid_t, name: String)] {
    let path = "/proc/\(identifier)/task/\(identifier)/children"
    let text = (try? FileAccess.read(path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.split(separator: " ").compactMap { word in
      guard let number = pid_t(word), let name = try? FileAccess.read("/proc/\(number)/comm") else { return nil }
      return (number, String(decoding: name.dropLast(), as: UTF8.self))
    }
  }

  struct Failure: Error {
    var text: String
  }

  private func readMore() -> Bool {
    var poll = pollfd(fd: process.output.number, events: Int16(POLLIN), revents: 0)
    guard unsafe Glibc.poll(&poll, 1, 300_000) == 1, let bytes = process.read() else { return false }
    rest += bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(String(decoding: rest[..<end], as: UTF8.self))
      rest.removeFirst(end + 1)
    }
    return true
  }
}
