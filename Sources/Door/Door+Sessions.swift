import RecorderBus
import DBus
import FoundationEssentials
import HealthModel
import Ingestion
import Timeline

extension Door {
  /// `BeginSession`: its options are `sensor`, `metadata` and `endWithClient`.
  func beginSession(_ call: ClientCall) throws(Refusal) {
    let options = call.properties(0)
    let (metadata, endsWithClient) = try Self.beginning(options, besides: ["sensor"])
    guard options["sensor"].map({ $0.string != nil }) ?? true else { throw .invalidArgument }
    let (sensor, owner) = try registry.mayBegin(.session, call.sender, of: options["sensor"]?.string)
    Task(executorPreference: loop) {
      await self.begin(call, sensor, owner, endsWithClient: endsWithClient, metadata)
    }
  }

  /// `BeginSessions`: its options are `metadata` and `endWithClient`.
  func beginSessions(_ call: ClientCall) throws(Refusal) {
    let (metadata, endsWithClient) = try Self.beginning(call.properties(0))
    let owner = try registry.mayBeginAll(call.sender)
    Task(executorPreference: loop) { await self.beginAll(call, owner, endsWithClient: endsWithClient, metadata) }
  }

  private func beginAll(
    _ call: ClientCall, _ owner: ClientIdentity, endsWithClient: Bool, _ metadata: Metadata
  ) async {
    do throws(SessionRequestFailure) {
      let requested = try await recorder.beginSessions(for: owner, endsWithClient: endsWithClient, metadata: metadata)
      let sessions = requested.map { ClientObject($0, connection: endsWithClient ? call.sender : nil) }
      perform(registry.beganAll(sessions, of: call.sender))
      respond(to: call, .values([.objectPaths(sessions.map(\.path))]))
    } catch {
      refuse(call, Refusal(error, maySeeSensors: true))
    }
    settle()
  }

  /// The part that the two calls that begin sessions have in common, where no other options are given than those and `others`.
  private static func beginning(
    _ options: [String: Value], besides others: [String] = []
  ) throws(Refusal) -> (metadata: Metadata, endsWithClient: Bool) {
    guard options.keys.allSatisfy((["metadata", "endWithClient"] + others).contains),
      options["endWithClient"].map({ $0.boolean != nil }) ?? true
    else { throw .invalidArgument }
    return (try metadata(options["metadata"]), options["endWithClient"]?.boolean ?? true)
  }

  private func begin(
    _ call: ClientCall, _ sensor: SensorAddress?, _ owner: ClientIdentity, endsWithClient: Bool, _ metadata: Metadata
  ) async {
    do throws(SessionRequestFailure) {
      let requested = try await recorder.beginSession(
        of: sensor, for: owner, endsWithClient: endsWithClient, metadata: metadata)
      let session = ClientObject(requested, connection: endsWithClient ? call.sender : nil)
      perform(registry.began(session, of: call.sender))
      respond(to: call, .values([.objectPath(session.path)]))
    } catch {
      registry.beginFailed(.session, call.sender)
      refuse(call, Refusal(error, maySeeSensors: registry.maySeeSensors(call.sender)))
    }
    settle()
  }

  /// `Session1`.
  func answerSession(_ call: ClientCall) throws(Refusal) {
    guard let session = clientObject(at: call.path, for: call.sender) else {
      return respond(to: call, Self.unknownObject)
    }
    switch call.member {
    case "AddMetadata":
      let metadata = try Self.metadata(call.arguments[0])
      change(call) { recorder throws(SessionRequestFailure) in
        try recorder.addMetadata(metadata, to: session.identifier)
      }
    case "AddMarker":
      let time = call.arguments[0].int64 ?? 0
      let text = call.text(1)
      change(call) { recorder throws(SessionRequestFailure) in
        try recorder.addMarker(text, at: time == 0 ? nil : time, to: session.identifier)
      }
    case "End": end([session], for: call) { $0.first.map { .values([$0]) } ?? Self.unknownObject }
    default: respond(to: call, .unknownMethod)
    }
  }

  private func change(
    _ call: ClientCall, _ body: @escaping @Sendable (isolated Recorder) throws(SessionRequestFailure) -> Void
  ) {
    Task(executorPreference: loop) { await self.carryOut(call, body) }
  }

  private func carryOut(
    _ call: ClientCall, _ body: @Sendable (isolated Recorder) throws(SessionRequestFailure) -> Void
  ) async {
    do throws(SessionRequestFailure) {
      try await body(recorder)
      respond(to: call, .success)
    } catch {
      refuse(call, Refusal(error, maySeeSensors: false))
    }
  }

  /// `EndSessions`: of sessions that the caller sees. There are no options yet.
  func endSessions(_ call: ClientCall) throws(Refusal) {
    guard call.properties(1).isEmpty else { throw .invalidArgument }
    var sessions: [ClientObject] = []
    for path in call.arguments[0].objectPaths ?? [] {
      guard let session = clientObject(at: path, for: call.sender), session.kind == .session else {
        return respond(to: call, Self.unknownObject)
      }
      sessions.append(session)
    }
    end(sessions, for: call) { .values([.array($0, of: "a{sv}")]) }
  }

