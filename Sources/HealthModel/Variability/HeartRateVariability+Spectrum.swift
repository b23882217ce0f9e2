import Glibc

/// Power in the bands of the spectrum, by Lomb and Scargle from the unevenly spaced beats: without resampling or
/// interpolation.
///
/// An NN interval is placed at the beat that ends it. The recording is divided where there is no NN interval for more than
/// five seconds; a shorter hole, such as around an early beat, does not matter. Each stretch is divided into equal segments
/// (five minutes for LF and HF, 3,333 s for VLF, up to twice as much), its linear trend is removed, and the powers of the
/// segments are averaged, weighted by length.
///
/// Normalisation: the density is S(f) = 2·T·P(f)/N for a segment of T seconds with N intervals, where P is Scargle's
/// periodogram. The power in a band is its integral, in s². A sinusoid of amplitude A has the power A²/2, its variance;
/// over all frequencies the power is the variance of the intervals.
extension HeartRateVariability {
  /// The power in a band. The figure's count is that of the segments' intervals, its divisor the number of segments.
  public func power(in band: FrequencyBand) throws(VariabilityRefusal) -> Figure {
    let stretches = stretches()
    let longest = stretches.map(length).max() ?? 0
    guard longest >= band.shortestStretch else {
      throw .stretchTooShort(neededSeconds: band.shortestStretch, availableSeconds: longest)
    }
    let segments = stretches.filter { length($0) >= band.shortestStretch }.flatMap { divided($0, for: band) }
    let filled = segments.filter { segment in
      intervals.seconds[segment].reduce(0, +) >= Self.leastSpectralCoverage * length(segment)
    }
    guard !filled.isEmpty else { throw .segmentsTooThin(neededCoverage: Self.leastSpectralCoverage) }
    var power = 0.0
    var time = 0.0
    for segment in filled {
      power += length(segment) * self.power(in: band.frequencies, of: segment)
      time += length(segment)
    }
    // The variance that rounding adds, s²/6, is noise of all frequencies up to half the heart rate, 0.6 Hz at 72 beats
    // a minute: a band has its share of it.
    let width = band.frequencies.upperBound - band.frequencies.lowerBound
    try requireFine((power / time).squareRoot(), leastSteps: (20.0 / 6 * width / 0.6).squareRoot())
    return Figure(value: power / time, count: filled.reduce(0) { $0 + $1.count }, divisor: filled.count)
  }

  /// LF over HF. Refused if either is refused, or if HF has no power.
  public func lowToHighRatio() throws(VariabilityRefusal) -> Figure {
    var low = try power(in: .low)
    let high = try power(in: .high)
    guard high.value > 0 else { throw .noPower(.high) }
    low.value /= high.value
    low.count = min(low.count, high.count)
    return low
  }

  /// The longest hole that does not divide the recording, in seconds: the longest wave of HF is hardly longer.
  private static let longestHole = 5.0
  /// The least share of a segment that NN intervals have to fill. Our choice: the Task Force does not give such a limit.
  private static let leastSpectralCoverage = 0.8
  /// Frequencies per 1/T.
  private static let oversampling = 4.0

  /// Ranges of intervals without a long hole between them.
  private func stretches() -> [Range<Int>] {
    var stretches: [Range<Int>] = []
    var first = 0
    for index in intervals.ends.indices.dropFirst() {
      let hole = intervals.ends[index] - intervals.seconds[index] - intervals.ends[index - 1]
      guard hole > Self.longestHole else { continue }
      stretches.append(first..<index)
      first = index
    }
    if first < count { stretches.append(first..<count) }
    return stretches
  }

  /// The time from the beginning of a segment's first interval to the end of its last, in seconds.
  private func length(_ segment: Range<Int>) -> Double {
    intervals.ends[segment.upperBound - 1] - intervals.ends[segment.lowerBound] + intervals.seconds[segment.lowerBound]
  }

  private func divided(_ stretch: Range<Int>, for band: FrequencyBand) -> [Range<Int>] {
    let parts = max(1, Int(length(stretch) / band.segmentLength))
    let begin = intervals.ends[stretch.lowerBound] - intervals.seconds[stretch.lowerBound]
    var segments: [Range<Int>] = []
    var first = stretch.lowerBound
    for part in 1...parts where first < stretch.upperBound {
      let border = begin + length(stretch) * Double(part) / Double(parts)
      var last = first + 1
      while last < stretch.upperBound && (part == parts || intervals.ends[last] < border) { last += 1 }
      segments.append(first..<last)
      first = last
    }
    return segments
  }

  private func power(in frequencies: Range<Double>, of segment: Range<Int>) -> Double {
    let length = length(segment)
    let step = 1 / (Self.oversampling * length)
    // Integer multiples of the step, so that neighbouring bands neither share nor omit a frequency.
    let first = (frequencies.lowerBound / step).rounded(.up)
    let last = (frequencies.upperBound / step).rounded(.up)
    let spectrum = LombScargle(times: Array(intervals.ends[segment]), values: Array(intervals.seconds[segment]))
    let powers = spectrum.powers(first: first * step, step: step, count: Int(last - first))
    return powers.reduce(0, +) * step * 2 * length / Double(segment.count)
  }
}

