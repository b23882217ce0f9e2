import RecorderBus
import DBus
import FoundationEssentials
import Glibc
import HealthModel
import Ingestion
import SeriesStore

extension Door {
  /// `Authorization1`.
  func answerAuthorization(_ call: ClientCall) throws(Refusal) {
    switch call.member {
    case "Identify":
      let effects = try registry.identify(call.sender, as: call.text(0), at: now)
      respond(to: call, .success)
      perform(effects)
    case "Request":
      lastRequest += 1
      let number = lastRequest
      let effects = try registry.request(
        call.sender, share: call.texts(0), read: call.texts(1), call: number, at: now)
      requests[number] = call
      perform(effects)
    case "RequestObjects":
      try registry.requireObjectType(call.text(0))
      try requestObjects(call)
    case "Status":
      let decision = try registry.shareStatus(call.sender, of: call.text(0))
      respond(to: call, .values([.string(Self.word(for: decision))]))
    default: respond(to: call, .unknownMethod)
    }
  }

  /// The owner is asked with what matches, also where nothing does.
  private func requestObjects(_ call: ClientCall) throws(Refusal) {
    let predicate: SamplePredicate
    do throws(ArgumentError) {
      predicate = call.arguments[1].properties?.isEmpty == true ? .all : try SamplePredicate(call.arguments[1])
    } catch {
      return respond(to: call, error.reply)
    }
    guard let type = SampleType(identifier: call.text(0)) else { throw .unknownType }
    let number = try registry.beginQuery(call.sender)
    let query = SampleQuery(.and([.type(type), predicate]), limit: settings.limits.objects)
    Task(executorPreference: loop) { await self.requestObjects(query, of: type, number, for: call) }
  }

  private func requestObjects(_ query: SampleQuery, of type: SampleType, _ number: UInt64, for call: ClientCall) async {
    let found: [RequestedObject]
    do throws(StoreError) {
      guard let shared = await recorder.openStore else { throw StoreError(.closed, "the recorder is not ready") }
      let reader = try shared.openReader()
      let samples = try await query.result(for: reader).value
      let titles = type.kind == .clinicalRecord ? try await reader.clinicalRecordNames(of: samples.map(\.id)) : [:]
      found = samples.map { RequestedObject($0, title: titles[$0.id]) }
    } catch {
      registry.endQuery(number, of: call.sender)
      return respond(to: call, error.reply)
    }
    registry.endQuery(number, of: call.sender)
    guard registry.knows(call.sender) else { return }
    lastRequest += 1
    requests[lastRequest] = call
    do throws(Refusal) {
      let objects = RequestedObjects(type: type.identifier, objects: found)
      perform(try registry.requestObjects(call.sender, objects, call: lastRequest, at: now))
    } catch {
      requests[lastRequest] = nil
      refuse(call, error)
    }
    settle()
  }

  private static func word(for decision: Grant.Decision?) -> String {
    switch decision {
    case .allowed: "sharingAuthorized"
    case .denied: "sharingDenied"
    case nil: "notDetermined"
    }
  }
}

extension Door {
  /// `Grants1`.
  func answerGrants(_ call: ClientCall) throws(Refusal) {
    switch call.member {
    case "List":
      respond(to: call, .values([.array(try registry.overview(for: call.sender).values, of: "a{sv}")]))
    case "Decide":
      let grants = try registry.grants(
        decidedBy: call.sender, about: call.client, share: call.texts(2), read: call.texts(3),
        call.arguments[4].boolean == true ? .allowed : .denied, at: Timestamp(microseconds: Self.wallMicroseconds()))
      change(call) { store throws(StoreError) in
        try await store.decide(grants)
        return []
      }
    case "DecideObjects":
      try registry.requireOwner(call.sender)
      let choice = ObjectChoice(
        client: call.client, type: call.text(2), allowed: try call.identifiers(3), denied: try call.identifiers(4),
        decided: Timestamp(microseconds: Self.wallMicroseconds()))
      try registry.check(choice, of: call.sender)
      change(call, of: choice) { store throws(StoreError) in
        try await store.decide(choice)
        return []
      }
    case "Revoke":
      try registry.requireOwner(call.sender)
      let (client, share, read) = (call.client, call.texts(2), call.texts(3))
      change(call) { store throws(StoreError) in
        [.uint32(UInt32(clamping: try await store.revoke(client, share: share, read: read)))]
      }
    default: respond(to: call, .unknownMethod)
    }
  }

  /// Changes the grants in the store; the answer follows when that has taken effect.
  private func change(
    _ call: ClientCall, of choice: ObjectChoice? = nil,
    _ body: @escaping @concurrent @Sendable (HealthStore) async throws(StoreError) -> [Value]
  ) {
    Task(executorPreference: loop) { await self.carryOut(call, of: choice, body) }
  }

  private func carryOut(
    _ call: ClientCall, of choice: ObjectChoice?,
    _ body: @concurrent @Sendable (HealthStore) async throws(StoreError) -> [Value]
  ) async {
    guard let store = await recorder.openStore else { return refuse(call, .notRecording) }
    do throws(StoreError) {
      let values = try await body(store)
      await readGrants()
      if let choice { perform(registry.objectsDecided(of: choice.type, for: choice.client)) }
      respond(to: call, .values(values))
    } catch {
      respond(to: call, error.reply)
    }
  }

  static func wallMicroseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}

extension ClientCall {
  /// The client that a decision is about.
  fileprivate var client: ClientIdentity {
    ClientIdentity(uid: arguments[0].uint32 ?? 0, application: text(1))
  }

  /// Identifiers of samples in an argument.
  fileprivate func identifiers(_ index: Int) throws(Refusal) -> Set<UUID> {
    let texts = self.texts(index)
    let ids = Set(texts.compactMap { UUID(uuidString: $0) })
    guard ids.count == Set(texts.map { $0.lowercased() }).count else { throw .invalidArgument }
    return ids
  }
}

extension ClientRegistry.Overview {
  /// As `List` shows it.
  fileprivate var values: [Value] {
    func waiting(_ client: ClientIdentity, _ types: [String], _ permission: Permission) -> [GrantEntry] {
      types.map { GrantEntry(client: client, type: $0, permission: permission, decision: nil, decided: nil) }
    }
    // A request that nothing matches is a row, too.
    func asked(_ request: AccessRequest) -> [GrantEntry] {
      guard let wish = request.objects else { return [] }
      let objects: [RequestedObject?] = wish.objects.isEmpty ? [nil] : wish.objects
      return objects.map { object in
        var entry = GrantEntry(client: request.client, type: wish.type, permission: .read, decision: nil, decided: nil)
        entry.isByObject = true
        entry.object = object
        return entry
      }
    }
    let decided = stored.map { GrantEntry($0) } + objects.map { GrantEntry($0) }
    let configured = inAdvance.map { GrantEntry($0, isConfigured: true) }
    let open = self.waiting.flatMap {
      waiting($0.client, $0.share, .share) + waiting($0.client, $0.read, .read) + asked($0)
    }
    return (decided + configured + open).map(\.value)
  }
}
