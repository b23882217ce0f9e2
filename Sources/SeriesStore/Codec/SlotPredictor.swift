/// Predicts stamps that come in slots: a radio hands on what it has at its next turn, so that stamps are many equal slots
/// apart, some milliseconds more or less, whatever the sensor's own pace is.
///
/// Which slot a stamp came in, where it is not the expected one, is told apart (``Skip``); what is left is small. A Polar H10 on
/// a desktop has slots of 0.495 s: a stamp takes 5.9 bits, where the last one and a mean period take 9.4. A link that
/// was lost is one skip: slots of a whole period suit every regular sensor.
struct SlotPredictor: StampPredictor {
  /// The slots of a series.
  struct Grid: Hashable {
    /// The length of a slot in 1/256 of the time unit, above 0.
    var length: Int64
    /// How many slots a stamp comes after the one before it, mostly.
    var step: Int64
  }

  /// A stamp that came so many slots later than expected, or earlier; never 0.
  struct Skip: Hashable {
    var index: Int
    var slots: Int64

    /// As it is written: since no skip is 0, all are one lower.
    var code: UInt64 { ZigZag.encode(slots) &- 1 }

    init(index: Int, slots: Int64) {
      self.index = index
      self.slots = slots
    }

    init(index: Int, code: UInt64) {
      self.init(index: index, slots: ZigZag.decode(code &+ 1))
    }
  }

  private let grid: Grid
  private(set) var skips: [Skip]
  private var nextSkip = 0
  /// The middle of the slot that is expected, in 1/256 of the time unit.
  private var expected: Int64
  /// The skip of the stamp that is predicted, and what the one before it left.
  private var skipped: Int64 = 0
  private var pending: Int64 = 0

  /// A stamp that is so many slots late is behind a gap, and those after it follow it.
  private static let gap: Int64 = 8

  /// Begins at `first`; the skips are those of all stamps, or none while they are ``notice(_:at:)``d.
  init(first: Int64, grid: Grid, skips: [Skip] = []) {
    self.grid = grid
    self.skips = skips
    expected = first &<< 8 &+ grid.step &* grid.length
  }

  /// Looks which slot the next stamp came in, and adds its skip where it is not the expected one.
  mutating func notice(_ stamp: Int64, at index: Int) {
    let distance = stamp &<< 8 &- expected &+ grid.length / 2
    let (quotient, remainder) = distance.quotientAndRemainder(dividingBy: grid.length)
    let slots = remainder < 0 ? quotient - 1 : quotient
    if slots != 0 { skips.append(Skip(index: index, slots: slots)) }
  }

  @inline(__always)
  mutating func prediction(at index: Int) -> Int64 {
    skipped = 0
    if nextSkip < skips.count, skips[nextSkip].index == index {
      skipped = skips[nextSkip].slots
      nextSkip &+= 1
    }
    return prediction
  }

  private var prediction: Int64 { (expected &+ skipped &* grid.length) &>> 8 }

  @inline(__always)
  mutating func update(with stamp: Int64) {
    let error = (stamp &- prediction) &<< 8
    expected = expected &+ error &>> 3 &+ (grid.step &+ settleSkip()) &* grid.length
  }

  /// By how many slots the expectation moves: one packet that was held up says nothing of the next. Two in a row do, by the
  /// lesser of the two; so does one that is early, which nothing can make it, and one behind a gap.
  @inline(__always)
  private mutating func settleSkip() -> Int64 {
    let settled = skipped < 0 || skipped > Self.gap ? skipped : min(skipped, pending)
    pending = skipped &- settled
    return settled
  }
}
