import HealthModel

/// Samples, a line each.
struct SampleAnswer: AnswerDecoder {
  private var samples: [HealthSample] = []
  private var isComplete = false

  private struct Complete: Decodable {
    var complete: Bool
  }

  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError) {
    for line in JSONLine.split(lines) {
      if let end: Complete = try? JSONLine.decode(line) {
        isComplete = end.complete
      } else {
        let line: SampleLine = try JSONLine.decode(line)
        samples.append(line.sample)
      }
    }
  }

  consuming func finish() throws(ClientError) -> [HealthSample] {
    guard isComplete else { throw .cutOff }
    return samples
  }
}
