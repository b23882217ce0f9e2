/// How a chunk's timestamps are stored: by the predictor that needs the fewest bits.
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
