import ClientInterfaces
import DBus

/// Makes an answer of its lines.
protocol AnswerDecoder {
  associatedtype Output

  /// Takes some whole lines.
  ///
  /// - Throws: ``ClientError/unreadable``.
  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError)

  /// The answer after its last line.
  ///
  /// - Throws: ``ClientError/cutOff`` where the line that ends every answer has not come.
  consuming func finish() throws(ClientError) -> Output
}

extension SensordClient {
  /// Asks the recorder, and reads its answer.
  @concurrent func ask<Decoder: AnswerDecoder>(
    _ query: ClientQuery, _ decoder: consuming Decoder
  ) async throws(ClientError) -> Decoder.Output {
    let reply = try await link.call(ClientInterfaces.healthStore, "Query", [.string(query.kind), query.value])
    guard let descriptor = reply.first?.descriptor?.take() else { throw .unreadable }
    let pipe = AnswerPipe(descriptor, on: link.loop)
    var bytes: [UInt8] = []
    while true {
      let part = try await pipe.read()
      if part.isEmpty { break }
      if bytes.isEmpty { bytes = part } else { bytes += part }
      guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { continue }
      try decoder.decode(bytes[...end])
      bytes.removeFirst(end + 1)
    }
    return try decoder.finish()
  }
}
