import DBus
import HealthModel

extension ClientError {
  /// The recorder's errors, after `org.sensord.Error.`, that say all by themselves.
  private static let words: [String: ClientError] = [
    "NotAuthorized": .notAuthorized, "InvalidApplication": .invalidApplication, "InvalidSensor": .invalidSensor,
    "UnknownType": .unknownType, "InvalidUnit": .invalidUnit, "TooComplex": .tooComplex, "Busy": .busy,
    "Finished": .ended, "NotFound": .notFound, "NotStored": .notStored, "LostAnchor": .lostAnchor,
    "NotRecording": .notRunning,
  ]
  /// Those whose text says more.
  private static let told: [String: @Sendable (String) -> ClientError] = [
    "LimitsExceeded": { .limitsExceeded($0) }, "InvalidArgument": { .invalidArgument($0) },
    "InvalidMetadata": { .invalidArgument($0) }, "TooLarge": { .invalidArgument($0) }, "NoSensor": { .noSensor($0) },
    "SeveralSensors": { .noSensor($0) }, "UnknownSensor": { .noSensor($0) }, "InvalidSample": { .invalidSample($0) },
    "Empty": { .invalidSample($0) }, "WrongOrder": { .invalidSample($0) }, "EndBeforeStart": { .invalidSample($0) },
    "InvalidTime": { .invalidSample($0) }, "InvalidValue": { .invalidSample($0) },
    "InvalidAttachment": { .invalidAttachment($0) }, "InvalidState": { .invalidState($0) },
  ]
  private static let prefix = "org.sensord.Error."
  private static let common = "org.freedesktop.DBus.Error."

  /// What a failure on the bus means for a client.
  init(_ error: DBusError) {
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

  /// Whether the same may succeed when bus or recorder are back.
  var isPassing: Bool {
    switch self {
    case .noBus, .notRunning, .interrupted, .timedOut: true
    default: false
    }
  }
}
