import Glibc

/// The distribution of a sensor's residuals above their floor, learnt from the session itself. From it follows where the
/// floor of a run lies of which only some residuals are known.
///
/// Two bounds enclose the offset between sensor and host. A notification arrives after its last beat was released, so the
/// residual lies above the offset by a latency; the distribution of latencies begins sharply at 0. And its first beat was
/// released after the previous notification, which gives an upper bound, the ceiling. Where the phase between beats and
/// packets varies, both bounds are sharp. Where a sensor batches, only the first is. Where beats and packets run in step,
/// neither is, and the stated uncertainty is wide.
struct OffsetModel {
  /// The bounds from one packet, or the outermost bounds of a block of packets. Microseconds from an origin that the caller
  /// chooses, at the sensor's nominal speed.
  struct Sample {
    /// Arrival minus the time of the beat that released it, and that time.
    var residual: Double
    var residualTime: Double
    /// The arrival of the previous notification minus the time of the beat that released the first interval, and that
    /// time; −∞ without one.
    var ceiling: Double
    var ceilingTime: Double
  }

  /// An offset estimated from samples.
  struct Location {
    var offset: Double
    /// Half the width of the interval around ``offset`` that holds it with 95 % probability.
    var halfWidth: Double
    /// The log-likelihood of the samples, integrated over all offsets.
    var evidence: Double
  }

  /// Log-densities by bins: of residual − offset, from the last bin to the first, and of offset − ceiling.
  private var above: Density
  private var below: Density
  /// The factor for the log-likelihood of samples that depend on each other; 1 means independent.
  private(set) var weight = 1.0
  /// The distance from the floor to the value below which nine in ten residuals lie, in microseconds: the range of the
  /// residuals if all phases occur.
  private(set) var range = 0.0

  /// A density that is looked up sixteen bins at a time, adjacent ones or every fourth.
  private struct Density {
    /// Pairs of each bin with the next, and with the fourth after it; outside of the density, the first or last bin.
    private var near: [SIMD2<Double>] = []
    private var far: [SIMD2<Double>] = []

    /// The number of bins added before the first and after the last: as many as sixteen coarse steps take.
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

  /// The number of offsets evaluated together.
  private static let lanes = 16
  /// The distance in bins between offsets of the first, coarse search.
  private static let coarse = 4
  private static let binMicroseconds = 4000.0
  private static let binsBelowZero = 40
  private static let bins = 1065
  /// The greatest distance of the floor above the smallest residual, in microseconds.
  private static let reachAbove = 120_000.0

  /// The initial model: it only assumes that latencies decay over `scale` microseconds.
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

  /// The log-density of counts, smoothed over as many bins as are needed to have enough counts, and over at least `blur`
  /// microseconds.
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
      // Far from the edge the density varies slowly: groups of bins share one value.
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

  /// Learns the distribution from residuals whose offsets are roughly known: pairs `(residual − offset, offset − ceiling)`
  /// in order.
  ///
  /// A density learnt from few samples has peaks where these happened to lie. `blur`, in medians of the samples, smooths
  /// them away.
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

  /// The value below which the given share of the counts lies, to a bin.
  private static func quantile(_ counts: [Double], _ share: Double) -> Double {
    let enough = counts.reduce(0, +) * share
    var sum = 0.0
    for bin in counts.indices {
      sum += counts[bin]
      if sum >= enough { return max(0, Double(bin - binsBelowZero) * binMicroseconds) }
    }
    return 0
  }

  /// The factor for the log-likelihood of samples whose residuals cover only `range`.
  ///
  /// If beats and packets run in step, all packets of a run have the same residual, and the offset may lie anywhere within a period.
  func trust(range: Double, interval: Double) -> Double {
    // A sensor that batches does not keep step with its beats.
    guard self.range < 1.3e6 else { return 1 }
    let whole = min(self.range, 0.85 * interval)
    guard whole > 0 else { return 1 }
    let share = min(1, range / whole)
    return max(0.01, share * share * share * share)
  }

  /// The effective share of independent samples, from the correlation of neighbours.
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

  /// Finds the offset of `samples` (at least one), if the sensor's clock is slow by `slope`.
  ///
  /// The search is around `centre` if that is known from before, else from below the smallest residual to a little above it.
  func locate(_ samples: [Sample], slope: Double, around centre: Double? = nil, trust: Double = 1) -> Location {
    if let centre {
      return search(samples, slope, from: centre - 112_000, to: centre + 112_000, step: Self.coarse, trust)
    }
    let smallest = samples.reduce(.infinity) { min($0, $1.residual - slope * $1.residualTime) }
    return locate(samples, slope: slope, smallest: smallest, upTo: smallest + Self.reachAbove, trust: trust)
  }

  /// Finds the offset of single packets, of which one may be early: the search goes up to the residual below which two in
  /// five lie, so that an early packet alone does not decide where the floor is.
  func locate(packets samples: [Sample], slope: Double, trust: Double) -> Location {
    var residuals = samples.map { $0.residual - slope * $0.residualTime }
    let usual = residuals.select((residuals.count - 1) * 2 / 5)
    let smallest = residuals.reduce(usual, min)
    return locate(samples, slope: slope, smallest: smallest, upTo: max(usual, smallest + Self.reachAbove), trust: trust)
  }

  private func locate(
    _ samples: [Sample], slope: Double, smallest: Double, upTo highest: Double, trust: Double
  ) -> Location {
    // The more packets there are, the nearer is the smallest residual to the floor.
    let reach = Self.reachAbove + 4_000_000 / Double(samples.count) + (trust < 0.6 ? range : 0)
    return search(samples, slope, from: smallest - reach, to: highest, step: Self.coarse, trust)
  }

  /// Finds the offset to a bin, near a known location.
  func refine(_ samples: [Sample], slope: Double, _ coarse: Location, trust: Double = 1) -> Location {
    guard coarse.halfWidth < 120_000 else { return coarse }
    let around = coarse.halfWidth + 32_000
    return search(samples, slope, from: coarse.offset - around, to: coarse.offset + around, step: 1, trust)
  }

  /// Evaluates offsets `step` bins apart.
  private func search(
    _ samples: [Sample], _ slope: Double, from low: Double, to high: Double, step: Int, _ trust: Double
  ) -> Location {
    let width = Double(step) * Self.binMicroseconds
    let count = max(2, Int((high - low) / width) + 1)
    var likelihood: [Double] = []
    likelihood.reserveCapacity(count)
    for first in stride(from: 0, to: count, by: Self.lanes) {
      // Both branches are spelled out so that each has a constant step.
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

  /// The log-likelihoods of sixteen offsets that are `step` bins apart and begin `first` bins above `low`. Sums are added
  /// in the order of the samples.
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

  /// Widens an interval around the centre until it holds 95 %.
  private static func halfWidth(_ density: [Double], _ centre: Double, _ total: Double) -> Double {
    var reach = 0.5
    // The sum of what is inside so far, so that a wide search costs no more for each bin.
    var low = Int(centre.rounded(.up))
    var high = low - 1
    var inside = 0.0
    while reach < Double(density.count) {
      while low > max(0, Int((centre - reach).rounded(.up))) {
        low -= 1
        inside += density[low]
      }
      while high < min(density.count - 1, Int(centre + reach)) {
        high += 1
        inside += density[high]
      }
      if inside >= 0.95 * total { break }
      reach += 0.5
    }
    return reach
  }
}
