import Bits
import GATTHeartRate
import Glibc

/// A heart that rests and exercises in turn, and the strap's electronics that measure its beats.
///
/// The mean interval approaches that of the current activity exponentially. Respiratory sinus arrhythmia, slower blood
/// pressure waves and some noise are added, all smaller the faster the heart beats. Each RR interval is the difference of
/// two beat times on a grid of 1/1024 s, so that rounding errors do not accumulate.
struct PlausibleHeart: Sendable {
  /// As many RR intervals as fit into a notification at the smallest ATT MTU beside rate and energy.
  static let intervalsPerPacket = 8

  private var random: SplitMix64
  private let restInterval: Double
  private let exerciseInterval: Double
  private let respiration: (frequency: Double, amplitude: Double, phase: Double)
  private let bloodPressure: (frequency: Double, amplitude: Double, phase: Double)
  private var meanInterval: Double
  private var targetInterval: Double
  private var timeConstant = 30.0
  private var activityEnds: Double

  /// The times of the last and the next beat, in seconds.
  private var lastBeat: Double
  private var nextBeat: Double
  /// Measured intervals not yet sent.
  private var waiting: [UInt16] = []
  /// The last beats' intervals in seconds, for the rate.
  private var recent: [Double] = []
  private var packets = 0
  private var kilojoules = 0.0

  /// A different heart for each seed, at rest from time 0.
  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    restInterval = random.uniform(0.8...1.05)
    exerciseInterval = random.uniform(0.4...0.5)
    respiration = (random.uniform(0.2...0.3), random.uniform(0.02...0.05), random.uniform(0...6.28))
    bloodPressure = (random.uniform(0.08...0.12), random.uniform(0.01...0.03), random.uniform(0...6.28))
    meanInterval = restInterval
    targetInterval = restInterval
    activityEnds = random.uniform(40...120)
    // Time begins at a random place within an interval.
    nextBeat = restInterval * random.uniform(0...1)
    lastBeat = nextBeat - restInterval
    self.random = random
  }

  /// Lets the heart beat until `seconds`.
  mutating func beat(until seconds: Double) {
    while nextBeat <= seconds {
      let ticks = Int64((nextBeat * 1024).rounded()) - Int64((lastBeat * 1024).rounded())
      if recent.count == 8 { recent.removeFirst() }
      recent.append(nextBeat - lastBeat)
      waiting.append(UInt16(clamping: ticks))
      lastBeat = nextBeat
      nextBeat += interval(at: lastBeat)
    }
  }

  /// Drops intervals measured while nobody was subscribed.
  mutating func forgetWaiting() {
    waiting.removeAll()
  }

  /// The next notification: the intervals measured since the last one; what does not fit waits for the one after.
  mutating func notification() -> [UInt8] {
    let sent = waiting.prefix(Self.intervalsPerPacket)
    let mean = recent.isEmpty ? meanInterval : recent.reduce(0, +) / Double(recent.count)
    let beatsPerMinute = UInt16((60 / mean).rounded())
    kilojoules += Double(beatsPerMinute) / 1200
    packets += 1
    let bytes = HeartRateMeasurement(
      beatsPerMinute: beatsPerMinute, contact: .detected,
      energyKilojoules: packets % 10 == 1 ? UInt16(clamping: Int(kilojoules)) : nil, rrTicks: Array(sent)
    ).encoded()
    waiting.removeFirst(sent.count)
    return bytes
  }

  /// Resets the energy expended to 0, as the control point does.
  mutating func resetEnergy() {
    kilojoules = 0
  }

  private mutating func interval(at time: Double) -> Double {
    if time >= activityEnds {
      let rests = targetInterval == restInterval
      targetInterval = rests ? exerciseInterval * random.uniform(0.95...1.3) : restInterval
      timeConstant = rests ? random.uniform(20...45) : random.uniform(40...90)
      activityEnds = time + random.uniform(90...300)
    }
    meanInterval += (targetInterval - meanInterval) * (1 - exp(-meanInterval / timeConstant))
    let calm = max(meanInterval - 0.3, 0.02) / 0.6
    let waves =
      respiration.amplitude * sin(2 * Double.pi * respiration.frequency * time + respiration.phase)
      + bloodPressure.amplitude * sin(2 * Double.pi * bloodPressure.frequency * time + bloodPressure.phase)
      + random.normal(0.006)
    return max(meanInterval + calm * waves, 0.28)
  }
}

extension SplitMix64 {
  /// A number from `range`, all equally likely.
  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * Double(next() >> 11) / Double(1 << 53)
  }

  /// A number from the normal distribution of mean 0 and this standard deviation (Box and Muller).
  mutating func normal(_ deviation: Double) -> Double {
    let radius = sqrt(-2 * log(uniform(1e-12...1)))
    return deviation * radius * cos(2 * Double.pi * uniform(0...1))
  }
}
