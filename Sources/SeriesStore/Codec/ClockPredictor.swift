/// Predicts the next timestamp of a regular series: a tracking filter of phase and period in integers.
///
/// The timestamps of notifications are a steady clock plus jitter; following the clock instead of the last timestamp saves
/// a quarter of a bit each. With a phase shift of 0 it predicts the last timestamp plus the mean period, which suits
/// wandering times.
struct ClockPredictor: StampPredictor {
  /// The phase changes by 1/2ᵖʰᵃˢᵉ of the error, the period by 1/2ᵖᵉʳⁱᵒᵈ of it.
  struct Gains: Hashable {
    var phase: UInt8
    var period: UInt8

    /// For a strap's notifications.
    static let steady = Gains(phase: 3, period: 10)
    /// For irregular times.
    static let wandering = Gains(phase: 0, period: 3)
  }

  private let gains: Gains
  /// In 1/256 of the time unit.
  private var phase: Int64
  private var period: Int64

  /// Starts at `first`, with a period in time units.
  init(first: Int64, period: Int64, gains: Gains) {
    self.gains = gains
    phase = first &<< 8
    self.period = period &<< 8
  }

  @inline(__always)
  func prediction(at index: Int) -> Int64 { (phase &+ period) &>> 8 }

  @inline(__always)
  mutating func update(with stamp: Int64) {
    let expected = phase &+ period
    let error = (stamp &- (expected &>> 8)) &<< 8
    phase = expected &+ (error &>> Int64(gains.phase))
    period = period &+ (error &>> Int64(gains.period))
  }
}
