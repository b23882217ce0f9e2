extension SlotPredictor.Grid {
  /// With fewer timestamps slots are not visible.
  private static let fewest = 64
  /// How many pairs of neighbours are examined, spread over the series.
  private static let looks = 64
  /// The most slots in one usual step.
  private static let mostSlots: Int64 = 64
  /// Slots shorter than this many time units, or than four times the scatter of the timestamps, are not considered: they
  /// save little and need as many skips as there are timestamps.
  private static let shortest: Int64 = 4

  /// The slots that sorted timestamps seem to have; nil if there is no usual one. Whether slots take fewer bits than a
  /// clock is for the caller to count.
  ///
  /// The usual step between neighbours is an integer number of slots. The number chosen is the one with the least cost: the
  /// distances from the slots plus, weighted eightfold, the steps of another number.
  init?(of stamps: [Int64]) {
    guard stamps.count >= Self.fewest else { return nil }
    let steps = stride(from: 0, to: stamps.count - 1, by: max(1, (stamps.count - 1) / Self.looks))
      .map { (stamps[$0 + 1] &- stamps[$0]) &<< 8 }
    let median = steps.sorted()[steps.count / 2]
    let usual = steps.filter { ($0 &- median).magnitude <= (median >> 6).magnitude }
    guard median > 0, median < 1 << 48, usual.count >= steps.count / 4 else { return nil }
    let step = usual.reduce(0, &+) / Int64(usual.count)
    let scatter = usual.reduce(0) { $0 &+ Int64(truncatingIfNeeded: ($1 &- step).magnitude) } / Int64(usual.count)
    var best: (rest: Int64, grid: Self)?
    for count in 1...Self.mostSlots {
      let grid = Self(length: step / count, step: count)
      guard grid.length >= max(Self.shortest << 8, 4 * scatter) else { break }
      let rest = grid.rest(of: steps)
      if best.map({ rest < $0.rest / 5 * 4 }) ?? true { best = (rest, grid) }
    }
    guard let grid = best?.grid else { return nil }
    // From the first to the last timestamp the length of a slot is known to a small fraction.
    let share = 1 / Double(grid.length)
    var slots: Int64 = 0
    for index in stamps.indices.dropFirst() {
      slots &+= Self.slots(in: (stamps[index] &- stamps[index - 1]) &<< 8, by: share)
    }
    let length = slots > 0 ? ((stamps[stamps.count - 1] &- stamps[0]) &<< 8) / slots : 0
    guard length > 0 else { return nil }
    self.init(length: length, step: grid.step)
  }

  /// The number of slots nearest to a step, by the ratio of 1/256 of the time unit to a slot: at most 2⁻¹⁰, so that any
  /// step fits.
  @inline(__always)
  private static func slots(in step: Int64, by share: Double) -> Int64 {
    Int64(Double(step) * share + 0.5)
  }

  private func rest(of steps: [Int64]) -> Int64 {
    let share = 1 / Double(length)
    var distance: Int64 = 0
    var others: Int64 = 0
    for step in steps {
      let slots = Self.slots(in: step, by: share)
      distance &+= Int64(truncatingIfNeeded: (step &- slots &* length).magnitude)
      if slots != self.step { others += 1 }
    }
    let count = Int64(steps.count)
    return (distance / count &+ 64) &* (count &+ 8 &* others)
  }
}
