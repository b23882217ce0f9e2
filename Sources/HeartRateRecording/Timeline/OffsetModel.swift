import Glibc

/// How far above its floor a sensor's residuals lie, learnt from the session itself, and where that puts the floor of a
/// run of which only some residuals are known.
///
/// Two things bound the offset between sensor and host. A notification arrives after its last beat was released: the
/// residual lies above the offset by a latency, whose distribution begins sharply at 0. And its first beat was released
/// after the notification before: seen from there the offset lies above. Where the beats' phase wanders through the
/// sensor's packet period both bounds are sharp; where a sensor batches only the first is, and where beats and packets
/// run in step neither is: the width of what remains likely says so.
struct OffsetModel {
  /// What one packet, or the outermost of a block of them, says of the offset. Microseconds from an origin of the
  /// caller's, at the sensor's nominal speed.
  struct Sample {
    /// Arrival minus the time of the beat that released it, and that time.
    var residual: Double
    var residualTime: Double
    /// The arrival of the notification before, minus the time of the beat that released the first interval, and that
    /// time; −∞ where there is none.
    var ceiling: Double
    var ceilingTime: Double
  }

  /// An offset, as far as the samples tell it.
  struct Location {
    var offset: Double
    /// Half the width of the interval around ``offset`` that holds it with 95 % probability.
    var halfWidth: Double
    /// The logarithm of the samples' likelihood, all offsets together.
    var evidence: Double
  }

  /// log-density of residual − offset, by bins from the last to the first, and of offset − ceiling.
  private var above: Density
  private var below: Density
  /// By how much the samples' own dependence weakens their word: 1 is independent.
  private(set) var weight = 1.0
  /// From the floor to where nine in ten residuals are below, in microseconds; what a whole range of phases looks like.
  private(set) var range = 0.0

  /// A density whose bins can be looked up sixteen at a time, next to each other or each fourth of them.
  private struct Density {
    /// Each bin with the one after it, and with the fourth after it; outside, the first or last bin.
    private var near: [SIMD2<Double>] = []
    private var far: [SIMD2<Double>] = []

    /// Bins that stand before the first and behind the last: as many as sixteen coarse steps take.
    private static let margin = lanes * coarse

    init(_ values: [Double]) {
      let places = 0..<values.count + 2 * Self.margin
      let before = [Double](repeating: values[0], count: Self.margin)
      let behind = [Double](repeating: values[values.count - 1], count: Self.margin + OffsetModel.coarse)
      let padded = before + values + behind
      near = places.map { SIMD2(padded[$0], padded[$0 + 1]) }
      far = places.map { SIMD2(padded[$0], padded[$0 + OffsetModel.coarse]) }
    }

    /// Every `step`-th bin from `first` on, where `step` is 1 or ``OffsetModel/coarse``.
    @inline(__always)
    func row(from first: Int, step: Int) -> SIMD16<Double> {
      let start = max(0, min(first + Self.margin, bins + Self.margin))
      let pairs = (step == 1 ? near : far).span.extracting(start..<start + 14 * step + 1)
      return SIMD16(
        lowHalf: SIMD8(
          lowHalf: SIMD4(lowHalf: pairs[0], highHalf: pairs[2 * step]),
          highHalf: SIMD4(lowHalf: pairs[4 * step], highHalf: pairs[6 * step])),
        highHalf: SIMD8(
          lowHalf: SIMD4(lowHalf: pairs[8 * step], highHalf: pairs[10 * step]),
          highHalf: SIMD4(lowHalf: pairs[12 * step], highHalf: pairs[14 * step])))
    }
  }

  /// Offsets that are looked at together.
  private static let lanes = 16
  /// Bins between offsets of the first, coarse search.
  private static let coarse = 4
  private static let binMicroseconds = 4000.0
  private static let binsBelowZero = 40
  private static let bins = 1065

  /// A model that knows nothing yet but that latencies fall off within `scale` microseconds.
  init(scale: Double) {
    let density = Self.logDensity([Double](repeating: 0, count: Self.bins), scale: scale)
    above = Density(density.reversed())
    below = Density(density)
  }

