/// A beat of a ``HeartbeatSeries``: the interval that ended with it, and its flags.
public struct Heartbeat: Hashable, Sendable, Codable {
  /// Ticks since the previous beat of its run, in the series' timescale: the RR interval as received.
  ///
  /// The first beat of a run has one too. That interval began at a beat that was not received, so no beat marks its start.
  public var rrTicks: UInt32
  /// Whether beats may have happened since the previous one. If so, no interval may be formed between the two.
  public var precededByGap: Bool
  /// Findings about the beat.
  public var flags: Flags
  /// The beat's time minus the time by its run's map, in microseconds: nearly always 0.
  ///
  /// The map is a straight line. A beat that it would place after the arrival of its own packet, or not after the previous
  /// beat, is moved by this.
  public var offsetMicroseconds: Int32

  /// A beat with the given parts, which are not checked.
  public init(rrTicks: UInt32, precededByGap: Bool = false, flags: Flags = [], offsetMicroseconds: Int32 = 0) {
    self.rrTicks = rrTicks
    self.precededByGap = precededByGap
    self.flags = flags
    self.offsetMicroseconds = offsetMicroseconds
  }

  /// The recorder's findings about a beat. They never change the value, which stays as received.
  public struct Flags: OptionSet, Hashable, Sendable, Codable {
    /// The flags as bits.
    public let rawValue: UInt8

    /// The flags with these bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The interval is so long that the sensor missed beats in it, or the heart paused: intervals alone cannot show which. In
    /// a recording such a beat is preceded by a gap.
    public static let missed = Flags(rawValue: 1 << 0)
    /// A false detection: this interval and the next together are one normal interval. The next beat is not flagged for its
    /// short interval.
    public static let extra = Flags(rawValue: 1 << 1)
    /// A premature beat of the atria or ventricles, which ends the short interval.
    public static let ectopic = Flags(rawValue: 1 << 2)
    /// The interval is much longer or shorter than its neighbours, or than possible for a heart.
    public static let implausible = Flags(rawValue: 1 << 3)
    /// Invented by the sensor: one of at least four consecutive intervals of exactly 512 ticks.
    public static let filler = Flags(rawValue: 1 << 4)
    /// The rate in the same notification strongly contradicts the interval.
    public static let rateConflict = Flags(rawValue: 1 << 5)
    /// The first beat of its run. Its interval began at a beat that was not received, and is not used for variability.
    public static let firstOfRun = Flags(rawValue: 1 << 6)
    /// An interval for which there was not enough time: from a packet that was delivered twice, or a value that is not an
    /// interval. The beat counts 0 in the sums of ticks around it.
    public static let surplus = Flags(rawValue: 1 << 7)

    /// All flags with their names, in the order of the bits: `missed`, `extra`, `ectopic` …
    public static let named: [(flag: Flags, name: String)] = [
      (.missed, "missed"), (.extra, "extra"), (.ectopic, "ectopic"), (.implausible, "implausible"), (.filler, "filler"),
      (.rateConflict, "rateConflict"), (.firstOfRun, "firstOfRun"), (.surplus, "surplus"),
    ]

    /// The names of the flags that are set, in that order.
    public var names: [String] { Self.named.filter { contains($0.flag) }.map(\.name) }
  }
}
