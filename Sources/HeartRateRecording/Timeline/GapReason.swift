/// Why a session has a gap.
public enum GapReason: Hashable, Sendable {
  /// The link was lost, with the reason that BlueZ gave, if any.
  case link(String?)
  /// The sensor was off the skin and sent no intervals, or no rates.
  case contact
  /// The sensor's time fell behind the host's permanently: it lost intervals without reporting it.
  case step
  /// Before or after invented intervals.
  case filler
  /// Before or after surplus intervals: more ticks than there was time for.
  case surplus
  /// One interval far longer than its neighbours: the sensor missed beats, or the heart paused.
  case missedOrPause
  /// The recorder did not run, or lost what it had received; with its own explanation, if there is one.
  case recorder(String?)
  /// The machine was rebooted.
  case boot
  /// The link was up, and no interval came for more than five seconds (of a sensor that sends rates only, no rate for
  /// ten).
  case silence
  /// The values belong to the session that a program had asked for: nothing is lost.
  case clientSession

  /// One word for storage and JSON: `link`, `contact`, `step`, `filler`, `surplus`, `missedOrPause`, `recorder`, `boot`,
  /// `silence`, `clientSession`.
  public var token: String {
    switch self {
    case .link: "link"
    case .contact: "contact"
    case .step: "step"
    case .filler: "filler"
    case .surplus: "surplus"
    case .missedOrPause: "missedOrPause"
    case .recorder: "recorder"
    case .boot: "boot"
    case .silence: "silence"
    case .clientSession: "clientSession"
    }
  }

  /// The explanation from BlueZ or the recorder.
  public var detail: String? {
    switch self {
    case .link(let text), .recorder(let text): text
    default: nil
    }
  }
}
