import HealthModel
import Sensors

/// What the sensor reported about itself during a session, the losses of its link, and the markers.
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
  /// What somebody marked, in order.
  var markers: [SessionMarker] = []
}
