import FoundationEssentials
import TestSupport
import Testing

/// `StoreDamager`, in processes of its own: what ends one by a signal is a damage with a number.
@Suite("Random damages of a store")
struct DamagedStoreTests {
  private let folder = TemporaryFolder(inMemory: true)
  private static let capture =
    "\(#filePath.dropLast("SeriesStoreTests/DamagedStoreTests.swift".count))CapturesTests/Fixtures/every-record.capture"

  private func run(_ arguments: [String]) throws -> (status: Int32, lines: [Substring]) {
    let output = try OutputFile()
    let errors = try OutputFile()
    let program = try StartedProgram(
      "\(FollowerProcess.folder)/StoreDamager", arguments,
      environment: ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"], output: output.descriptor,
      errors: errors.descriptor)
    let status = program.wait()
    if status != 0 { Issue.record("\(arguments) ended with \(status): \(errors.text.suffix(2000))") }
    return (status, output.text.split(separator: "\n"))
  }

  /// The same ones each time: `make soak` tries others.
  @Test(
    "end no process, take little memory, and what they change in any answer is named, by that answer or by a check",
    arguments: 0..<4)
  func named(part: Int) throws {
    let sound = "\(folder.path)/sound.sqlite"
    _ = try run(["sound", sound, "24", Self.capture])
    let count = 50
    let (status, lines) = try run([
      "try", sound, "20261123", "\(part * count)", "\(count)", "\(folder.path)/copy.sqlite",
    ])
    // The last number that it told is that of the damage that ended it.
    let at = lines.last { $0.hasPrefix("at ") } ?? ""
    #expect(status == 0, "seed 20261123 \(at)")
    for fault in lines where fault.hasPrefix("fault ") { Issue.record("seed 20261123, \(fault)") }
    // Of some of them at least something is to be seen.
    let changed = lines.filter { $0.hasPrefix("kind ") }.compactMap { Int($0.split(separator: " ")[3]) }.reduce(0, +)
    #expect(changed > 0)
  }
}
