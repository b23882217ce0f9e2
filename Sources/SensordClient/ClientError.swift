import RecorderBus
package import DBus
public import HealthModel

/// The reason why the recorder did not carry out a request. A later version may have more cases.
///
/// An error holds no health data.
@nonexhaustive
public enum ClientError: Error, Hashable, Sendable {
  /// There is no message bus, or it lets nobody in; the text is the bus's.
  case noBus(String)
  /// No recorder lets programs in on this bus, or it is just starting or stopping.
  case notRunning
  /// Bus or recorder ended during the call: whether it was carried out is not known.
  case interrupted
  /// No answer came in time.
  case timedOut
  /// The task was cancelled; the recorder may still act on the call.
  case cancelled
  /// The client was closed before.
  case closed
  /// The owner has not allowed this.
  case notAuthorized
  /// The application's name cannot be one.
  case invalidApplication
  /// The text that names a sensor is not an address.
  case invalidSensor
  /// The recorder does not know a type.
  case unknownType
  /// The recorder does not know a unit, or it does not go with the type.
  case invalidUnit
  /// An argument makes no sense; the text names it.
  case invalidArgument(String)
  /// A predicate is deeper, or has more values, than can be asked.
  case tooComplex
  /// This program, or this user, has reached a limit; the text names it.
  case limitsExceeded(String)
  /// No sensor is measuring, or there is no such sensor; the text shows which of the two.
  case noSensor(String)
  /// Several sensors are measuring, and none was named; the text names them for a program that may read.
  case severalSensors(String)
  /// Another program has a session of this sensor.
  case busy
  /// The session, the series or the workout has ended, or is another program's.
  case ended
  /// A workout cannot do that now: it is paused, or ends; the text names the problem.
  case invalidState(String)
  /// The object is not there, or not for this program.
  case notFound
  /// The store cannot be read or written now. A session or workout that ended with this is safe in the recorder's journal.
  case notStored
  /// The store does not have the history that the anchor is of: what is known of the store is invalid.
  case lostAnchor
  /// A value or a sample cannot be stored, or a series not be finished; the text is the recorder's reason.
  case invalidSample(String)
  /// The file cannot be attached; the text is the recorder's reason: it is no file of a known type, or the object
  /// accepts no files.
  case invalidAttachment(String)
  /// The sample cannot be stored, found before anything was sent.
  case series(SeriesError)
  /// The answer ended before it was complete: its permission was revoked, or nobody read it for 30 s.
  case cutOff
  /// The answer is not what this version understands.
  case unreadable
  /// An error of a later recorder: its D-Bus name and its text.
  case refused(name: String, message: String)
}

extension ClientError: CustomStringConvertible {
  /// One line for a person.
  public var description: String {
    switch self {
    case .noBus(let reason): "the message bus cannot be reached: \(reason)"
    case .notRunning: "no recorder is running that lets programs in"
    case .interrupted: "the recorder or the message bus ended"
    case .timedOut: "the recorder did not answer in time"
    case .cancelled: "the call was cancelled"
    case .closed: "the client was closed"
    case .notAuthorized: "the owner has not allowed this"
    case .invalidApplication:
      "an application identifier has 1 to 100 of the ASCII letters, digits, '.', '_' and '-', the first a letter"
    case .invalidSensor: "a sensor is named by its address, C0:FF:EE:00:00:01 for example"
    case .unknownType: "there is no such type"
    case .invalidUnit: "there is no such unit, or it does not go with the type"
    case .invalidArgument(let text), .invalidSample(let text), .invalidAttachment(let text), .limitsExceeded(let text),
      .noSensor(let text), .severalSensors(let text), .invalidState(let text):
      text
    case .tooComplex: "the conditions are too deep or too many"
    case .busy: "another session of the sensor was asked for and has not ended"
    case .ended: "the session, series or workout has ended"
    case .notFound: "there is no such object"
    case .notStored: "the store cannot be read or written now"
    case .lostAnchor: "the anchor is not of this store's history; begin at the start"
    case .series(let error): error.description
    case .cutOff: "the answer was cut off"
    case .unreadable: "the recorder's answer cannot be read"
    case .refused(let name, let message): "\(name): \(message)"
    }
  }
}

extension ClientError {
  /// The recorder's errors, after `org.sensord.Error.`, that need no text.
  private static let words: [String: ClientError] = [
    "NotAuthorized": .notAuthorized, "InvalidApplication": .invalidApplication, "InvalidSensor": .invalidSensor,
    "UnknownType": .unknownType, "InvalidUnit": .invalidUnit, "TooComplex": .tooComplex, "Busy": .busy,
    "Finished": .ended, "NotFound": .notFound, "NotStored": .notStored, "LostAnchor": .lostAnchor,
    "NotRecording": .notRunning,
  ]
  /// Those whose text has details.
  private static let told: [String: @Sendable (String) -> ClientError] = [
    "LimitsExceeded": { .limitsExceeded($0) }, "InvalidArgument": { .invalidArgument($0) },
    "InvalidMetadata": { .invalidArgument($0) }, "TooLarge": { .invalidArgument($0) }, "NoSensor": { .noSensor($0) },
    "SeveralSensors": { .severalSensors($0) }, "UnknownSensor": { .noSensor($0) },
    "InvalidSample": { .invalidSample($0) },
    "Empty": { .invalidSample($0) }, "WrongOrder": { .invalidSample($0) }, "EndBeforeStart": { .invalidSample($0) },
    "InvalidTime": { .invalidSample($0) }, "InvalidValue": { .invalidSample($0) },
    "InvalidAttachment": { .invalidAttachment($0) }, "InvalidState": { .invalidState($0) },
  ]
  private static let prefix = "org.sensord.Error."
  private static let common = "org.freedesktop.DBus.Error."

  init(_ error: AnswerError) {
    self =
      switch error {
      case .cutOff: .cutOff
      case .unreadable: .unreadable
      }
  }

  /// The meaning of a failure on the bus for a client.
  package init(_ error: DBusError) {
    switch error.code {
    case .disconnected: self = .interrupted
    case .timedOut: self = .timedOut
    case .cancelled: self = .cancelled
    case .cannotConnect, .system, .unsupported: self = .noBus(error.message)
    case .invalid, .nestedTooDeeply, .tooLarge: self = .invalidArgument(error.message)
    case .remote(let name): self.init(name, error.message)
    }
  }

  private init(_ name: String, _ message: String) {
    if name.hasPrefix(Self.prefix) {
      let word = String(name.dropFirst(Self.prefix.count))
      self = Self.words[word] ?? Self.told[word]?(message) ?? .refused(name: name, message: message)
    } else if name.hasPrefix(Self.common) {
      self =
        switch name.dropFirst(Self.common.count) {
        case "ServiceUnknown", "NameHasNoOwner", "Spawn.ServiceNotFound": .notRunning
        case "NoReply", "Disconnected": .interrupted
        case "Timeout", "TimedOut": .timedOut
        case "UnknownObject": .ended
        case "InvalidArgs": .invalidArgument(message)
        case "AccessDenied": .notAuthorized
        default: .refused(name: name, message: message)
        }
    } else {
      self = .refused(name: name, message: message)
    }
  }

  var isLackOfBus: Bool { if case .noBus = self { true } else { false } }

  /// Whether the same may succeed when bus or recorder are back.
  var isPassing: Bool {
    switch self {
    case .noBus, .notRunning, .interrupted, .timedOut: true
    default: false
    }
  }
}
