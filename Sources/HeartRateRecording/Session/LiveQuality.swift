public import HealthModel
public import Sensors

/// Counts the flagged beats of an open session, and holds the beats of its last five minutes. Provisional.
///
/// The recent beats are judged again and again by the rules of the final pass (``IntervalFlags``), because these rules also
/// look at what follows a beat. A beat that no later one can affect is counted for good, and forgotten after five minutes.
/// Not included is what only the final pass sees: silent losses, the packets around a rate that contradicts them, and the
/// first beats of invented intervals. Beats that a full disk kept from the journal are included here, but will be missing
/// from the stored session.
///
/// Memory is constant, and so is the time for each beat on average, whatever the sensor sends.
public struct LiveQuality: Sendable {
  /// The number of beats as of the last ``judge()``, and how many are flagged (``Heartbeat.Flags/firstOfRun`` does not
  /// count).
  public private(set) var beats = 0
  public private(set) var flagged = 0
  /// The first beat since the session began, or since the last reboot within it.
  public private(set) var firstBeat: BootInstant?

  private var rrTicks: [UInt16] = []
  private var instants: [BootInstant] = []
  /// The flags that the beats came with, without what ``judge()`` found.
  private var liveFlags: [Heartbeat.Flags] = []
  private var flags: [Heartbeat.Flags] = []
  /// The number of the oldest beats above that are counted for good.
  private var closed = 0
  private var closedBeats = 0
  private var closedFlagged = 0

  /// The time for which beats are kept, in microseconds.
  public static let windowMicroseconds: Int64 = 300_000_000
  /// The most beats that are kept: more than a heart has in five minutes. ``judge()`` runs when there are this many new
  /// ones.
  static let greatestCount = 1500
  static let greatestUnjudged = 500
  /// No rule looks further than this many beats, in either direction.
  static let reach = 64

  public init() {}

  /// Adds the session's next beat.
  public mutating func append(_ beat: LiveBeat) {
    if rrTicks.count >= Self.greatestCount + Self.greatestUnjudged { judge() }
    firstBeat = firstBeat ?? beat.instant
    rrTicks.append(beat.rrTicks)
    instants.append(beat.instant)
    liveFlags.append(beat.flags)
  }

  /// After a reboot: later instants cannot be compared with earlier ones. The counts stay.
  public mutating func restart() {
    judge()
    var next = LiveQuality()
    (next.beats, next.flagged) = (beats, flagged)
    (next.closedBeats, next.closedFlagged) = (beats, flagged)
    self = next
  }

  /// Computes ``beats``, ``flagged`` and ``recent(wallMinusBoot:)`` anew.
  public mutating func judge() {
    var judged = IntervalFlags(rrTicks, .standard)
    var start = 0
    while start < rrTicks.count {
      let end = liveFlags[(start + 1)...].firstIndex { $0.contains(.firstOfRun) } ?? rrTicks.count
      judged.judge(start..<end, as: liveFlags[start].contains(.filler) ? .filler : nil)
      start = end
    }
    flags = judged.flags
    for beat in flags.indices where liveFlags[beat].contains(.rateConflict) { flags[beat].insert(.rateConflict) }
    close(max(closed, rrTicks.count - Self.reach))
    beats = closedBeats + flags.count - closed
    flagged = closedFlagged + Self.flaggedCount(flags[closed...])
    forget(min(closed - Self.reach, max(recentRange.lowerBound, flags.count - Self.greatestCount)))
  }

  /// The beats of the last five minutes, as of the last ``judge()``, with flags and provisional times.
  ///
  /// - Parameter offset: Wall clock minus boot clock, in microseconds.
  /// - Returns: The beats of the present boot, each at its own time; none before the first ``judge()``.
  /// - Throws: ``HealthModel/SeriesError`` if `offset` leads to times outside of a series' range.
  public func recent(wallMinusBoot offset: Int64) throws(SeriesError) -> HeartbeatSeries {
    let range = recentRange
    guard !range.isEmpty else { return HeartbeatSeries() }
    var builder = HeartbeatSeriesBuilder(timescale: SensorClock.standard.ticksPerSecond)
    for beat in range {
      let time = Timestamp(microseconds: instants[beat].microseconds &+ offset)
      if beat == range.lowerBound || flags[beat].contains(.firstOfRun) {
        try builder.beginRun(AffineTimeMap(anchor: time))
      }
      try builder.add(
        rrTicks: UInt32(rrTicks[beat]), precededByGap: !flags[beat].isDisjoint(with: .gap), flags: flags[beat], at: time
      )
    }
    return try builder.finish()
  }

  /// The numbers of beats and of flagged beats in the last five minutes, as of the last ``judge()``.
  public var recentCounts: (beats: Int, flagged: Int) {
    let range = recentRange
    return (range.count, Self.flaggedCount(flags[range]))
  }

  /// When the last beat happened, as of the last ``judge()``; nil without beats.
  public var lastBeat: BootInstant? { instants[..<flags.count].last }

  private static func flaggedCount(_ flags: ArraySlice<Heartbeat.Flags>) -> Int {
    flags.count(where: \.isDoubtful)
  }

  /// The judged beats of the five minutes that end at the last of them.
  private var recentRange: Range<Int> {
    let judged = instants[..<flags.count]
    guard let last = judged.last else { return 0..<0 }
    let earliest = last.advanced(byMicroseconds: -Self.windowMicroseconds)
    return (judged.firstIndex { $0 > earliest } ?? flags.count)..<flags.count
  }

  private mutating func close(_ end: Int) {
    closedBeats += end - closed
    closedFlagged += Self.flaggedCount(flags[closed..<end])
    closed = end
  }

  private mutating func forget(_ count: Int) {
    guard count > 0 else { return }
    rrTicks.removeFirst(count)
    instants.removeFirst(count)
    liveFlags.removeFirst(count)
    flags.removeFirst(count)
    closed -= count
  }
}
