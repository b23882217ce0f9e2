public import HealthModel
public import Sensors

/// How many beats of an open session are flagged so far, and the beats of its last five minutes. Provisional.
///
/// The beats of the last minutes are judged again and again by the rules of the final pass (``IntervalFlags``), since these look at
/// what comes after a beat, too; a beat that nothing later can touch is counted and, after five minutes, forgotten.
/// What the final pass alone can see is not in it: silent losses, the packets around a rate that contradicts them, and the first
/// beats of invented intervals. Beats that a full disk kept from the journal are in it, and not in the session that is stored.
///
/// Memory and, spread over its beats, time for each beat are constant, whatever the sensor sends.
public struct LiveQuality: Sendable {
  /// The beats of the session as of the last ``judge()``, and how many of them are flagged, ``Heartbeat.Flags/firstOfRun`` aside.
  public private(set) var beats = 0
  public private(set) var flagged = 0
  /// The first beat since the session began, or since the machine was started anew within it.
  public private(set) var firstBeat: BootInstant?

  private var rrTicks: [UInt16] = []
  private var instants: [BootInstant] = []
  /// As they came with the beats, without what ``judge()`` found.
  private var liveFlags: [Heartbeat.Flags] = []
  private var flags: [Heartbeat.Flags] = []
  /// So many of the oldest beats above are counted for good.
  private var settled = 0
  private var settledBeats = 0
  private var settledFlagged = 0

  /// How long beats are kept, in microseconds.
  public static let windowMicroseconds: Int64 = 300_000_000
  /// More beats than a heart has in that time are kept of no sensor, and judged at the latest when there are this many more.
  static let greatestCount = 1500
  static let greatestUnjudged = 500
  /// No rule looks further than so many beats, in either direction.
  static let reach = 64

  public init() {}

  /// Takes the session's next beat.
  public mutating func append(_ beat: LiveBeat) {
    if rrTicks.count >= Self.greatestCount + Self.greatestUnjudged { judge() }
    firstBeat = firstBeat ?? beat.instant
    rrTicks.append(beat.rrTicks)
    instants.append(beat.instant)
    liveFlags.append(beat.flags)
  }

  /// The machine was started anew: what comes is not to be compared with the instants before. Counts stay.
  public mutating func restart() {
    judge()
    var next = LiveQuality()
    (next.beats, next.flagged) = (beats, flagged)
    (next.settledBeats, next.settledFlagged) = (beats, flagged)
    self = next
  }

  /// Works out ``beats``, ``flagged`` and ``recent(wallMinusBoot:)`` anew.
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
    settle(max(settled, rrTicks.count - Self.reach))
    beats = settledBeats + flags.count - settled
    flagged = settledFlagged + Self.flaggedCount(flags[settled...])
    forget(min(settled - Self.reach, max(recentRange.lowerBound, flags.count - Self.greatestCount)))
  }

  /// The beats of the last five minutes, as of the last ``judge()``, with flags and provisional times.
  ///
  /// - Parameter offset: The wall clock's lead over the boot clock, in microseconds.
  /// - Returns: Beats of the present boot, each at its own time; none before the first ``judge()``.
  /// - Throws: ``HealthModel/SeriesError`` where `offset` is no clock's.
  public func recent(wallMinusBoot offset: Int64) throws(SeriesError) -> HeartbeatSeries {
    let range = recentRange
    guard !range.isEmpty else { return HeartbeatSeries() }
    var builder = HeartbeatSeriesBuilder(timescale: SensorTicks.perSecond)
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

  /// How many beats of the last five minutes there are, as of the last ``judge()``, and how many of them are flagged.
  public var recentCounts: (beats: Int, flagged: Int) {
    let range = recentRange
    return (range.count, Self.flaggedCount(flags[range]))
  }

  /// When the last beat happened, as of the last ``judge()``; nil without beats.
  public var lastBeat: BootInstant? { instants[..<flags.count].last }

  private static func flaggedCount(_ flags: ArraySlice<Heartbeat.Flags>) -> Int {
    flags.count(where: \.isDoubtful)
  }

  /// The judged beats that are not older than five minutes before the last of them.
  private var recentRange: Range<Int> {
    let judged = instants[..<flags.count]
    guard let last = judged.last else { return 0..<0 }
    let earliest = last.advanced(byMicroseconds: -Self.windowMicroseconds)
    return (judged.firstIndex { $0 > earliest } ?? flags.count)..<flags.count
  }

  private mutating func settle(_ end: Int) {
    settledBeats += end - settled
    settledFlagged += Self.flaggedCount(flags[settled..<end])
    settled = end
  }

  private mutating func forget(_ count: Int) {
    guard count > 0 else { return }
    rrTicks.removeFirst(count)
    instants.removeFirst(count)
    liveFlags.removeFirst(count)
    flags.removeFirst(count)
    settled -= count
  }
}