  @inline(__always)
  private static func bin(_ microseconds: Double) -> Int {
    let place = max(-1e6, min(1e6, microseconds / binMicroseconds + Double(binsBelowZero)))
    let bin = Int(place)
    return Double(bin) > place ? bin - 1 : bin
  }

  private static func clampedBin(_ microseconds: Double) -> Int {
    max(0, min(bin(microseconds), bins - 1))
  }

  /// The density of counts, smoothed over as many bins as it takes to see enough of them, and over `blur` microseconds at
  /// least.
  private static func logDensity(_ counts: [Double], scale: Double, blur: Double = 0) -> [Double] {
    var sums = [0.0]
    sums.reserveCapacity(bins + 1)
    for count in counts { sums.append(sums[sums.count - 1] + count) }
    let total = sums[bins]
    let expectedCount = 20.0
    let enough = max(20.0, total / 100)
    var density = [Double](repeating: 0, count: bins)
    var bin = 0
    while bin < bins {
      // Far from the edge nothing is sharp: a group of bins shares its density.
      let group = min(abs(bin - binsBelowZero) < 80 ? 1 : 16, bins - bin)
      let middle = bin + group / 2
      let least = max(1, Int(blur / binMicroseconds))
      let widest = max(2, least, abs(middle - binsBelowZero) / 4)
      var reach = max(least, group / 2)
      var low = max(0, middle - reach)
      var high = min(bins, middle + reach + 1)
      while sums[high] - sums[low] < enough && reach < widest {
        reach = min(widest, reach + 1 + reach / 2)
        low = max(0, middle - reach)
        high = min(bins, middle + reach + 1)
      }
      let excess = (Double(middle - binsBelowZero) + 0.5) * binMicroseconds
      let expected = excess < 0 ? 1e-5 : exp(-excess / scale) * binMicroseconds / scale
      let smooth = (sums[high] - sums[low]) / Double(high - low)
      let value = log((smooth + expectedCount * expected + 1e-3) / (total + expectedCount))
      for index in bin..<(bin + group) { density[index] = value }
      bin += group
    }
    return density
  }

  /// Learns from residuals whose offsets are known, more or less: `(residual − offset, offset − ceiling)` in order.
  ///
  /// What was learnt from few is drawn to where those few lay: `blur`, in medians of them, takes that away.
  mutating func learn(_ excesses: [(above: Double, below: Double)], scale: Double, blur: Double = 0) {
    var above = [Double](repeating: 0, count: Self.bins)
    var below = above
    for excess in excesses {
      above[Self.clampedBin(excess.above)] += 1
      if excess.below < .infinity { below[Self.clampedBin(excess.below)] += 1 }
    }
    self.above = Density(Self.logDensity(above, scale: scale, blur: blur * Self.quantile(above, 0.5)).reversed())
    self.below = Density(Self.logDensity(below, scale: scale, blur: blur * Self.quantile(below, 0.5)))
    weight = Self.independence(excesses)
    range = Self.quantile(above, 0.9)
  }

  /// The value that a share of what was counted lies below, to a bin.
  private static func quantile(_ counts: [Double], _ share: Double) -> Double {
    let enough = counts.reduce(0, +) * share
    var sum = 0.0
    for bin in counts.indices {
      sum += counts[bin]
      if sum >= enough { return max(0, Double(bin - binsBelowZero) * binMicroseconds) }
    }
    return 0
  }

  /// How much of their word samples keep whose residuals range over `range` only.
  ///
  /// Where beats and packets run in step, all packets of a run say the same: that it lies somewhere in a period.
  func trust(range: Double, interval: Double) -> Double {
    // A sensor that batches keeps no step with anything.
    guard self.range < 1.3e6 else { return 1 }
    let whole = min(self.range, 0.85 * interval)
    guard whole > 0 else { return 1 }
    let share = min(1, range / whole)
    return max(0.01, share * share * share * share)
  }

  /// The share of independent samples, out of the correlation of neighbours.
  private static func independence(_ excesses: [(above: Double, below: Double)]) -> Double {
    guard excesses.count > 30 else { return 0.5 }
    let mean = excesses.reduce(0) { $0 + min($1.above, 4e6) } / Double(excesses.count)
    var variance = 0.0
    var covariance = 0.0
    var previous = 0.0
    for excess in excesses {
      let value = min(excess.above, 4e6) - mean
      variance += value * value
      covariance += value * previous
      previous = value
    }
    guard variance > 0 else { return 0.1 }
    let correlation = max(0, covariance / variance)
    return max(0.1, (1 - correlation) / (1 + correlation))
  }

