import Glibc

/// How wrong short runs are placed: measured on pieces of the session's long runs, whose offset is known from the whole
/// run.
///
/// The offset model treats the packets of one run as more independent than they are. So runs of few packets are placed
/// systematically earlier or later than runs of many.
struct PlaceCalibration {
  /// The factor by which the model's own uncertainty is widened to hold in 95 % of cases.
  private(set) var inflation = 1.5
  /// Half the 95 % width of the long runs' own places, in microseconds.
  var referenceHalfWidth = 0.0
  /// How late pieces of each size are placed, in microseconds.
  private var biases: [(logPackets: Double, microseconds: Double)] = []

  /// The default before anything was measured.
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
          let coarse = model.locate(packets: samples, slope: slope, trust: trust)
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
    // The 95 % quantile of a few pieces is itself uncertain, so its upper bound at 95 % confidence is used. Pieces of
    // different sizes are made of the same packets and count once.
    let independent = Double(ratios.count / biases.count)
    let share = 0.95 + 1.64 * (0.95 * 0.05 / independent).squareRoot()
    let rank = min(Int((Double(ratios.count) * share).rounded(.up)), ratios.count) - 1
    inflation = min(max(1, ratios[rank]), 10)
  }

  /// How late a run of this many packets is placed, in microseconds.
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
