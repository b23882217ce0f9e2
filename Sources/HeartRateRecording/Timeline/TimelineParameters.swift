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

  /// How many intervals at least are compared with a rate.
  public var conflictBeats = 6
  /// A rise of the floor must show in this many packets, and for this long, in microseconds.
  public var stepPackets = 60
  public var stepMicroseconds: Int64 = 120_000_000
  /// And packets · step ÷ mean excess must be greater than this.
  public var stepConfirmation = 15.0
  /// Its hole lies at most so many packets after the first that shows it.
  public var stepReach = 20
  /// In place of that excess where there are fewer packets, in microseconds: an H10 was seen to be 11 s late.
  public var greatestLatency = 16e6
  /// Release depths up to this one are tried, in blocks of so many packets, where there are so many blocks.
  public var greatestDepth = 4
  public var depthBlock = 60
  public var fewestDepthBlocks = 3
  /// A depth is used if its standard error is smaller, in beats, and if it is beyond doubt that there is one.
  public var greatestDepthError = 0.2
  /// A sensor of whose packets more than this share comes together with others batches them.
  public var batchedShare = 0.25
  /// Offsets are learnt in so many rounds, from runs of so many packets if those have enough packets together, else from
  /// shorter ones; by the outermost of each block.
  public var mapRounds = 3
  public var referencePackets = [240, 120, 60, 30]
  public var enoughReferences = 600
  public var blockPackets = 20
  /// The density of the blocks' bounds is smoothed over this many of their medians: there are too few of them to believe more.
  public var densityBlur = 0.4
  /// Pieces of so many packets of long runs, and so many of each size and run, show how short runs are placed; of a size
  /// with fewer in all nothing is believed.
  public var calibrationPackets = [8, 25, 80, 160]
  public var calibrationPieces = 12
  public var fewestCalibrationPieces = 8
  /// Pieces of so many blocks show how far a long run's floor wanders.
  public var pieceBlocks = 6
  /// What a sensor's clock is expected to be off by, how far it is believed to be, and with which error.
  public var slopeSpread = 120e-6
  public var greatestSlope = 300e-6
  /// What part of the packets' word on the slope is believed, since they err together.
  public var slopeTrust = 0.4
  public var greatestSlopeError = 80e-6

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