  /// Where the offset of `samples`, of which there must be one at least, lies if the sensor's clock is slow by `slope`.
  ///
  /// Looked for around `centre`, where that is known from before, else above and below the smallest residual.
  func locate(_ samples: [Sample], slope: Double, around centre: Double? = nil, trust: Double = 1) -> Location {
    var coarse: Location
    if let centre {
      coarse = search(samples, slope, from: centre - 112_000, to: centre + 112_000, step: Self.coarse, trust)
    } else {
      var smallest = Double.infinity
      for sample in samples { smallest = min(smallest, sample.residual - slope * sample.residualTime) }
      // The more packets, the nearer is the smallest residual to the floor.
      let reach = 120_000 + 4_000_000 / Double(samples.count) + (trust < 0.6 ? range : 0)
      coarse = search(samples, slope, from: smallest - reach, to: smallest + 120_000, step: Self.coarse, trust)
    }
    return coarse
  }

  /// The same to a bin, around where the offset is known to lie.
  func refine(_ samples: [Sample], slope: Double, _ coarse: Location, trust: Double = 1) -> Location {
    guard coarse.halfWidth < 120_000 else { return coarse }
    let around = coarse.halfWidth + 32_000
    return search(samples, slope, from: coarse.offset - around, to: coarse.offset + around, step: 1, trust)
  }

  /// Tries offsets `step` bins apart.
  private func search(
    _ samples: [Sample], _ slope: Double, from low: Double, to high: Double, step: Int, _ trust: Double
  ) -> Location {
    let width = Double(step) * Self.binMicroseconds
    let count = max(2, Int((high - low) / width) + 1)
    var likelihood: [Double] = []
    likelihood.reserveCapacity(count)
    for first in stride(from: 0, to: count, by: Self.lanes) {
      // Twice, so that both steps are constants.
      let sums =
        step == 1
        ? sums(samples.span, slope, low: low, first: first, step: 1)
        : sums(samples.span, slope, low: low, first: first * Self.coarse, step: Self.coarse)
      for lane in 0..<min(Self.lanes, count - first) { likelihood.append(sums[lane]) }
    }
    let greatest = likelihood.max() ?? 0
    let weight = weight * trust
    var total = 0.0
    var first = 0.0
    for index in 0..<count {
      likelihood[index] = exp((likelihood[index] - greatest) * weight)
      total += likelihood[index]
      first += likelihood[index] * Double(index)
    }
    let centre = first / total
    return Location(
      offset: low + centre * width, halfWidth: Self.halfWidth(likelihood, centre, total) * width,
      evidence: greatest * weight + log(total * width))
  }

  /// The log-likelihoods of sixteen offsets, `step` bins apart from `first` bins above `low` on, each added up in the order
  /// of the samples.
  @inline(__always)
  private func sums(_ samples: Span<Sample>, _ slope: Double, low: Double, first: Int, step: Int) -> SIMD16<Double> {
    var sums = SIMD16<Double>.zero
    for index in samples.indices {
      let sample = samples[index]
      let excess = Self.bin(sample.residual - slope * sample.residualTime - low)
      sums += above.row(from: Self.bins - 1 - excess + first, step: step)
      guard sample.ceiling > -.infinity else { continue }
      let lack = Self.bin(low - sample.ceiling + slope * sample.ceilingTime)
      sums += below.row(from: lack + first, step: step)
    }
    return sums
  }

  /// Grows an interval around the centre until it holds 95 %.
  private static func halfWidth(_ density: [Double], _ centre: Double, _ total: Double) -> Double {
    var reach = 0.5
    while reach < Double(density.count) {
      let low = max(0, Int((centre - reach).rounded(.up)))
      let high = min(density.count - 1, Int(centre + reach))
      var inside = 0.0
      if low <= high { for index in low...high { inside += density[index] } }
      if inside >= 0.95 * total { break }
      reach += 0.5
    }
    return reach
  }
}
