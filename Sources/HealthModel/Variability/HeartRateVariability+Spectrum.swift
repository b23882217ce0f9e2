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

  /// Longer holes divide the recording, in seconds: the longest wave of HF is hardly longer.
  private static let longestHole = 5.0
  /// Segments in which NN intervals fill less than this share are left out. Our choice: the Task Force gives none.
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

  /// From the beginning of its first interval to the end of its last.
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
    // Integer multiples of the step, so that neighbouring bands share no frequency and omit none.
    let first = (frequencies.lowerBound / step).rounded(.up)
    let last = (frequencies.upperBound / step).rounded(.up)
    let spectrum = LombScargle(times: Array(intervals.ends[segment]), values: Array(intervals.seconds[segment]))
    let powers = spectrum.powers(first: first * step, step: step, count: Int(last - first))
    return powers.reduce(0, +) * step * 2 * length / Double(segment.count)
  }
}
