extension HeartbeatSeries {
  /// The step in which intervals are told, in seconds: a tick, or more where all are multiples of more, as of some
  /// sensors.
  public var intervalStep: Double {
    let tick = 1 / Double(timescale)
    return Self.steps.first { $0 > tick && areMultiples(of: $0) } ?? tick
  }

  /// Steps that sensors and programs have, in seconds.
  private static let steps = [0.1, 0.05, 0.025, 0.02, 0.01]
  /// Few intervals, or a heart as even as a clock, may be multiples by chance.
  private static let fewest = 30
  private static let fewestMultiples = 2

  /// Whether nearly all intervals are multiples of a step, as nearly as ticks can tell it.
  private func areMultiples(of step: Double) -> Bool {
    let ticks = step * Double(timescale)
    var multiples: Set<Int> = []
    var (count, others) = (0, 0)
    for beat in beats where beat.rrTicks > 0 && !beat.flags.contains(.firstOfRun) {
      count += 1
      let multiple = (Double(beat.rrTicks) / ticks).rounded()
      if abs(Double(beat.rrTicks) - multiple * ticks) > 0.6 { others += 1 } else { multiples.insert(Int(multiple)) }
      // One in fifty may be something else.
      if 50 * others > max(count, Self.fewest) { return false }
    }
    return count >= Self.fewest && multiples.count >= Self.fewestMultiples
  }
}
