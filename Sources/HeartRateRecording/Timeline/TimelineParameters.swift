/// The constants of the final pass. They are fixed: sessions are stored with ``standard``.
///
/// Documentation/timeline.md explains them; the fidelity bench measures their effect.
public struct TimelineParameters: Hashable, Sendable {
  /// This many intervals of ``fillerTicks`` in a row are invented; two in a row happen at 120 beats per minute.
  public var fillerCount = 4
  public var fillerTicks: UInt16 = 512
  /// Invented intervals also have a heart of another pace around them: one of so many intervals on each side differs by
  /// more ticks than this, or the rate does.
  public var fillerNeighbours = 8
  public var fillerSpread = 16
  /// An interval longer than this many medians of its neighbours spans missed beats or a pause (rule 5).
  public var missedRatio = 2.5
  /// The number of neighbours for that median: half before, half after.
  public var missedNeighbours = 12
  /// An interval classified as missed must also exceed each of its neighbours by this factor.
  public var twiceRatio = 1.65
  /// The neighbours of an interval classified as missed must be even: their ratio is below this.
  public var evenRatio = 1.15
  /// Live only: an interval shorter than this many medians of the last ones ends with an early beat.
  public var earlyRatio = 0.8
  /// Rate and mean interval conflict when one is this many times the other.
  public var conflictRatio = 1.5
  /// 300 beats a minute; a shorter interval is implausible. Ticks.
  public var shortestTicks: UInt16 = 205
  /// 15 beats a minute; a longer interval is implausible. Ticks.
  public var longestTicks: UInt16 = 4096

  /// Intervals are invented if at least this many packets, and the share below of them, hold 61440 / rate and nothing else.
  /// The number of different rates rules out a heart that beats evenly; fewer are needed if the sum of the intervals is not
  /// the time that passed.
  public var fewestInvented = 20
  public var inventedShare = 0.95
  public var manyInventedRates = 12
  public var fewestInventedRates = 5
  /// The sum of intervals is judged over at least so much time, in stretches of at least so much, from so long after
  /// they began. A stretch ends where no packet with intervals comes for the time of a hole. Microseconds.
  public var leastJudged: Int64 = 200_000_000
  public var leastStretch: Int64 = 60_000_000
  public var settleMicroseconds: Int64 = 10_000_000
  public var hole: Int64 = 3_000_000
  public var batchedHole: Int64 = 10_000_000
  /// Sum and time of one heart's intervals differ by no more than this share; two hearts' sum is twice the time to
  /// within the second.
  public var unfitRatio = 0.02
  public var twiceRange = 0.1
  /// Milliseconds: the sum, and the intervals next to the rates, are 1000/1024 to within these shares.
  public var millisecondRange = 0.003
  public var millisecondRateRange = 0.012
  /// The greatest difference between the mean interval and that by the rates, as a share.
  public var likeRateRange = 0.05
  /// Without the intervals that are sent again the sum is right to this share, with them it is not. Such an interval
  /// ends at most this part of an interval above the floor. Where more than this share of the packets begin with the
  /// last one of the packet before, all of them are sent again.
  public var repeatedRatio = 0.003
  /// The number of packets behind an interval sent again that are examined.
  public var repeatedPackets = 10
  public var repeatedReach: Int64 = 8
  public var alwaysRepeatedShare = 0.8
  /// Of this many packets in a row at least so many come in equal pairs, less than this apart in microseconds, if each
  /// packet comes twice.
  public var doubledWindow = 20
  public var fewestDoubled = 16
  public var doubledMicroseconds: Int64 = 500_000
  /// The greatest difference between the sum of measured intervals and the time of their packets, where each packet
  /// holds one. Microseconds.
  public var mostWanderOfIntervals: Int64 = 5_000_000

