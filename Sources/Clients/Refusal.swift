package import HealthModel
package import Sensors

/// Why a call of a client is refused. No text of a client and no health data are in it;
/// addresses of sensors are, for who may read.
package enum Refusal: Error, Hashable, Sendable {
  /// The caller is no owner, or may not save what it wants to save.
  case notAuthorized
  /// A connection identifies itself once.
  case alreadyIdentified
  /// The text is no application identifier.
  case invalidApplication
  /// The text is no address of a sensor.
  case invalidSensor
  /// No such type of samples is known.
  case unknownType
  /// A decision about nothing.
  case nothingToDecide
  /// The client, or its user, has used up what one may have.
  case limitsExceeded(Limit)
  /// The store could not be read or written.
  case notStored
  /// Reading of this type is allowed as a whole.
  case notByObject
  /// Reading of this type is allowed one by one only.
  case onlyByObject
  /// Samples of this type come by import only.
  case importOnly
  /// The recorder is starting or stopping.
  case notRecording
  /// No sensor is measuring; these could be. A client that may not read receives no address, and not whether there are
  /// none or several.
  case noSensor([SensorAddress])
  /// Several sensors are measuring, and none was named.
  case severalSensors([SensorAddress])
  /// The sensor is not in the list.
  case unknownSensor
  /// Another session of the sensor was asked for.
  case busy
  /// The session or series is over.
  case finished
  /// A series without a value.
  case empty
  /// Heartbeats that are not in order.
  case wrongOrder
  /// A value, or the series, would end before it starts, or before one of its values ends.
  case endBeforeStart
  /// A time that cannot be.
  case invalidTime
  /// A number that is invalid, or too large.
  case invalidValue
  case invalidUnit
  /// An option that is not known, or of another type.
  case invalidArgument
  /// A value that metadata cannot hold.
  case invalidMetadata
  /// A key of metadata that is the recorder's own.
  case reservedKey
  case tooLarge(ClientDataProblem.Part)
  /// A workout cannot do that, in its state or at all.
  case workout(WorkoutError)
  /// A sample to be collected that the store does not have of the workout's program.
  case unknownSample

  /// The kinds of limits.
  package enum Limit: String, Hashable, Sendable {
    case calls = "too many calls in a second"
    case connections = "too many connections of this user"
    case clients = "too many clients"
    case subscriptions = "too many live subscriptions of this user"
    case requests = "too many requests that wait for the owner"
    case queries = "too many queries at a time"
    case samples = "too many samples in one call"
    case types = "too many types in one call"
    case sensors = "too many sensors in one call"
    case sessions = "too many sessions of this client or user"
    case series = "too many open series of this client or user"
    case workouts = "too many workouts of this client or user"
    case attachments = "too many files that are being attached"
  }

  /// The D-Bus name of the error.
  package var name: String {
    let word =
      switch self {
      case .notAuthorized: "NotAuthorized"
      case .alreadyIdentified: "AlreadyIdentified"
      case .invalidApplication: "InvalidApplication"
      case .invalidSensor: "InvalidSensor"
      case .unknownType: "UnknownType"
      case .nothingToDecide: "NothingToDecide"
      case .limitsExceeded: "LimitsExceeded"
      case .notStored: "NotStored"
      case .notByObject: "NotByObject"
      case .onlyByObject: "OnlyByObject"
      case .importOnly: "ImportOnly"
      case .notRecording: "NotRecording"
      case .noSensor: "NoSensor"
      case .severalSensors: "SeveralSensors"
      case .unknownSensor: "UnknownSensor"
      case .busy: "Busy"
      case .finished: "Finished"
      case .empty: "Empty"
      case .wrongOrder: "WrongOrder"
      case .endBeforeStart: "EndBeforeStart"
      case .invalidTime: "InvalidTime"
      case .invalidValue: "InvalidValue"
      case .invalidUnit: "InvalidUnit"
      case .invalidArgument: "InvalidArgument"
      case .invalidMetadata, .reservedKey: "InvalidMetadata"
      case .tooLarge: "TooLarge"
      case .workout(let error): Self.word(for: error)
      case .unknownSample: "NotFound"
      }
    return "org.sensord.Error.\(word)"
  }

  /// A sentence for a person.
  package var message: String {
    switch self {
    case .notAuthorized: "the owner has not allowed this"
    case .alreadyIdentified: "this connection has identified itself already"
    case .invalidApplication:
      "an application identifier has 1 to 100 of the ASCII letters, digits, '.', '_' and '-', the first a letter"
    case .invalidSensor: "a sensor is named by its address, C0:FF:EE:00:00:01 for example"
    case .unknownType: "there is no such type"
    case .nothingToDecide: "no type is named"
    case .limitsExceeded(let limit): limit.rawValue
    case .notStored: "the store cannot be read or written now"
    case .notByObject: "samples of this type are not allowed one by one; ask with Request"
    case .onlyByObject: "samples of this type are allowed one by one only, never as a whole; ask with RequestObjects"
    case .importOnly: "samples of this type come by import only; no program saves them"
    case .notRecording: "the recorder is starting or stopping"
    case .noSensor(let sensors) where sensors.isEmpty: "there is no sensor to take a session of"
    case .noSensor(let sensors): "no sensor is measuring; there are \(Self.list(sensors))"
    case .severalSensors(let sensors): "several sensors are measuring: \(Self.list(sensors)); name one"
    case .unknownSensor: "there is no such sensor in the list"
    case .busy: "another session of the sensor was asked for and has not ended"
    case .finished: "it is over"
    case .workout(.notPossible(let state)): "the workout is \(state), and cannot do that"
    case .workout(.activityType):
      "no activity of that type can be in the workout: in swimBikeRun they are swimming, cycling, running or "
        + "transition, in any other of its own type"
    case .workout(.unknownEvent): "there is no such event"
    case .workout(.eventOutside): "the event does not lie in the workout"
    case .workout(let error): error.description
    case .unknownSample: "there is no such sample of the workout's program"
    case .empty: "there is no value"
    case .wrongOrder: "heartbeats have to be in order of time"
    case .endBeforeStart: "the end lies before the start, or before the end of a value"
    case .invalidTime: "the time lies before the start, in the future, or out of range"
    case .invalidValue: "a value is no number, or too large"
    case .invalidUnit: "there is no such unit, or it is not one of the type"
    case .invalidArgument: "an option is not known, or cannot be used"
    case .invalidMetadata: "metadata have a value that cannot be kept"
    case .reservedKey: "a key of the metadata is the recorder's own"
    case .tooLarge(let part): part.rawValue
    }
  }

  private static func word(for error: WorkoutError) -> String {
    switch error {
    case .endsBeforeStart: "EndBeforeStart"
    case .timeOutOfRange, .timeGoesBack, .eventOutside, .activityOutside: "InvalidTime"
    case .invalidLapLength, .unknownEvent, .eventOfSession, .activityType: "InvalidArgument"
    case .tooManyEvents, .tooManyActivities: "TooLarge"
    default: "InvalidState"
    }
  }

  private static func list(_ sensors: [SensorAddress]) -> String {
    sensors.map { "\($0)" }.joined(separator: ", ")
  }
}
