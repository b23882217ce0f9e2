import Foundation
import TestSupport

/// A built program of this package, started as a process of its own; killed when the object goes.
final class Program: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Where SwiftPM put the programs that this test run was built with.
  static let folder =
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()

  /// Where the programs under test are: built like the tests, or for a long trial those that are released.
  static let programs =
    ProcessInfo.processInfo.environment["SENSORD_RELEASE"].map { URL(fileURLWithPath: $0) } ?? folder

  private let name: String
  private let process: StartedProgram
  private let output: OutputFile

  /// Starts `name` with `arguments`, its standard error going to the same text as its output; `mask` is its umask, where it
  /// is not that of the tests.
  init(_ name: String, _ arguments: [String], environment: [String: String] = [:], mask: Int? = nil) throws {
    self.name = name
    output = try OutputFile()
    var words = [Self.programs.appendingPathComponent(name).path] + arguments
    if let mask { words = ["sh", "-c", #"umask "$0"; exec "$@""#, String(mask, radix: 8)] + words }
    process = try StartedProgram(
      words[0], Array(words.dropFirst()), environment: Self.environment(environment), output: output.descriptor,
      errors: output.descriptor)
  }

  deinit {
    process.send(SIGKILL)
    process.wait()
  }

  private static func environment(_ changed: [String: String]) -> [String: String] {
    ProcessInfo.processInfo.environment.merging(changed) { $1 }
  }

  /// What it has printed so far: all of it, once it has ended.
  var text: String { output.text }

  var isRunning: Bool { process.status == nil }

  /// Sends SIGTERM.
  func interrupt() {
    process.send(SIGTERM)
  }

  /// Whether a SIGSTOP has stopped it.
  func isStopped() throws -> Bool {
    let status = try String(contentsOfFile: "\(process.folder)/stat", encoding: .utf8)
    // The state follows the name, which may have any characters in it.
    return status.split(separator: ")").last?.hasPrefix(" T") ?? false
  }

  /// The most kilobytes that it has had resident.
  func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "\(process.folder)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }

  func send(_ signal: Int32) {
    process.send(signal)
  }

  /// Its process.
  var identifier: Int32 { process.identifier }

  /// How many descriptors it has open.
  func descriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "\(process.folder)/fd").count
  }

  /// Sends SIGTERM and returns the exit status.
  func terminate() async throws -> Int32 {
    interrupt()
    return try await exitStatus()
  }

  /// SIGKILL, and waits until it is gone.
  func kill() async throws {
    send(SIGKILL)
    _ = try await exitStatus()
  }

  /// Waits for its end; the number of the signal where one ended it.
  func exitStatus() async throws -> Int32 {
    try await wait(for: "the end of \(name)") { !self.isRunning }
    return process.wait()
  }

  /// Waits until it has printed `text`.
  func printed(_ text: String) async throws {
    try await wait(for: "“\(text)”") { self.text.contains(text) }
  }

  /// Runs a program to its end, with `input` as its standard input, and gives what it printed.
  static func run(
    _ name: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String, errors: String) {
    let typed = Pipe()
    // It fits into the pipe, which somebody can read from as long as this function can.
    try typed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try typed.fileHandleForWriting.close()
    let (output, errors) = (try OutputFile(), try OutputFile())
    let process = try StartedProgram(
      name.hasPrefix("/") ? name : programs.appendingPathComponent(name).path, arguments,
      environment: Self.environment(environment), input: typed.fileHandleForReading.fileDescriptor,
      output: output.descriptor, errors: errors.descriptor)
    return (process.wait(), output.text, errors.text)
  }
}

/// Waits for a condition that a process outside brings about. It comes, however busy the machine is; the limit stands for
/// "never".
func wait(for what: String, until condition: () throws -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(300)
  while try !condition() {
    guard ContinuousClock.now < end else { throw Program.Failure(description: "waited in vain for \(what)") }
    try await Task.sleep(for: .milliseconds(20))
  }
}
