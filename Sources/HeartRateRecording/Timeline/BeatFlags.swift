/// What is doubtful about one beat. Flags never change a value: the interval stays as it was received.
public struct BeatFlags: OptionSet, Hashable, Sendable {
  public var rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The interval is so long that the sensor missed one or more beats in it, or that the heart paused: intervals alone
  /// cannot tell. Such a beat is preceded by a gap.
  public static let missed = BeatFlags(rawValue: 1 << 0)
  /// A detection that is no beat: the interval and the one after it make one normal interval, whose own beat is not
  /// flagged for being short.
  public static let extra = BeatFlags(rawValue: 1 << 1)
  /// An early beat of the atria or ventricles: it ends the short interval.
  public static let ectopic = BeatFlags(rawValue: 1 << 2)
  /// The interval is much longer or shorter than its surroundings, or than any heart's.
  public static let implausible = BeatFlags(rawValue: 1 << 3)
  /// Invented by the sensor: one of four or more intervals of exactly 512 ticks in a row.
  public static let filler = BeatFlags(rawValue: 1 << 4)
  /// The rate in the same notification contradicts the interval grossly.
  public static let rateConflict = BeatFlags(rawValue: 1 << 5)
  /// The first beat of its run: its interval began at a beat that was not seen, and takes no part in variability.
  public static let firstOfRun = BeatFlags(rawValue: 1 << 6)

  /// More than there was time for: a packet that was delivered twice, or a value that is no interval. It counts nothing in the
  /// sums of ticks around it.
  public static let surplus = BeatFlags(rawValue: 1 << 7)

  /// Each of these says that no interval may be formed from the beat before.
  static let gap: BeatFlags = [.firstOfRun, .missed]
  /// Whether something is doubtful about the beat or its interval; that it is the first of its run is not.
  public var isDoubtful: Bool { !subtracting(.firstOfRun).isEmpty }
}
