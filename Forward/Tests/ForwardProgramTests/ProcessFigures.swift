import Glibc
import TestSupport

/// What the system knows about a program that runs.
struct ProcessFigures {
  let program: StartedProgram

  /// There is no such process any more.
  struct Ended: Error {}

  init(_ program: StartedProgram) { self.program = program }

  /// How often each thread fell asleep so far, or was put aside; by its number.
  func switches() throws -> [String: Int] {
    var found: [String: Int] = [:]
    for thread in TemporaryFolder.names("\(program.folder)/task") {
      found[thread] =
        try figure("voluntary_ctxt_switches", in: "task/\(thread)/status")
        + figure("nonvoluntary_ctxt_switches", in: "task/\(thread)/status")
    }
    return found
  }

  /// The most memory that it had at once, in KiB; 0 after its end.
  var mostResident: Int { (try? figure("VmHWM", in: "status")) ?? 0 }

  private func figure(_ name: String, in path: String) throws -> Int {
    guard let file = unsafe fopen("\(program.folder)/\(path)", "r") else { throw Ended() }
    defer { unsafe fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = unsafe fread(&buffer, 1, buffer.count, file)
    let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
    // Of one that ended and was not waited for, the file has less.
    guard let line = lines.first(where: { $0.hasPrefix("\(name):") }), let figure = Int(line.filter(\.isNumber)) else {
      throw Ended()
    }
    return figure
  }
}
