import HealthModel

/// An audiogram from lines such as `{"frequencyHertz":250,"leftEarSensitivity":34,"rightEarSensitivity":27}`.
struct AudiogramAnswer: AnswerDecoder {
  private var points: [AudiogramSensitivityPoint] = []
  private var isComplete = false

  private struct Line: Decodable {
    var complete: Bool?
    var frequencyHertz: Double?
    var leftEarSensitivity: Double?
    var rightEarSensitivity: Double?
  }

  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError) {
    for line in JSONLine.split(lines) {
      let line: Line = try JSONLine.decode(line)
      if line.complete == true {
        isComplete = true
      } else if let frequency = line.frequencyHertz {
        points.append(
          AudiogramSensitivityPoint(hertz: frequency, left: line.leftEarSensitivity, right: line.rightEarSensitivity))
      } else {
        throw .unreadable
      }
    }
  }

  consuming func finish() throws(ClientError) -> Audiogram {
    guard isComplete else { throw .cutOff }
    return Audiogram(points)
  }
}
