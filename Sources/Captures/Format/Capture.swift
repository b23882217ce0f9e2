public import FoundationEssentials
public import Sensors

/// One session of one sensor as it was received: its header and every event, in order.
///
/// A bug report, a test's input and the source of a replay all have this form, whatever file they came from.
public struct Capture: Hashable, Sendable {
  public var header: CaptureHeader
  public var log: SensorEventLog
  /// Records that only a later version understands, in order.
  public var carried: [CarriedRecord]

  public init(header: CaptureHeader, log: SensorEventLog, carried: [CarriedRecord] = []) {
    self.header = header
    self.log = log
    self.carried = carried
  }

  public init(header: CaptureHeader, events: [SensorEvent]) {
    self.init(header: header, log: SensorEventLog(events))
  }

  /// The events as an array, made for the call: it takes ten times the memory of ``log``.
  public var events: [SensorEvent] { Array(log) }

  /// The session's identity, which is also its sync identifier in the store.
  public var session: UUID { header.session }
  public var sensor: SensorIdentity { header.sensor }

  /// How many Heart Rate Measurement notifications it holds, junk included: the sync version of a replayed file.
  ///
  /// A truncated copy of a capture has fewer than the whole, so the whole replaces it.
  public var notificationCount: Int { log.measurementCount }
}
