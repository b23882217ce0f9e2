import Glibc
import TestSupport
import Testing

/// `StoreFollower` in a process of its own, which ends with the object.
final class FollowerProcess {
  let program: StartedProgram
  private let output: Int32
  private var read: [UInt8] = []

  /// Where SwiftPM put the programs of this test run.
  static let folder: String = {
    guard let path = unsafe realpath("/proc/self/exe", nil) else { return "." }
    defer { unsafe free(path) }
    return unsafe String(cString: path).split(separator: "/").dropLast().map { "/\($0)" }.joined()
  }()

  init(_ arguments: String...) throws {
    var pipe: [Int32] = [-1, -1]
    #expect(unsafe Glibc.pipe(&pipe) == 0)
    output = pipe[0]
    for descriptor in pipe { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    defer { close(pipe[1]) }
    program = try StartedProgram(
      "\(Self.folder)/StoreFollower", arguments, output: pipe[1], errors: STDERR_FILENO)
  }

  deinit {
    program.send(SIGKILL)
    program.wait()
    close(output)
  }

  /// The words of the next line but for its time; waits for it.
  func nextLine() throws -> [String] {
    while true {
      if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
        let words = String(decoding: read[..<end], as: UTF8.self).split(separator: " ")
        read.removeSubrange(...end)
        return words.dropFirst().map(String.init)
      }
      var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      // A minute stands for never.
      let isTold = unsafe poll(&waiting, 1, 60_000) == 1
      try #require(isTold, "the follower says nothing")
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = unsafe Glibc.read(output, &bytes, bytes.count)
      try #require(count > 0, "the follower has ended")
      read += bytes[..<count]
    }
  }

  /// How often the thread of that name has gone to sleep so far.
  func wakeups(of thread: String) throws -> Int {
    guard let threads = unsafe opendir("\(program.folder)/task") else { throw Missing(name: thread) }
    defer { unsafe closedir(threads) }
    while let entry = unsafe readdir(threads) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      let lines = try? text(of: "\(program.folder)/task/\(name)/status").split(separator: "\n")
      guard let lines, lines.contains("Name:\t\(thread)") else { continue }
      let line = try #require(lines.first { $0.hasPrefix("voluntary_ctxt_switches:") })
      return try #require(Int(line.filter(\.isNumber)))
    }
    throw Missing(name: thread)
  }

  /// There is no such thread, or file.
  struct Missing: Error {
    var name: String
  }

  private func text(of path: String) throws -> String {
    guard let file = unsafe fopen(path, "r") else { throw Missing(name: path) }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
