/// Calls after which bluetoothd seems to end: a pure value.
///
/// There are versions of BlueZ that end (SIGSEGV) at a call that others carry out, and keyboard, mouse and headset go
/// with them. A program that makes such a call again as soon as bluetoothd is back ends it again, for ever.
///
/// A death within ``window`` of a call may still be a coincidence: somebody has killed bluetoothd. So a call that has a
/// substitute is given up at the first death, and one without which nothing is recorded at the second in a row. A call
/// that was given up is not made any more until the program starts again, after an update.
public struct FatalCalls: Sendable {
  /// A kind of call.
  public enum Call: Hashable, Sendable {
    /// A discovery for which BlueZ filters services; looks that hear everything are its substitute.
    case filteredDiscovery
    /// Any other discovery; sensors that BlueZ knows are connected without.
    case discovery
    /// Connect of one sensor.
    case connect(SensorAddress)

    var deathsToGiveUp: Int { self == .filteredDiscovery ? 1 : 2 }
  }

  /// The consequence of a death.
  public struct Verdict: Hashable, Sendable {
    public let call: Call
    /// From the call to the death.
    public let delay: Duration
    /// Whether the call is not made any more; else it is after the next death.
    public let isGivenUp: Bool
  }

  /// The longest time from a call to a death that it is blamed for.
  public static let window = Duration.seconds(5)

  private var last: (call: Call, instant: BootInstant)?
  /// The deaths of bluetoothd after each call since the call's last success.
  private var deaths: [Call: Int] = [:]

  public init() {}

  /// Records that the call is being made.
  public mutating func called(_ call: Call, at now: BootInstant) {
    acquit(at: now)
    last = (call, now)
  }

  /// bluetoothd is gone without having removed its objects, as it does before an orderly end.
  ///
  /// - Returns: What to report; nil where no call of ours was near.
  public mutating func died(at now: BootInstant) -> Verdict? {
    acquit(at: now)
    guard let (call, instant) = last else { return nil }
    last = nil
    deaths[call, default: 0] += 1
    return Verdict(call: call, delay: now.duration(since: instant), isGivenUp: isGivenUp(call))
  }

  public func isGivenUp(_ call: Call) -> Bool {
    // Asked for each sensor at each input, and nearly always empty.
    !deaths.isEmpty && deaths[call, default: 0] >= call.deathsToGiveUp
  }

  /// Forgets a call that bluetoothd has survived.
  private mutating func acquit(at now: BootInstant) {
    guard let (call, instant) = last, now.duration(since: instant) > Self.window else { return }
    last = nil
    if !isGivenUp(call) { deaths[call] = nil }
  }
}
