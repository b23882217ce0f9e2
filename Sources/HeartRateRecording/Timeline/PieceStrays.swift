import Glibc

/// How far pieces of a long run lie from the run's own line. This shows how well the line is known, and how much the run
/// wanders.
struct PieceStrays {
  /// Standard error of a beat's place, in microseconds: the error of the line together with ``wander``.
  private(set) var error = 0.0
  /// The part of the error that neighbouring pieces have in common, in microseconds.
  private(set) var wander = 0.0
  /// How many pieces there are, and the sum of their squared distances from the line.
  private(set) var count = 0
  private(set) var squares = 0.0

  init() {}

  init(_ distances: [Double]) {
    guard distances.count > 1 else { return }
    // A hold that lasts for some pieces is latency and no wander: pieces far from the median are left out.
    let middle = distances.sorted()[distances.count / 2]
    let scatter = distances.map { abs($0 - middle) }.sorted()[distances.count / 2]
    let values = distances.map { $0 - middle }.filter { abs($0) < max(4 * 1.48 * scatter, 60_000) }
    guard values.count > 1 else { return }
    let count = Double(values.count)
    var sum = 0.0
    var neighbours = 0.0
    for index in values.indices {
      sum += values[index] * values[index]
      if index > 0 { neighbours += values[index] * values[index - 1] }
    }
    let variance = (sum + 2 * 4e8) / (count + 2)
    let common = max(0, neighbours / (count - 1))
    error = (variance / count + common).squareRoot()
    wander = common.squareRoot()
    squares = sum
    self.count = values.count
  }
}

extension RunEvidence {
  /// The strays of a long run; empty for a run too short to have pieces.
  func strays(_ model: OffsetModel, slope: Double, _ parameters: TimelineParameters) -> PieceStrays {
    guard let known = offset else { return PieceStrays() }
    let size = parameters.pieceBlocks
    return PieceStrays(
      stride(from: 0, through: blocks.count - size, by: size).map { start in
        model.locate(Array(blocks[start..<(start + size)]), slope: slope).offset - known
      })
  }
}
