internal import Ingestion
internal import Sensors

/// The state of `sensord watch`: handles events with their times, and decides which values may be shown.
///
/// Times are of the boot clock, in microseconds. A value counts until shortly after the beat that was due, whatever other events
/// arrive: a recorder that hangs, and a bus that is cut, send no event.
struct WatchScreen {
  /// The time for which a value still counts after the beat that was due. A little less than the three seconds after which
  /// nothing stale may stand anywhere: drawing takes time, too.
  static let patience: Int64 = 2_800_000
  /// The number of beats that fit on the widest screen.
  private static let longestTrace = 500

  /// The state of a sensor, or the reason why it has no value.
  enum State: String, CaseIterable {
    case measuring, stale, silent, offSkin, linkLost, connecting, away, noRecorder

    /// The state in words.
    var words: String {
      switch self {
      case .measuring: StatusReport.describe(.measuring)
      case .stale: "no value came"
      case .silent: StatusReport.describe(.silent)
      case .offSkin: StatusReport.describe(.contactLost)
      case .linkLost: StatusReport.describe(.linkLost)
      case .connecting: StatusReport.describe(.connecting)
      case .away: StatusReport.describe(.absent)
      case .noRecorder: "no recorder"
      }
    }

    /// The state for a state in the status file.
    init(_ state: SensorStatus.State) {
      self =
        switch state {
        case .absent: .away
        case .connecting, .linked: .connecting
        case .measuring: .measuring
        case .silent: .silent
        case .contactLost: .offSkin
        case .linkLost: .linkLost
        }
    }
  }

  /// A value as a sensor sent it.
  struct Value {
    /// The rate; nil for a value without one.
    var beatsPerMinute: UInt16?
    /// RR intervals in 1/1024 s, oldest first.
    var rrTicks: [UInt16]
    /// Whether values before this one were not received.
    var isAfterHole = false
    /// False where the sensor reports that it is off the skin.
    var isOnSkin = true
    /// The time of arrival at the recorder.
    var time: Int64
  }

  /// One sensor.
  struct Sensor {
    var address: String
    /// The person's name for the sensor; nil where it is not known.
    fileprivate(set) var ownName: String?
    /// The last value; nil once it does not count any more.
    fileprivate(set) var value: Value?
    /// The time until which the value counts.
    fileprivate var countsUntil: Int64 = 0
    /// The state that the recorder reported live.
    fileprivate(set) var told: State?
    /// The state in the status file; nil where it is not known.
    fileprivate(set) var status: SensorStatus?
    /// The latest intervals in 1/1024 s, or rates where the sensor sends no intervals. Nil marks a gap.
    fileprivate(set) var trace: [UInt16?] = []
    /// Whether ``trace`` has intervals.
    fileprivate(set) var hasIntervals = false

    /// The name on the screen.
    var name: String { ownName ?? address }

    fileprivate mutating func breakTrace() {
      if let last = trace.last, last != nil { trace.append(nil) }
    }

    fileprivate mutating func loseValue() {
      value = nil
      breakTrace()
    }

    fileprivate mutating func extendTrace(_ value: Value) {
      if value.isAfterHole { breakTrace() }
      if !value.rrTicks.isEmpty {
        if !hasIntervals { trace = [] }
        hasIntervals = true
        trace += value.rrTicks.map { $0 }
      } else if !hasIntervals, let rate = value.beatsPerMinute {
        trace.append(rate)
      }
      if trace.count > WatchScreen.longestTrace { trace.removeFirst(trace.count - WatchScreen.longestTrace) }
    }
  }

  /// Whether a recorder runs that lets programs in.
  private(set) var isRecorderThere = false
  /// Whether a recorder runs that does not let programs in.
  private(set) var isShut = false
  /// The status of the recorder; nil where it cannot be read.
  private(set) var recorder: RecorderStatus?
  private var known: [String: Sensor] = [:]

  /// All sensors by their addresses, those with a value or a live state first.
  var sensors: [Sensor] {
    known.values.sorted { ($0.told == nil ? 1 : 0, $0.address) < ($1.told == nil ? 1 : 0, $1.address) }
  }

  /// Handles the arrival of a recorder, perhaps of another one than before.
  mutating func recorderCame() {
    forgetValues()
    isRecorderThere = true
  }

  /// Handles the end of the recorder or of the way to it, or the recorder's message that it ends.
  mutating func recorderWent() {
    forgetValues()
    isRecorderThere = false
    update(nil)
  }

  private mutating func forgetValues() {
    for address in known.keys {
      known[address]?.loseValue()
      known[address]?.told = nil
    }
  }

  /// Handles a value of a sensor, which is read at `now`.
  mutating func measured(_ address: String, _ value: Value, at now: Int64) {
    var sensor = known[address] ?? Sensor(address: address)
    defer { known[address] = sensor }
    sensor.told = value.isOnSkin ? .measuring : .offSkin
    guard value.isOnSkin, value.beatsPerMinute != nil || !value.rrTicks.isEmpty else { return sensor.loseValue() }
    sensor.extendTrace(value)
    let interval: Int64 =
      if let last = value.rrTicks.last {
        Int64(last) * 1_000_000 / 1024
      } else {
        60_000_000 / Int64(max(1, value.beatsPerMinute ?? 60))
      }
    sensor.countsUntil = value.time + interval + Self.patience
    // A value that waited, since this program was stopped for instance, is not of now.
    if sensor.countsUntil > now { sensor.value = value } else { sensor.loseValue() }
  }

  /// Handles a state of a sensor in the words of `Live1.State`; unknown words are ignored.
  mutating func changed(_ address: String, to word: String) {
    guard let state = State(rawValue: word) else { return }
    var sensor = known[address] ?? Sensor(address: address)
    sensor.told = state
    if state != .measuring { sensor.loseValue() }
    known[address] = sensor
  }

  /// Handles the content of the status file; nil where it cannot be read.
  mutating func update(_ status: RecorderStatus?) {
    recorder = isRecorderThere ? status : nil
    isShut = !isRecorderThere && status != nil
    for address in known.keys { known[address]?.status = nil }
    guard let status = recorder else { return }
    for sensor in status.sensors {
      let address = sensor.address.description
      known[address, default: Sensor(address: address)].status = sensor
      known[address]?.ownName = sensor.name
    }
    let listed = Set(status.sensors.map(\.address.description))
    for (address, sensor) in known where !listed.contains(address) && sensor.value == nil { known[address] = nil }
  }

  /// Handles the passing of time: values that are too old do not count any more.
  mutating func pass(to now: Int64) {
    for (address, sensor) in known where sensor.value != nil && sensor.countsUntil <= now {
      known[address]?.loseValue()
    }
  }

  /// The time at which the next value stops counting; nil without a value.
  var nextChange: Int64? {
    known.values.filter { $0.value != nil }.map(\.countsUntil).min()
  }

  /// The state of a sensor, or the reason why it has no value.
  func state(of sensor: Sensor) -> State {
    if !isRecorderThere { return .noRecorder }
    if sensor.value != nil { return .measuring }
    if let told = sensor.told, told != .measuring { return told }
    if let status = sensor.status, status.state != .measuring { return State(status.state) }
    return .stale
  }
}
