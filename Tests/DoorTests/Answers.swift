import DBus
import Foundation
import Testing

// Answers of queries, as a program reads them.

extension Connection {
  /// Asks for an answer, and reads it to its end.
  func answer(_ kind: String, _ query: [String: Value]) async throws -> String {
    try await open(kind, query).text()
  }

  /// The lines of an answer.
  func lines(_ kind: String, _ query: [String: Value] = [:]) async throws -> [AnswerLine] {
    try await answer(kind, query).split(separator: "\n").map {
      try JSONDecoder().decode(AnswerLine.self, from: Data($0.utf8))
    }
  }

  /// Asks for an answer; the end of the pipe through which it comes.
  func open(_ kind: String, _ query: [String: Value] = [:]) async throws -> SharedDescriptor {
    let body = try await ask("HealthStore1", "Query", [.string(kind), .properties(query)])
    return try #require(body.first?.descriptor)
  }
}

/// What the tests look at in a line of an answer.
struct AnswerLine: Decodable, Sendable {
  struct Source: Decodable, Sendable { var identifier: String }

  var id: String?
  var source: Source?
  var startMicroseconds: Int64?
  var value: Double?
  var sample: String?
  var count: Int?
  var complete: Bool?
  var anchor: String?
}

extension SharedDescriptor {
  /// Everything that comes through a pipe, up to its end; read on a thread of its own, since reading blocks.
  func text() async throws -> String {
    let descriptor = try duplicate()
    _ = take()
    let number = descriptor.release()
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let data = FileHandle(fileDescriptor: number, closeOnDealloc: true).readDataToEndOfFile()
        continuation.resume(returning: String(decoding: data, as: UTF8.self))
      }
    }
  }
}
