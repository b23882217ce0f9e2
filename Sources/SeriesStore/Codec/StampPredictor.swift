/// The form in which a chunk's timestamps are stored: the predictor that needs the fewest bits.
enum StampForm: Hashable {
  case clock(period: Int64, gains: ClockPredictor.Gains)
  case slots(SlotPredictor.Grid, [SlotPredictor.Skip])

  /// Chooses the form with the fewest bits for one or more timestamps. Two forms are tried on all of them: a steady clock,
  /// and slots if the timestamps seem to have some, else a wandering clock.
  init(cheapestFor stamps: [Int64]) {
    let first = stamps[0]
    let period = stamps.count > 1 ? (stamps[stamps.count - 1] &- first) / Int64(stamps.count - 1) : 0
    var steady = Cost(ClockPredictor(first: first, period: period, gains: .steady))
    for index in stamps.indices.dropFirst() { steady.add(stamps[index], at: index) }
    self = .clock(period: period, gains: .steady)
    if let grid = SlotPredictor.Grid(of: stamps) {
      var slots = Cost(SlotPredictor(first: first, grid: grid))
      for index in stamps.indices.dropFirst() {
        slots.predictor.notice(stamps[index], at: index)
        slots.add(stamps[index], at: index)
      }
      let skips = slots.predictor.skips
      var list = SparseList()
      let bits = skips.reduce(slots.bits + Self.headBits) { $0 + list.cost($1.index, value: $1.code) }
      if bits < steady.bits - steady.bits / Self.worthwhile { self = .slots(grid, skips) }
    } else {
      var wandering = Cost(ClockPredictor(first: first, period: period, gains: .wandering))
      for index in stamps.indices.dropFirst() { wandering.add(stamps[index], at: index) }
      if wandering.bits < steady.bits { self = .clock(period: period, gains: .wandering) }
    }
  }

  /// Slots must save this fraction of a clock's bits, since clocks are decoded faster.
  private static let worthwhile = 32
  /// The additional bits of slots in the head.
  private static let headBits = 24

  /// The number of bits that the timestamps would take.
  private struct Cost<Predictor: StampPredictor> {
    var predictor: Predictor
    private var rice = AdaptiveRice(mean: 32)
    private(set) var bits = 0

    init(_ predictor: Predictor) {
      self.predictor = predictor
    }

    @inline(__always)
    mutating func add(_ stamp: Int64, at index: Int) {
      bits &+= rice.cost(ZigZag.encode(stamp &- predictor.prediction(at: index)))
      predictor.update(with: stamp)
    }
  }
}

/// Predicts the next timestamp of a series from those before it. Reader and writer keep the same state, in integers that
/// wrap, so that every machine computes the same and no input can trap.
protocol StampPredictor {
  /// The predicted timestamp at that index, after the one of the last ``update(with:)``; called once for each.
  mutating func prediction(at index: Int) -> Int64

  /// Updates the state with the actual timestamp.
  mutating func update(with stamp: Int64)
}

/// Predicts the next timestamp of a regular series: a tracking filter of phase and period in integers.
///
/// The timestamps of notifications are a steady clock plus jitter; following the clock instead of the last timestamp saves
/// a quarter of a bit each. With a phase shift of 0 it predicts the last timestamp plus the mean period, which suits
/// wandering times.
struct ClockPredictor: StampPredictor {
  /// The phase changes by 1/2ᵖʰᵃˢᵉ of the error, the period by 1/2ᵖᵉʳⁱᵒᵈ of it.
  struct Gains: Hashable {
    var phase: UInt8
    var period: UInt8

    /// For a strap's notifications.
    static let steady = Gains(phase: 3, period: 10)
    /// For irregular times.
    static let wandering = Gains(phase: 0, period: 3)
  }

  private let gains: Gains
  /// In 1/256 of the time unit.
  private var phase: Int64
  private var period: Int64

  /// Starts at `first`, with a period in time units.
  init(first: Int64, period: Int64, gains: Gains) {
    self.gains = gains
    phase = first &<< 8
    self.period = period &<< 8
  }

  @inline(__always)
  func prediction(at index: Int) -> Int64 { (phase &+ period) &>> 8 }

  @inline(__always)
  mutating func update(with stamp: Int64) {
    let expected = phase &+ period
    let error = (stamp &- (expected &>> 8)) &<< 8
    phase = expected &+ (error &>> Int64(gains.phase))
    period = period &+ (error &>> Int64(gains.period))
  }
}

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

  /// The number of slots by which the expectation moves. A single delayed packet says nothing about the next. Two in a
  /// row move it by the smaller of their skips; so do an early packet, because nothing can make a packet early, and one
  /// after a gap.
  @inline(__always)
  private mutating func resolveSkip() -> Int64 {
    let confirmed = skipped < 0 || skipped > Self.gap ? skipped : min(skipped, pending)
    pending = skipped &- confirmed
    return confirmed
  }
}

extension SlotPredictor.Grid {
  /// The fewest timestamps in which slots are visible.
  private static let fewest = 64
  /// The number of pairs of neighbours that are examined, spread over the series.
  private static let looks = 64
  /// The most slots in one usual step.
  private static let mostSlots: Int64 = 64
  /// The shortest slots that are considered, in time units: shorter ones, or slots shorter than four times the scatter
  /// of the timestamps, save little and need as many skips as there are timestamps.
  private static let shortest: Int64 = 4

  /// The slots that sorted timestamps seem to have; nil if there is no usual step. The caller counts whether slots take
  /// fewer bits than a clock.
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
