package import HealthModel
package import Sensors

/// Why a session that was asked for cannot begin, go on or end.
package enum SessionRequestFailure: Error, Hashable, Sendable {
  /// The recorder is starting or stopping.
  case notRecording
  /// The sensor is not in the list of sensors.
  case unknownSensor(SensorAddress)
  /// No sensor was named, and none is measuring: none of these, which are in the list.
  case noneMeasuring([SensorAddress])
  /// No sensor was named, and these are measuring.
  case severalMeasuring([SensorAddress])
  /// A requested session of the sensor is open already.
  case busy(SensorAddress)
  /// What is said of it cannot be kept.
  case refused(ClientDataProblem)
  /// The time lies before the session's beginning, or in the future.
  case invalidTime
  /// No such session was asked for, or its end was stored and answered.
  case notOpen
  /// The session is over by itself.
  case over
  /// The journal cannot be written now.
  case journal
  /// The session has ended and is not in the store yet. The journal has it, and the recorder tries again.
  case notStored
}
