import Glibc

/// How the places of short runs compare with those of long ones: measured on pieces of the session's long runs, whose offset
/// is known from the whole.
///
/// A model that was learnt from all packets together takes the packets of one run for more independent than they are, and a
/// run of few packets lies earlier or later by it than one of many.
struct PlaceCalibration {
  /// By how much the model's own confidence must be widened to be right 95 times in 100.
  private(set) var inflation = 1.5
  /// Half the width of the interval that holds the long runs' own places, in microseconds.
  var referenceHalfWidth = 0.0
  /// How late pieces are placed, in microseconds, for each of the sizes.
  private var biases: [(logPackets: Double, microseconds: Double)] = []

  /// Nothing is known of the model.
  init() {}

  init(_ evidence: [RunEvidence], _ model: OffsetModel, slope: Double, _ parameters: TimelineParameters) {
    var ratios: [Double] = []
    for size in parameters.calibrationPackets {
      var errors: [(error: Double, halfWidth: Double)] = []
      for run in evidence where !run.blocks.isEmpty {
        guard let known = run.offset else { continue }
        let pieces = min(run.samples.count / size, parameters.calibrationPieces)
        for piece in 0..<pieces {
          let first = run.samples.count * piece / pieces
          let samples = Array(run.samples[first..<min(first + size, run.samples.count)])
          let trust = model.trust(range: RunEvidence.range(of: samples[...]), interval: run.interval)
          let coarse = model.locate(samples, slope: slope, trust: trust)
          let location = model.refine(samples, slope: slope, coarse, trust: trust)
          errors.append((location.offset - known, location.halfWidth))
        }
      }
      guard errors.count >= parameters.fewestCalibrationPieces else { break }
      let median = errors.map(\.error).sorted()[errors.count / 2]
      biases.append((log(Double(size)), median))
      ratios += errors.map { abs($0.error - median) / $0.halfWidth }
    }
    guard ratios.count >= 20 else { return }
    ratios.sort()
    // What 95 in 100 of few pieces keep within says little of the next: this is the bound that 95 of 100 such samples would
    // keep below. Pieces of different sizes are made of the same packets, so they count once.
    let independent = Double(ratios.count / biases.count)
    let share = 0.95 + 1.64 * (0.95 * 0.05 / independent).squareRoot()
    let rank = min(Int((Double(ratios.count) * share).rounded(.up)), ratios.count) - 1
    inflation = min(max(1, ratios[rank]), 10)
  }

  /// How late a run of so many packets is placed, in microseconds.
  func bias(packets: Int) -> Double {
    guard var below = biases.first else { return 0 }
    let logPackets = log(Double(packets))
    for above in biases {
      if logPackets <= above.logPackets {
        guard above.logPackets > below.logPackets else { return above.microseconds }
        let share = (logPackets - below.logPackets) / (above.logPackets - below.logPackets)
        return below.microseconds + share * (above.microseconds - below.microseconds)
      }
      below = above
    }
    return below.microseconds
  }
}
