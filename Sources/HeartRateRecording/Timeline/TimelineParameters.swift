/// The figures of the final pass. They are fixed: ``standard`` is what sessions are stored with.
///
/// Where each comes from stands in Documentation/timeline.md and in the fidelity bench that they were tuned with.
public struct TimelineParameters: Hashable, Sendable {
  /// This many intervals of ``fillerTicks`` in a row are invented; two in a row happen at 120 beats per minute.
  public var fillerCount = 4
  public var fillerTicks: UInt16 = 512
  /// An interval longer than this many medians of its neighbours spans missed beats or a pause.
  public var missedRatio = 2.5
  /// How many neighbours give that median: half before, half after.
  public var missedNeighbours = 12
  /// An interval that artefact detection calls missed is longer than this many of each of its neighbours.
  public var twiceRatio = 1.65
  /// And these neighbours differ by less than this ratio.
  public var evenRatio = 1.15
  /// A live interval shorter than this many medians of the last ones ends early. Only live: the final pass measures.
  public var earlyRatio = 0.8
  /// Rate and mean interval contradict each other when one is this many times the other.
  public var conflictRatio = 1.5
  /// No heart beats faster than 300 a minute: a shorter interval is implausible. Ticks.
  public var shortestTicks: UInt16 = 205
  /// Nor slower than 15 a minute: a longer one is implausible. Ticks.
  public var longestTicks: UInt16 = 4096

  /// Intervals are invented where at least so many packets, and such a share of them, hold 61440 / rate and nothing else;
  /// so many different rates rule out a heart that beats evenly, fewer if the sum of the intervals is not the time that passed.
  public var fewestInvented = 20
  public var inventedShare = 0.95
  public var manyInventedRates = 12
  public var fewestInventedRates = 5
  /// So far may the sum of measured intervals and the time of their packets come apart, where each packet holds one. Microseconds.
  public var mostWanderOfIntervals: Int64 = 5_000_000

  /// How many intervals at least are compared with a rate.
  public var conflictBeats = 6
  /// A rise of the floor must show in this many packets, and for this long, in microseconds.
  public var stepPackets = 60
  public var stepMicroseconds: Int64 = 120_000_000
  /// And packets · step ÷ mean excess must be greater than this.
  public var stepConfirmation = 15.0
  /// Its hole lies at most so many packets after the first that shows it.
  public var stepReach = 20
  /// In place of that excess where there are fewer packets, in microseconds: longer than that no latency lasts for a dozen
  /// packets.
  public var lastingLatency = 6e6
  /// The same where something on the way holds packets back.
  public var batchedLatency = 16e6
  /// A packet is early that lies so far below the floor around it, in microseconds, or in the spreads of that floor; one of
  /// so many to each side at most.
  public var earlyMicroseconds: Int64 = 100_000
  public var earlySpreads: Int64 = 1
  public var farEarlySpreads: Int64 = 4
  public var earlyReach = 6
  /// That floor is looked at in blocks of so many packets, so many of them to each side.
  public var floorBlock = 30
  public var floorReach = 20
  /// Of more packets than this that come together all but the last were held back by a host that did not run.
  public var largestBatch = 6
  /// A rise and a fall after it are one spell of latency where they differ by less than this, in microseconds.
  public var undoneMicroseconds: Int64 = 300_000
  /// Beats still in the sensor at both ends of a stretch, in microseconds (rule 9).
  public var edgeMicroseconds: Int64 = 3_000_000
  /// More time than this, in microseconds, no sensor's beats can be ahead of its link or its floor, which takes so many packets.
  public var surplusMicroseconds: Int64 = 4_000_000
  public var surplusPackets = 15
  /// Release depths up to this one are tried, in blocks of so many packets, where there are so many blocks.
  public var greatestDepth = 4
  public var depthBlock = 120
  public var fewestDepthBlocks = 3
  /// A depth is used if its standard error is smaller, in beats.
  public var greatestDepthError = 0.4
  /// And if it fits better by so many nats, and so many for each block.
  public var depthMargin = 15.0
  public var depthMarginPerBlock = 1.2
  /// A sensor of whose packets more than this share comes together with others batches them.
  public var batchedShare = 0.25
  /// Offsets are learnt in so many rounds, from runs of so many packets if those have enough packets together, else from
  /// shorter ones; by the outermost of each block.
  public var mapRounds = 3
  public var referencePackets = [240, 120, 60, 30]
  public var enoughReferences = 600
  public var blockPackets = 20
  /// Where packets can be early, blocks are larger and their outermost bound may be one: the next counts.
  public var lookAheadBlockPackets = 40
  public var lookAheadRank = 2
  /// The density of the blocks' bounds is smoothed over this many of their medians: there are too few of them to believe more.
  public var densityBlur = 0.4
  /// Pieces of so many packets of long runs, and so many of each size and run, show how short runs are placed; of a size
  /// with fewer in all nothing is believed.
  public var calibrationPackets = [8, 25, 80, 160]
  public var calibrationPieces = 12
  public var fewestCalibrationPieces = 8
  /// Pieces of so many blocks show how far a long run's floor wanders.
  public var pieceBlocks = 6
  /// The only run of a session, if it has so many packets, is uncertain by its slope and its wandering alone.
  public var wholePackets = 1200
  /// The least uncertainty that is stated, in microseconds: of a run among others, of such an only run, of a shorter only run.
  public var leastHalfWidth = 20_000.0
  public var leastWhole = 15_000.0
  public var leastLone = 30_000.0
  /// A sensor's pace shows in blocks of so many packets, which agree with their neighbours to this, in microseconds.
  public var gridPackets = 100
  public var gridMicroseconds = 30_000.0
  /// Such a share of the blocks must agree, and such a share of a run's packets have a turn.
  public var steadyShare = 0.8
  /// A pace lies in here, in microseconds from one notification to the next.
  public var gridPeriods = 200_000.0...5_000_000.0
  /// What a sensor's clock is expected to be off by, how far it is believed to be, and with which error.
  public var slopeSpread = 120e-6
  public var greatestSlope = 300e-6
  public var greatestSlopeError = 105e-6
  /// By how much clocks wander and rounding walks within a session: no slope is known better.
  public var slopeWander = 7e-6
  /// What part of the packets' word on the slope is believed, since they err together.
  public var slopeTrust = 0.4
  /// The same of packets that come in batches, which keep step with nothing.
  public var batchedSlopeTrust = 1.0
  /// Of so many runs each is left out once, to see what the slope hangs on.
  public var fewestDriftRuns = 3
  /// Phases between beats and packets that leave a gap of more than this share of their range go in steps.
  public var steppedPhases = 0.22
  /// So many slopes are tried on each side.
  public var slopeSteps = 7

  public init() {}

  public static let standard = TimelineParameters()
}

extension TimelineParameters {
  func isImplausible(_ rrTicks: UInt16) -> Bool {
    rrTicks < shortestTicks || rrTicks > longestTicks
  }

  /// Whether a rate and the mean of the intervals around it cannot both be right. A rate of 0 says nothing.
  func contradicts(rate: UInt16, meanTicks: Double) -> Bool {
    guard rate > 0 else { return false }
    let product = Double(rate) * meanTicks
    let expected = 60.0 * 1024.0
    return product > expected * conflictRatio || product * conflictRatio < expected
  }
}
