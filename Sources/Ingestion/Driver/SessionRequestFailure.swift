public import Sensors

/// Why a session that was asked for cannot begin, go on or end.
@nonexhaustive
public enum SessionRequestFailure: Error, Hashable, Sendable {
  /// The recorder is starting or stopping.
  case notRecording
  /// The sensor is not in the list of sensors.
  case unknownSensor(SensorAddress)
  /// No sensor was named, and none is measuring.
  case noneMeasuring
  /// No sensor was named, and these are measuring.
  case severalMeasuring([SensorAddress])
  /// A requested session of the sensor is open already.
  case busy(SensorAddress)
  /// No such session is open.
  case notOpen
  /// The session has ended and is not in the store yet. The journal has it, and the recorder tries again.
  case notStored
}