  /// A rate is compared with at least this many intervals.
  public var conflictBeats = 6
  /// A rise of the floor must last for this many packets, and for the time below, in microseconds.
  public var stepPackets = 60
  public var stepMicroseconds: Int64 = 120_000_000
  /// The least packets · step ÷ mean excess of a rise of the floor.
  public var stepConfirmation = 15.0
  /// In a window of at least this many packets the second lowest residual is the floor: one packet proves nothing.
  public var fewestForSecond = 20
  /// Intervals that come again after more than this without any begin a run if more than half of the time, and more
  /// than two intervals, stay unaccounted for by what arrives within the second time. Microseconds.
  public var silenceMicroseconds: Int64 = 5_000_000
  public var silenceReach: Int64 = 8_000_000
  /// The loss is located at most this many packets after the first packet that shows it.
  public var stepReach = 20
  /// Replaces the mean excess where there are too few packets, in microseconds: no latency lasts longer for a dozen
  /// packets.
  public var lastingLatency = 6e6
  /// The longest lasting latency where packets are held back and come in batches.
  public var batchedLatency = 16e6
  /// A packet is early if it lies this far below the floor around it, in microseconds and in spreads of that floor, and if
  /// at most half of the packets within this reach on each side do so.
  public var earlyMicroseconds: Int64 = 100_000
  public var earlySpreads: Int64 = 1
  public var farEarlySpreads: Int64 = 4
  public var earlyReach = 6
  /// A packet is also early if it lies this far below the lowest tenth of so many packets before it, and of as many
  /// behind it. A side with fewer packets than the last number does not count. Microseconds.
  public var sideEarlyMicroseconds: Int64 = 250_000
  public var earlySide = 40
  public var fewestEarlySide = 3
  /// The floor around a packet is taken from blocks of this many packets, and this many blocks to each side.
  public var floorBlock = 30
  public var floorReach = 20
  /// Of more packets than this that come together, all but the last were held back while the host did not run.
  public var largestBatch = 6
  /// A rise and a later fall are one spell of latency if they differ by less than this, in microseconds.
  public var undoneMicroseconds: Int64 = 300_000
  /// Beats that may still be in the sensor at both ends of a link, in microseconds (rule 11).
  public var edgeMicroseconds: Int64 = 3_000_000
  /// Beats cannot be ahead of their link, or of the floor of so many packets, by more than this, in microseconds (rule 11).
  public var surplusMicroseconds: Int64 = 4_000_000
  public var surplusPackets = 15
  /// Release depths up to this one are tried, in blocks of this many packets, if there are at least so many blocks.
  public var greatestDepth = 4
  public var depthBlock = 120
  public var fewestDepthBlocks = 3
  /// A depth is used if its standard error is below this, in beats.
  public var greatestDepthError = 0.4
  /// A depth must also fit better by this many nats, plus this many for each block.
  public var depthMargin = 15.0
  public var depthMarginPerBlock = 1.2
  /// A sensor batches if more than this share of its packets comes together with others.
  public var batchedShare = 0.25
  /// Offsets are learnt in this many rounds, from runs of at least so many packets (shorter ones, if these have too few
  /// packets in all), by the outermost bound of each block.
  public var mapRounds = 3
  public var referencePackets = [240, 120, 60, 30]
  public var enoughReferences = 600
  public var blockPackets = 20
  /// Latencies are learnt from all runs where none is so long, if there are at least so many.
  public var fewestShortRuns = 8
  /// Block size where packets can be early. The outermost bound may be an early packet, so the second counts.
  public var lookAheadBlockPackets = 40
  public var lookAheadRank = 2
  /// The density of the blocks' bounds is smoothed over this many of their medians, because they are few.
  public var densityBlur = 0.4
  /// Short runs are calibrated with pieces of long runs: pieces of these many packets, at most so many of each size and
  /// run. A size with too few pieces in all is ignored.
  public var calibrationPackets = [8, 25, 80, 160]
  public var calibrationPieces = 12
  public var fewestCalibrationPieces = 8
  /// The wander of a long run's floor is measured on pieces of this many blocks.
  public var pieceBlocks = 6
  /// With at least this many packets, the only run of a session is uncertain by its slope and its wander alone.
  public var wholePackets = 1200
  /// The least uncertainty that is stated, in microseconds: for a run among others, for such an only run, for a shorter
  /// only run.
  public var leastHalfWidth = 20_000.0
  public var leastWhole = 15_000.0
  public var leastLone = 30_000.0
  /// A sensor's pace is looked for in blocks of this many packets, which must agree with their neighbours to within this,
  /// in microseconds.
  public var gridPackets = 100
  public var gridMicroseconds = 30_000.0
  /// This share of the blocks must agree, and this share of a run's packets must have a turn.
  public var steadyShare = 0.8
  /// Accepted periods, in microseconds from one notification to the next.
  public var gridPeriods = 200_000.0...5_000_000.0
  /// The prior of a sensor's clock error, its limit, and the standard error from which on the slope counts as 0.
  public var slopeSpread = 120e-6
  public var greatestSlope = 300e-6
  public var greatestSlopeError = 105e-6
  /// The wander of clocks and the drift by rounding within a session: no slope has a smaller error.
  public var slopeWander = 7e-6
  /// The factor for the packets' log-likelihood of a slope, because their errors are correlated.
  public var slopeTrust = 0.4
  /// The factor for packets that come in batches, which do not keep step with the beats.
  public var batchedSlopeTrust = 1.0
  /// With at least this many runs, each is left out once to see how much the slope depends on it.
  public var fewestDriftRuns = 3
  /// Phases between beats and packets are discrete if they leave a gap of more than this share of their range.
  public var steppedPhases = 0.22
  /// The number of slopes tried on each side.
  public var slopeSteps = 7

  public init() {}

  public static let standard = TimelineParameters()
}

extension TimelineParameters {
  func isImplausible(_ rrTicks: UInt16) -> Bool {
    rrTicks < shortestTicks || rrTicks > longestTicks
  }

  /// Whether a rate and the mean of the intervals around it contradict each other. A rate of 0 does not.
  func contradicts(rate: UInt16, meanTicks: Double) -> Bool {
    guard rate > 0 else { return false }
    let product = Double(rate) * meanTicks
    let expected = 60.0 * 1024.0
    return product > expected * conflictRatio || product * conflictRatio < expected
  }
}
