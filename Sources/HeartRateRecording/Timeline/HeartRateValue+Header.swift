import GATTHeartRate
import HealthModel

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
