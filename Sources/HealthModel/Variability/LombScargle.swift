import Glibc

/// The periodogram of values at uneven times, by N. R. Lomb 1976 and J. D. Scargle 1982 (Astrophysical Journal 263:835).
///
/// The power at a frequency is that of the sinusoid that fits the values best. So no values are invented for times without
/// one, as resampling to an even grid would do.
struct LombScargle {
  /// Relative to their middle, in seconds.
  private let times: [Double]
  /// With their linear trend removed.
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

    /// Relative to the time offset τ at which sine and cosine are orthogonal over these times.
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
