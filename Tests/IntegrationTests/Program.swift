import Foundation
import Synchronization

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

  private let process: Process
  private let output = Mutex("")
  private let outputPipe = Pipe()

  /// Starts `name` with `arguments`, its standard error going to the same text as its output; `mask` is its umask, where it
  /// is not that of the tests.
  init(_ name: String, _ arguments: [String], environment: [String: String] = [:], mask: Int? = nil) throws {
    process = Process()
    let program = Self.programs.appendingPathComponent(name)
    if let mask {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", #"umask "$0"; exec "$@""#, String(mask, radix: 8), program.path] + arguments
    } else {
      process.executableURL = program
      process.arguments = arguments
    }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = outputPipe
    process.standardError = outputPipe
    outputPipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
      let data = handle.availableData
      guard !data.isEmpty else { return handle.readabilityHandler = nil }
      self?.output.withLock { $0 += String(decoding: data, as: UTF8.self) }
    }
    try process.run()
  }

  deinit {
    outputPipe.fileHandleForReading.readabilityHandler = nil
    if process.isRunning {
      process.kill()
      process.waitUntilExit()
    }
  }

  /// What it has printed so far.
  var text: String { output.withLock { $0 } }

  var isRunning: Bool { process.isRunning }

  /// Sends SIGTERM.
  func interrupt() {
    process.terminate()
  }

  /// Whether a SIGSTOP has stopped it.
  func isStopped() throws -> Bool {
    let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
    // The state follows the name, which may have any characters in it.
    return status.split(separator: ")").last?.hasPrefix(" T") ?? false
  }

  /// The most kilobytes that it has had resident.
  func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }

  func send(_ signal: Int32) {
    Glibc.kill(process.processIdentifier, signal)
  }

  /// How many descriptors it has open.
  func descriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
  }

  /// Sends SIGTERM and returns the exit status.
  func terminate() async throws -> Int32 {
    process.terminate()
    return try await exitStatus()
  }

  /// SIGKILL, and waits until it is gone.
  func kill() async throws {
    process.kill()
    _ = try await exitStatus()
  }

  func exitStatus(within seconds: Double = 30) async throws -> Int32 {
    try await wait(seconds, for: "the end of \(process.executableURL?.lastPathComponent ?? "")") { !self.isRunning }
    return process.terminationStatus
  }

  /// Waits until it has printed `text`.
  func printed(_ text: String, within seconds: Double = 30) async throws {
    try await wait(seconds, for: "“\(text)”") { self.text.contains(text) }
  }

  /// Runs a program to its end, with `input` as its standard input, and gives what it printed.
  static func run(
    _ name: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    let typed = Pipe()
    process.executableURL = name.hasPrefix("/") ? URL(fileURLWithPath: name) : programs.appendingPathComponent(name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input.isEmpty ? FileHandle.nullDevice : typed
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    if !input.isEmpty { typed.fileHandleForWriting.write(Data(input.utf8)) }
    try typed.fileHandleForWriting.close()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let errorText = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: text, as: UTF8.self), String(decoding: errorText, as: UTF8.self)
    )
  }
}

extension Process {
  fileprivate func kill() {
    Glibc.kill(processIdentifier, SIGKILL)
  }
}

/// Waits for a condition that a process outside brings about; a limit stands for "never".
func wait(_ seconds: Double, for what: String, until condition: () throws -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(seconds)
  while try !condition() {
    guard ContinuousClock.now < end else { throw Program.Failure(description: "waited in vain for \(what)") }
    try await Task.sleep(for: .milliseconds(20))
  }
}
