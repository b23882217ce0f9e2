import Foundation
import TestSupport
import Testing

/// The built program as a process: how it ends, and what it says.
@Suite("The program sensord-simulator", .timeLimit(.minutes(5)))
struct ProgramTests {
  private struct Result {
    let status: Int32
    let output: String
    let errors: String
  }

  /// SwiftPM puts programs where it puts the tests.
  private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("sensord-simulator")

  private func start(_ arguments: [String], errors: OutputFile) throws -> (StartedProgram, output: FileHandle) {
    let output = Pipe()
    let process = try StartedProgram(
      Self.program.path, arguments, output: output.fileHandleForWriting.fileDescriptor, errors: errors.descriptor)
    try output.fileHandleForWriting.close()
    return (process, output.fileHandleForReading)
  }

  private func run(_ arguments: [String]) throws -> Result {
    let (output, errors) = (try OutputFile(), try OutputFile())
    let process = try StartedProgram(
      Self.program.path, arguments, output: output.descriptor, errors: errors.descriptor)
    return Result(status: process.wait(), output: output.text, errors: errors.text)
  }

  private func temporary(_ text: String) throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("sim-\(UUID().uuidString).json").path
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  @Test("help and version go to standard output")
  func help() throws {
    #expect(try run(["--help"]).output.contains("USAGE: sensord-simulator"))
    #expect(try run(["--version"]).output == "sensord-simulator 0.1.0\n")
  }

  @Test("each failure has its exit code and one line")
  func failures() throws {
    let junk = try temporary("{")
    let empty = try temporary("{}")
    defer { for path in [junk, empty] { try? FileManager.default.removeItem(atPath: path) } }
    let cases: [([String], Int32)] = [
      ([], 64), (["--nonsense"], 64), (["--bus", "unix:path=/nowhere", "--scenario", "/nowhere"], 66),
      (["--bus", "unix:path=/nowhere", "--scenario", junk], 65),
      (["--bus", "unix:path=/nowhere", "--scenario", empty], 69),
      (["--bus", "unix:path=/nowhere", "--scenario", empty, "--log", "/nowhere/log"], 73),
      (["--bus", "unix:path=/nowhere", "--scenario", empty, "--control", "/nowhere/socket"], 73),
    ]
    for (arguments, status) in cases {
      let result = try run(arguments)
      #expect(result.status == status, "\(arguments): \(result.errors)")
      #expect(result.errors.hasPrefix("sensord-simulator: "))
      #expect(result.errors.filter { $0 == "\n" }.count == 1)
      #expect(result.output.isEmpty)
    }
  }

  @Test("it says ready, takes items on the control socket, writes the ground truth, and ends with 0 on SIGTERM")
  func control() throws {
    let bus = try PrivateBus()
    let log = bus.directory + "/truth"
    let socket = bus.directory + "/control"
    let (process, output) = try start(
      ["--bus", bus.address, "--strap", "H10@C0:FF:EE:00:00:01", "--log", log, "--control", socket],
      errors: OutputFile())
    #expect(String(decoding: output.availableData, as: UTF8.self) == "ready\n")
    let client = try ControlClient(socket)
    #expect(try client.ask(#"{"event": "battery", "value": 12}"#) == "ok")
    #expect(try client.ask(#"[{"event": "cease"}, {"event": "advertise"}]"#) == "ok")
    #expect(try client.ask(#"{"event": "explode"}"#) == "error unknown event 'explode'")
    #expect(try client.ask("nonsense") == "error not JSON")
    process.send(SIGTERM)
    #expect(process.wait() == 0)
    let truth = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    let events = try truth.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["ev"] as? String
    }
    #expect(events == ["ready", "advertising", "event", "event", "event", "advertising"])
    #expect(!FileManager.default.fileExists(atPath: socket))
    try FileManager.default.removeItem(atPath: log)
  }

  @Test("it ends with 69 when the bus goes")
  func lostBus() throws {
    let bus = try PrivateBus()
    let errors = try OutputFile()
    let (process, output) = try start(["--bus", bus.address, "--strap", "H10@C0:FF:EE:00:00:01"], errors: errors)
    #expect(String(decoding: output.availableData, as: UTF8.self) == "ready\n")
    bus.kill()
    #expect(process.wait() == 69)
    #expect(errors.text == "sensord-simulator: the bus is gone\n")
  }
}

/// The other end of the control socket.
private final class ControlClient {
  private let number: Int32

  struct Failure: Error {}

  init(_ path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let connected = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0 else { throw Failure() }
  }

  deinit {
    close(number)
  }

  /// Sends a line and gives the answer.
  func ask(_ line: String) throws -> String {
    let bytes = Array((line + "\n").utf8)
    guard unsafe write(number, bytes, bytes.count) == bytes.count else { throw Failure() }
    var answer: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(number, &byte, 1) == 1, byte != UInt8(ascii: "\n") { answer.append(byte) }
    return String(decoding: answer, as: UTF8.self)
  }
}
