import Foundation
import TestSupport

/// The plain `sqlite3` program with a store open, asked line by line: it keeps a transaction for as long as a test wants.
final class SQLiteShell {
  static let path = "/usr/bin/sqlite3"
  /// Whether this machine has it.
  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  private let process: StartedProgram
  private let input = Pipe()
  private let output = Pipe()
  private var questions = 0

  /// Opens the database.
  init(_ database: String) throws {
    process = try StartedProgram(
      Self.path, ["-batch", database], input: input.fileHandleForReading.fileDescriptor,
      output: output.fileHandleForWriting.fileDescriptor, errors: output.fileHandleForWriting.fileDescriptor)
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.wait()
  }

  /// Runs statements and gives what was printed, errors too.
  func ask(_ statements: String) throws -> String {
    questions += 1
    let mark = "answer \(questions) ends\n"
    try input.fileHandleForWriting.write(contentsOf: Data("\(statements)\n.print \(mark)".utf8))
    var answer = Data()
    while answer.range(of: Data(mark.utf8)) == nil {
      let part = output.fileHandleForReading.availableData
      guard !part.isEmpty else { throw Program.Failure(description: "sqlite3 ended") }
      answer += part
    }
    return String(decoding: answer.dropLast(mark.utf8.count), as: UTF8.self)
  }

  /// Runs statements in a process of their own and gives what was printed, errors too.
  static func ask(_ database: String, _ statements: String) throws -> String {
    let result = try Program.run(path, [database, statements])
    return result.output + result.errors
  }
}
