/// A time zone: its past, present and future offsets from UTC.
///
/// Read from the compiled files of the zone database (TZif, RFC 8536), since neither the standard library nor
/// FoundationEssentials supports named zones.
public struct TimeZoneRules: Hashable, Sendable {
  /// The zone's name, as given by the caller.
  public let name: String
  /// Seconds since 1970 at which the offset changes, ascending.
  private let transitions: [Int64]
  /// The offset from each transition on, in seconds east of Greenwich.
  private let offsets: [Int32]
  /// The offset before the first transition.
  private let firstOffset: Int32
  /// The rule for all time after the last transition.
  private let footer: RecurringOffsets?

  /// Universal time.
  public static let utc = TimeZoneRules(name: "UTC", fixedOffset: 0)

  /// A zone with a fixed offset, in seconds east of Greenwich.
  public init(name: String, fixedOffset: Int32) {
    self.name = name
    transitions = []
    offsets = []
    firstOffset = fixedOffset
    footer = nil
  }

  /// A zone with one rule for all time, as in a `TZ` variable (POSIX.1-2017 section 8.3): `CET-1CEST,M3.5.0,M10.5.0/3`.
  ///
  /// Its name is the rule. Throws ``TimeZoneError/invalidData(part:)`` if the rule is not valid.
  public init(rule: String) throws(TimeZoneError) {
    self.init(
      name: rule, transitions: [], offsets: [], firstOffset: 0, footer: try RecurringOffsets(parsing: Array(rule.utf8)))
  }

  init(
    name: String, transitions: [Int64], offsets: [Int32], firstOffset: Int32, footer: RecurringOffsets?
  ) {
    self.name = name
    self.transitions = transitions
    self.offsets = offsets
    self.firstOffset = firstOffset
    self.footer = footer
  }

  /// The offset from UTC at a moment, in seconds east of Greenwich.
  public func offset(at moment: Timestamp) -> Int32 {
    var seconds = moment.microseconds / 1_000_000
    if moment.microseconds % 1_000_000 < 0 { seconds -= 1 }
    return offset(atSecond: seconds)
  }

  private func offset(atSecond second: Int64) -> Int32 {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= second { low = middle + 1 } else { high = middle }
    }
    if low == transitions.count, let footer { return footer.offset(atSecond: second) }
    return low == 0 ? firstOffset : offsets[low - 1]
  }

  /// The moment at which the region's clocks show `wall` (microseconds since 1970, as if it were UTC).
  ///
  /// If they show it twice, the first moment. If they skip it, the moment as long after the beginning of the jump as `wall`
  /// is after the skipped hour's beginning.
  public func moment(ofWallClock wall: Int64) -> Timestamp {
    let day: Int64 = 86_400_000_000
    let before = Int64(offset(at: Timestamp(microseconds: wall.subtractingSaturated(day)))) * 1_000_000
    let after = Int64(offset(at: Timestamp(microseconds: wall.addingSaturated(day)))) * 1_000_000
    let candidates = before > after ? [before, after] : [after, before]
    // A greater offset means an earlier moment.
    for offset in candidates {
      let moment = Timestamp(microseconds: wall.subtractingSaturated(offset))
      if Int64(self.offset(at: moment)) * 1_000_000 == offset { return moment }
    }
    return Timestamp(microseconds: wall.subtractingSaturated(before))
  }

  /// The region's clock time at a moment, in microseconds since 1970, as if it were UTC.
  public func wallClock(at moment: Timestamp) -> Int64 {
    moment.microseconds.addingSaturated(Int64(offset(at: moment)) * 1_000_000)
  }
}
