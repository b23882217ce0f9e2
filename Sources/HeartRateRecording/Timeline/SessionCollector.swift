import GATTHeartRate
import HealthModel
public import Sensors

/// Collects a session's events one by one, in the columns that the final pass needs: about a tenth of their size.
public struct SessionCollector: Sendable {
  private(set) var columns = TimelineCollector()

  public init() {}

  /// Appends the next event, in the order of recording.
  public mutating func append(_ event: SensorEvent) {
    columns.append(event)
  }

  /// Appends all events of a log.
  public mutating func append(_ log: SensorEventLog) {
    columns.append(log)
  }

  /// Moves the columns out. Their only owner may then change them without a copy.
  mutating func removeColumns() -> TimelineCollector {
    let taken = columns
    columns = TimelineCollector()
    return taken
  }
}

extension TimelineCollector {
  /// A notification that carried intervals.
  struct Packet {
    /// Microseconds; boot time until ``finish()``, wall time (UTC) after it.
    var arrival: Int64
    /// The arrival of the last earlier notification of the same link that did not come together with this one; nil
    /// without one, or if that one was itself held back. The same kind of time as ``arrival``.
    var previousArrival: Int64?
    /// Whether the packet came together with the notification before it.
    var isBatched: Bool
    /// The index behind the packet's last beat.
    var beatEnd: Int
    /// The packet's rate; 0 without one.
    var rate: UInt16
    /// The number of notifications since the previous packet that reported "off the skin" and had no interval.
    var contactLostBefore: Int
    /// False where the packet waited while the recorder did not run, and was read together with others.
    var hasOwnArrival: Bool
    /// The number of the notification in the session; notifications without intervals count too.
    var notification: Int
    /// The number of the link in the session.
    var link: Int
  }

  /// A stall: a time in which the recorder did not run.
  struct Stall {
    /// The instant at which the recorder ran again, in microseconds; boot time until ``finish()``, wall time (UTC)
    /// after it.
    var end: Int64
    var microseconds: Int64
  }

  /// A break: beats from here on do not follow those before, whatever their times are.
  struct Break {
    var beat: Int
    var reason: GapReason
  }

  /// Values after this one may be missing, or the sensor reported that it was off the skin and sent neither rate nor
  /// interval.
  struct Loss {
    /// The rate that came next, in ``rates``.
    var rate: Int
    var moment: Moment
    /// `contact` if the sensor reported it.
    var reason: GapReason
  }

  /// The place of the first or the last packet among rates and losses: between the two, beats decide about gaps.
  struct Border {
    var rate: Int
    var loss: Int
  }
}

/// The sensor's reports about itself during a session, the losses of its link, and the markers.
///
/// Times are boot time until ``TimelineCollector/finish()``, wall time after it.
struct SensorFacts {
  /// Percent, the first and the last value of the session.
  var firstBatteryPercent: UInt8?
  var lastBatteryPercent: UInt8?
  /// The last Body Sensor Location (2A38), as received.
  var location: UInt8?
  /// Device Information, the last value of each field.
  var information: [DeviceInformationField: String] = [:]
  /// dBm, the weakest and the strongest signal.
  var weakestSignal: Int16?
  var strongestSignal: Int16?
  /// Each loss of the link, in order.
  var disconnects: [QualityReport.Disconnect] = []
  /// The marked points in time, in order.
  var markers: [SessionMarker] = []
}

extension HeartRateValue {
  /// The rate of a payload that arrived at `time`.
  init(_ header: HeartRateMeasurement.Header, at time: Timestamp) {
    let contact: SensorContact =
      switch header.contact {
      case .notSupported: .notSupported
      case .notDetected: .notDetected
      case .detected: .detected
      }
    self.init(
      time: time, beatsPerMinute: header.beatsPerMinute, contact: contact, energyKilojoules: header.energyKilojoules)
  }
}
