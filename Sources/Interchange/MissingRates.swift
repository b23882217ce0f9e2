internal import HealthInterchange

/// What of the stored rates a format has no place for, over all recordings that were written. Who compares the file with the store would else look
/// for them.
struct MissingRates {
  private var total = 0
  private var reasons: [(count: Int, reason: String)] = []

  mutating func add(_ recording: InterchangeRecording, _ format: InterchangeFormat) {
    total += recording.rates.count
    for one in format.missingRates(recording) {
      if let place = reasons.firstIndex(where: { $0.reason == one.reason }) {
        reasons[place].count += one.count
      } else {
        reasons.append(one)
      }
    }
  }

  /// A line for each reason; none where nothing is missing.
  var lines: [String] {
    reasons.map { one in
      "sensord: \(one.count) of \(Count.of(total, "rate")) \(one.count == 1 ? "is" : "are") not in the file: \(one.reason)"
    }
  }

  func tell() {
    for line in lines { Output.error(line) }
  }
}
