public import FoundationEssentials
public import Sensors

/// One session of one sensor as it was received: its header and all events, in order.
///
/// Bug reports, test inputs and sources of a replay all have this form, whatever file they came from.
public struct Capture: Hashable, Sendable {
  public var header: CaptureHeader
  public var log: SensorEventLog
  /// Records that only a later version understands, in order; they are preserved.
  public var carried: [CarriedRecord]

  public init(header: CaptureHeader, log: SensorEventLog, carried: [CarriedRecord] = []) {
    self.header = header
    self.log = log
    self.carried = carried
  }

  public init(header: CaptureHeader, events: [SensorEvent]) {
    self.init(header: header, log: SensorEventLog(events))
  }

  /// The events as an array, created by each call: it takes ten times the memory of ``log``.
  public var events: [SensorEvent] { Array(log) }

  /// The session's identity, which is also its sync identifier in the store.
  public var session: UUID { header.session }
  public var sensor: SensorIdentity { header.sensor }

  /// The number of Heart Rate Measurement notifications, including undecodable ones: the sync version of a replayed file.
  ///
  /// A truncated copy has fewer than the whole capture, so the whole replaces it.
  public var notificationCount: Int { log.measurementCount }
}
