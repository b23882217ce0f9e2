internal import Recordings
internal import Glibc
internal import StoreCommands

/// How to start one of the processes of the demo.
struct ChildProgram: Hashable {
  /// What it is called in messages.
  var title: String
  var path: String
  var arguments: [String]
  /// Variables that differ from this process's.
  var environment: [String: String] = [:]
}

/// Where programs are.
enum ProgramSearch {
  /// The path of this very program.
  static func own() throws(CommandFailure) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { throw CommandFailure(.internalError, "/proc/self/exe cannot be read") }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The program `name` in `first` or else in the folders of `PATH`; nil where none can be executed.
  static func find(_ name: String, first: String? = nil, path: String?) -> String? {
    let folders = [first].compactMap { $0 } + (path ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
    return folders.map { "\($0)/\(name)" }.first { unsafe access($0, X_OK) == 0 }
  }
}