/// A band of the spectrum of NN intervals (Task Force 1996, table 2).
@nonexhaustive
public enum FrequencyBand: String, Hashable, Sendable, CaseIterable {
  /// 0.003 to 0.04 Hz.
  case veryLow = "vlf"
  /// 0.04 to 0.15 Hz.
  case low = "lf"
  /// 0.15 to 0.40 Hz.
  case high = "hf"

  /// The frequencies of the band, in Hz; a frequency on a border belongs to the band above it.
  public var frequencies: Range<Double> {
    switch self {
    case .veryLow: 0.003..<0.04
    case .low: 0.04..<0.15
    case .high: 0.15..<0.40
    }
  }

  /// The shortest stretch from which the band's power can be computed, in seconds.
  ///
  /// Task Force 1996, "Duration and circumstances of ECG recording": about one minute for HF, two for LF (five seconds less
  /// here, since the beats of a window seldom reach its borders), and in general ten wavelengths of the lower border, which
  /// for VLF are 3,333 s. It advises against VLF from five minutes.
  public var shortestStretch: Double {
    switch self {
    case .veryLow: 3333
    case .low: 115
    case .high: 55
    }
  }

  /// The length of the segments of longer stretches, in seconds: five minutes, the Task Force's standard, if the band
  /// permits. Power changes during a recording; long recordings are assessed by its mean over short segments.
  var segmentLength: Double { max(300, shortestStretch) }
}

/// The periodogram of values at uneven times, by N. R. Lomb 1976 and J. D. Scargle 1982 (Astrophysical Journal 263:835).
///
/// The power at a frequency is that of the sinusoid that fits the values best. So no values are invented for times without
/// one, as resampling to an even grid would do.
struct LombScargle {
  /// The times relative to their middle, in seconds.
  private let times: [Double]
  /// The values without their linear trend.
  private let values: [Double]

  /// Removes the least-squares line from the values: a slow drift would leak into every band.
  ///
  /// - Parameters:
  ///   - times: In seconds; as many as `values`, at least one.
  ///   - values: In any unit.
  init(times: [Double], values: [Double]) {
    let count = Double(times.count)
    let middle = times.reduce(0, +) / count
    let level = values.reduce(0, +) / count
    let centred = times.map { $0 - middle }
    let spread = centred.reduce(0) { $0 + $1 * $1 }
    let slope = spread > 0 ? zip(centred, values).reduce(0) { $0 + $1.0 * ($1.1 - level) } / spread : 0
    self.times = centred
    self.values = zip(centred, values).map { $1 - level - slope * $0 }
  }

  /// Scargle's P(ω), formula 10, at `count` frequencies of `step` Hz from `first` on, all above 0: in squares of the
  /// values' unit. A sinusoid of amplitude A in N values has N·A²/4 at its frequency.
  func powers(first: Double, step: Double, count: Int) -> [Double] {
    // Each value's phasor at the present frequency is rotated by one step for the next: no sine in the loop.
    var cosines = times.map { cos(2 * Double.pi * first * $0) }
    var sines = times.map { sin(2 * Double.pi * first * $0) }
    let stepCosines = times.map { cos(2 * Double.pi * step * $0) }
    let stepSines = times.map { sin(2 * Double.pi * step * $0) }
    return (0..<count).map { _ in
      var sums = Sums()
      for index in times.indices {
        let (cosine, sine) = (cosines[index], sines[index])
        sums.add(values[index], cosine, sine)
        cosines[index] = cosine * stepCosines[index] - sine * stepSines[index]
        sines[index] = sine * stepCosines[index] + cosine * stepSines[index]
      }
      return sums.power
    }
  }

  private struct Sums {
    private var valueCosine = 0.0
    private var valueSine = 0.0
    private var cosineSquared = 0.0
    private var sineSquared = 0.0
    private var product = 0.0

    mutating func add(_ value: Double, _ cosine: Double, _ sine: Double) {
      valueCosine += value * cosine
      valueSine += value * sine
      cosineSquared += cosine * cosine
      sineSquared += sine * sine
      product += cosine * sine
    }

    /// The power relative to the time offset τ at which sine and cosine are orthogonal over these times.
    var power: Double {
      let turn = atan2(2 * product, cosineSquared - sineSquared) / 2
      let (cosine, sine) = (cos(turn), sin(turn))
      let mixed = 2 * cosine * sine * product
      let inPhase = cosine * valueCosine + sine * valueSine
      let outOfPhase = cosine * valueSine - sine * valueCosine
      let inPhaseNorm = cosine * cosine * cosineSquared + mixed + sine * sine * sineSquared
      let outOfPhaseNorm = cosine * cosine * sineSquared - mixed + sine * sine * cosineSquared
      // One of the two vanishes if all values are at zeros of its wave; then it contributes nothing.
      let first = inPhaseNorm > 1e-9 ? inPhase * inPhase / inPhaseNorm : 0
      let second = outOfPhaseNorm > 1e-9 ? outOfPhase * outOfPhase / outOfPhaseNorm : 0
      return (first + second) / 2
    }
  }
}
