/// Predicts timestamps that come in slots. A radio delivers what it has at its next turn, so timestamps are a number of
/// equal slots apart, give or take some milliseconds, whatever the sensor's own pace.
///
/// If a timestamp is not in the expected slot, its slot is stored separately (``Skip``); the rest is small. A Polar H10 on
/// a desktop has slots of 0.495 s: a timestamp takes 5.9 bits, against 9.4 with the last timestamp and a mean period. A
/// lost link is one skip: slots of a whole period suit every regular sensor.
struct SlotPredictor: StampPredictor {
  /// The slots of a series.
  struct Grid: Hashable {
    /// The length of a slot in 1/256 of the time unit, above 0.
    var length: Int64
    /// The usual number of slots from one timestamp to the next.
    var step: Int64
  }

  /// A timestamp this many slots later than expected, or earlier if negative; never 0.
  struct Skip: Hashable {
    var index: Int
    var slots: Int64

    /// The stored code: negative and positive skips interleaved, one lower since none is 0.
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
  /// The skip of the predicted timestamp, and the remainder of the one before.
  private var skipped: Int64 = 0
  private var pending: Int64 = 0

  /// A timestamp this many slots late comes after a gap, and later ones follow it.
  private static let gap: Int64 = 8

  /// Starts at `first`. `skips` has the skips of all timestamps, or is empty while they are being collected by
  /// ``notice(_:at:)``.
  init(first: Int64, grid: Grid, skips: [Skip] = []) {
    self.grid = grid
    self.skips = skips
    expected = first &<< 8 &+ grid.step &* grid.length
  }

  /// Finds the slot of the next timestamp and records its skip if it is not the expected one.
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
    expected = expected &+ error &>> 3 &+ (grid.step &+ resolveSkip()) &* grid.length
  }

  /// By how many slots the expectation moves. A single delayed packet says nothing about the next. Two in a row do, by the
  /// smaller of their skips; so does an early packet, because nothing can make a packet early, and one after a gap.
  @inline(__always)
  private mutating func resolveSkip() -> Int64 {
    let confirmed = skipped < 0 || skipped > Self.gap ? skipped : min(skipped, pending)
    pending = skipped &- confirmed
    return confirmed
  }
}
