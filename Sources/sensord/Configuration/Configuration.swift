// The fuzzer builds this file in a package of its own.
#if FUZZER
  @testable import HealthModel
#else
  internal import HealthModel
#endif

/// The settings of `sensord run`; what a file leaves out has the values given here.
///
/// `systemd/sensord.conf.example` shows every one with its default; a test reads it.
struct Configuration: Hashable {
  /// `[sessions] away-limit`: how long the link may be down before the session ends.
  var awayLimit: Duration = .seconds(300)
  /// `[sessions] off-skin-limit`: how long the sensor may be off the skin or silent before the session ends.
  var offSkinLimit: Duration = .seconds(300)
  /// `[sessions] maximum-length`: a longer recording goes on in a linked session.
  var maximumLength: Duration = .seconds(86_400)
  /// `[journal] sync-interval`: how long a value may wait for the disk, and so how much a power cut can lose.
  var syncInterval: Duration = .seconds(5)
  /// `[captures] keep`: for how long the captures of committed sessions are kept; nil keeps none.
  var capturesKept: Duration? = .seconds(30 * 86_400)
  /// `[captures] size`: how many bytes of captures are kept at most.
  var capturesSize: Int64 = 256 << 20
  /// `[sensors] record`: whether heart-rate sensors that nobody added are recorded too.
  var recordsAny = false
  /// `[sensors] minimum-signal`: how near those have to be, in dBm.
  var minimumSignal: Int16 = -70
  /// `[sensors] adapters`: which Bluetooth adapters are used, `hci0` for example; nil means all.
  var adapters: [String]?
  /// `[events]`: which heart events are looked for.
  var eventRules = HeartEventRules()
  /// `[zones] maximum`: the person's greatest heart rate, in beats a minute; nil shows no zones.
  var maximumRate: Double?
  /// `[zones] resting`: that at rest; nil takes percentages of the maximum instead of the reserve.
  var restingRate: Double?
  /// `[clients] bus`: on which bus other programs may ask for what is recorded.
  var clientsBus = ClientsBus.auto
  /// `[clients] allow-share` and `allow-read`: what programs may do without asking.
  var grants: [Grant] = []
  /// `[log] level`: the least important messages that are still logged.
  var logLevel: LogLevel = .info

  /// The zones of the heart rate; nil where no maximum is configured.
  var zones: HeartRateZones? {
    guard let maximumRate else { return nil }
    return HeartRateZones(restingRate.map { .reserve(resting: $0, maximum: maximumRate) } ?? .maximum(maximumRate))
  }

  /// The levels of a log, most talkative first.
  enum LogLevel: String, CaseIterable, Hashable {
    case debug, info, notice, warning, error
  }
}