  /// Ends sessions at one instant. Answers when all are stored, or reports after 20 s that they are not yet; `answer`
  /// is made of what those have become that no other call has ended.
  private func end(
    _ sessions: [ClientObject], for call: ClientCall, answer: @escaping @Sendable ([Value]) -> Reply
  ) {
    for session in sessions { registry.ending(session.identifier) }
    let number = waitForStore(call)
    Task(executorPreference: loop) { await self.end(sessions, for: number, answer) }
  }

  private func end(_ sessions: [ClientObject], for number: UInt64, _ answer: @Sendable ([Value]) -> Reply) async {
    var (ended, refusal): ([Value], Refusal?) = ([], nil)
    for (request, result) in await recorder.endSessions(sessions.map(\.identifier), .request) {
      switch result {
      case .success(let session):
        registry.ended(request)
        ended.append(.properties(session.values))
      // Another call has ended it.
      case .failure(.notOpen): registry.ended(request)
      case .failure(let failure): refusal = Refusal(failure, maySeeSensors: false)
      }
    }
    stored(number, refusal.map { .refusal($0) } ?? answer(ended))
    settle()
  }

  /// Ends a session for which nobody waits.
  func end(session identifier: UUID, _ reason: SessionEndReason) {
    let recorder = recorder
    Task(executorPreference: loop) { await recorder.endSessions([identifier], reason) }
  }

  /// `Id`, `Sensor`, `Start`, `State`, `Uid` and `Application` of a session that the caller sees.
  func readSession(
    at path: ObjectPath, for name: String, _ body: @escaping @Sendable (isolated Door, [String: Value]) -> Void
  ) {
    guard let session = clientObject(at: path, for: name) else { return body(self, [:]) }
    Task(executorPreference: loop) { await self.read(session, for: name, body) }
  }

  private func read(
    _ session: ClientObject, for name: String, _ body: @Sendable (isolated Door, [String: Value]) -> Void
  ) async {
    // After 24 hours it goes on in another session.
    let requested = await recorder.requestedSessions.first { $0.request == session.identifier }
    body(
      self,
      properties(of: session, for: name).merging([
        "Id": .string((requested?.session ?? session.identifier).uuidString.lowercased()),
        "State": .string(session.isEnding ? "ending" : "open"),
      ]) { $1 })
  }

  /// The properties that sessions and workouts have in common: `Id`, `Sensor`, `Start`, `Uid` and `Application`.
  func properties(of object: ClientObject, for name: String) -> [String: Value] {
    let sensor = registry.maySeeSensors(name) ? object.sensor : nil
    return [
      "Id": .string(object.identifier.uuidString.lowercased()), "Sensor": .string(sensor.map { "\($0)" } ?? ""),
      "Start": .int64(object.start), "Uid": .uint32(object.owner.uid),
      "Application": .string(object.owner.application),
    ]
  }

  /// Takes over the sessions of an earlier run of the recorder.
  func adoptSessions() async {
    for requested in await recorder.requestedSessions where !requested.endsWithClient {
      registry.adopt(ClientObject(requested, connection: nil))
    }
  }

  /// The metadata in an argument; none where there is no argument.
  static func metadata(_ value: Value?) throws(Refusal) -> Metadata {
    guard let value else { return [:] }
    do { return try Metadata(value) } catch { throw .invalidMetadata }
  }
}

extension ClientObject {
  /// A session that the recorder has begun.
  fileprivate init(_ requested: RequestedSession, connection: String?) {
    self.init(
      .session, requested.request, of: requested.owner, sensor: requested.sensor, start: requested.start,
      connection: connection)
  }
}

extension EndedSession {
  /// As `End` answers it.
  fileprivate var values: [String: Value] {
    var values: [String: Value] = [
      "id": .string(session.uuidString.lowercased()), "stored": .boolean(span != nil),
    ]
    values["start_us"] = span.map { .int64($0.start.microseconds) }
    values["end_us"] = span.map { .int64($0.end.microseconds) }
    return values
  }
}

extension Refusal {
  /// Only clients that may know the sensors receive their addresses, and whether there are none or several.
  init(_ failure: SessionRequestFailure, maySeeSensors: Bool) {
    switch failure {
    case .notRecording: self = .notRecording
    case .unknownSensor: self = .unknownSensor
    case .noneMeasuring(let sensors): self = .noSensor(maySeeSensors ? sensors : [])
    case .severalMeasuring(let sensors): self = maySeeSensors ? .severalSensors(sensors) : .noSensor([])
    case .busy: self = .busy
    case .refused(let problem): self = Refusal(problem)
    case .invalidTime: self = .invalidTime
    case .notOpen, .over: self = .finished
    case .journal, .notStored: self = .notStored
    }
  }

  init(_ problem: ClientDataProblem) {
    switch problem {
    case .tooLarge(let part): self = .tooLarge(part)
    case .reservedKey: self = .reservedKey
    case .invalidMetadata: self = .invalidMetadata
    }
  }
}
