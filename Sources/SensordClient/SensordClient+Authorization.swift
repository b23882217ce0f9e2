import RecorderBus
import DBus
public import HealthModel

/// Whether a program may save samples of a type. A program cannot find out whether it may read them.
@nonexhaustive
public enum ShareStatus: String, Hashable, Sendable {
  /// The owner has not decided.
  case notDetermined
  /// The owner does not allow it.
  case sharingDenied
  /// The owner allows it.
  case sharingAuthorized
}

extension SensordClient {
  /// Asks the owner for permissions, and returns when everything is decided, be it allowed or not; at once if it was before.
  ///
  /// The answer can take as long as a person needs to find the question. Cancel the task to give up waiting: the
  /// request goes with the connection, not before.
  ///
  /// - Parameters:
  ///   - share: Types of samples to save. Sessions need `heartRate` and `heartbeatSeries`.
  ///   - read: Types of samples to read, live values included.
  /// - Throws: ``ClientError/unknownType``, ``ClientError/limitsExceeded(_:)``, ``ClientError/cancelled``, and others.
  @concurrent public func requestAuthorization(
    toShare share: Set<SampleType> = [], read: Set<SampleType> = []
  ) async throws(ClientError) {
    // Before the question, so that no decision is missed.
    var decisions = signals.events { $0.isSignal(ClientInterfaces.authorization.name, "Decided") }.makeAsyncIterator()
    while true {
      let answer = try await link.call(
        ClientInterfaces.authorization, "Request",
        [.strings(share.map(\.identifier).sorted()), .strings(read.map(\.identifier).sorted())])
      if answer.first?.string == "decided" { return }
      guard await decisions.next(isolation: #isolation) != nil else { throw .cancelled }
    }
  }

  /// Asks the owner for single samples of a type whose ``HealthModel/SampleType/requiresPerObjectAuthorization`` is
  /// true, and returns when the owner has chosen. The owner is asked each time, and may choose any of them, or none;
  /// the program does not learn which.
  ///
  /// Samples that this program saved itself need no such permission.
  ///
  /// - Parameters:
  ///   - type: `visionPrescription`.
  ///   - predicate: The samples to ask for; at most a thousand are shown to the owner, the earliest first.
  /// - Throws: ``ClientError/refused(name:message:)`` with `org.sensord.Error.NotByObject` for a type that is allowed as a whole,
  ///   ``ClientError/limitsExceeded(_:)``, ``ClientError/cancelled``, and others.
  @concurrent public func requestPerObjectReadAuthorization(
    for type: SampleType, predicate: SamplePredicate = .all
  ) async throws(ClientError) {
    let name = type.identifier
    var decisions = signals.events { message in
      message.isSignal(ClientInterfaces.authorization.name, "Decided")
        && message.body.first?.properties?["objects"]?.string == name
    }.makeAsyncIterator()
    let value = predicate == .all ? Value.properties([:]) : predicate.value
    while true {
      let answer = try await link.call(ClientInterfaces.authorization, "RequestObjects", [.string(name), value])
      if answer.first?.string == "decided" { return }
      switch await decisions.next(isolation: #isolation) {
      case .signal?: return
      case nil: throw .cancelled
      // The request has gone with the recorder.
      default: continue
      }
    }
  }

  /// Whether this program may save samples of a type.
  ///
  /// - Throws: ``ClientError/unknownType``, and others.
  @concurrent public func shareStatus(of type: SampleType) async throws(ClientError) -> ShareStatus {
    let answer = try await link.call(ClientInterfaces.authorization, "Status", [.string(type.identifier)])
    guard let status = answer.first?.string.flatMap(ShareStatus.init(rawValue:)) else { throw .unreadable }
    return status
  }
}
