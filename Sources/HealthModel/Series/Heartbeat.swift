/// One beat of a ``HeartbeatSeries``: the interval that ended with it, and what is known about it.
public struct Heartbeat: Hashable, Sendable, Codable {
  /// Ticks of the series' timescale since the beat before it in its run: the RR interval as received.
  ///
  /// The first beat of a run has one too. It began at a beat that nobody saw, so no beat stands at its start.
  public var rrTicks: UInt32
  /// One or more beats may have happened since the previous one: no interval may be formed across this.
  public var precededByGap: Bool
  /// What was found about the beat, beside its value.
  public var flags: Flags
  /// Microseconds by which the beat's time differs from its run's map: nearly always 0.
  ///
  /// The map is a straight line; a beat that it would put after the arrival of its own packet, or not after the beat
  /// before, is moved by this much.
  public var offsetMicroseconds: Int32

  /// Takes every part as it is.
  public init(rrTicks: UInt32, precededByGap: Bool = false, flags: Flags = [], offsetMicroseconds: Int32 = 0) {
    self.rrTicks = rrTicks
    self.precededByGap = precededByGap
    self.flags = flags
    self.offsetMicroseconds = offsetMicroseconds
  }

  /// What the recorder found about a beat. Flags stand beside the value, which stays as received.
  public struct Flags: OptionSet, Hashable, Sendable, Codable {
    /// The flags as bits.
    public let rawValue: UInt8

    /// Takes the flags as bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The interval is so long that the sensor missed beats in it, or that the heart paused: intervals alone cannot tell. Such a
    /// beat is preceded by a gap.
    public static let missed = Flags(rawValue: 1 << 0)
    /// A detection that is no beat: the interval and the one after it make one normal interval, whose own beat is not flagged for
    /// being short.
    public static let extra = Flags(rawValue: 1 << 1)
    /// An early beat of the atria or ventricles: it ends the short interval.
    public static let ectopic = Flags(rawValue: 1 << 2)
    /// The interval is much longer or shorter than its surroundings, or than any heart's.
    public static let implausible = Flags(rawValue: 1 << 3)
    /// Invented by the sensor: one of four or more intervals of exactly 512 ticks in a row.
    public static let filler = Flags(rawValue: 1 << 4)
    /// The rate in the same notification contradicts the interval grossly.
    public static let rateConflict = Flags(rawValue: 1 << 5)
    /// The first beat of its run: its interval began at a beat that was not seen, and takes no part in variability.
    public static let firstOfRun = Flags(rawValue: 1 << 6)
    /// More than there was time for: a packet that was delivered twice, or a value that is no interval. It counts nothing in the
    /// sums of ticks around it.
    public static let surplus = Flags(rawValue: 1 << 7)

    /// Every flag with its name, in the order of the bits: `missed`, `extra`, `ectopic` …
    public static let named: [(flag: Flags, name: String)] = [
      (.missed, "missed"), (.extra, "extra"), (.ectopic, "ectopic"), (.implausible, "implausible"), (.filler, "filler"),
      (.rateConflict, "rateConflict"), (.firstOfRun, "firstOfRun"), (.surplus, "surplus"),
    ]

    /// The names of the flags that are set, in that order.
    public var names: [String] { Self.named.filter { contains($0.flag) }.map(\.name) }
  }
}
