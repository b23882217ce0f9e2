import Clients
import DBus
import Glibc
import HealthModel
import Ingestion
import SeriesStore

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
    _ call: ClientCall, _ body: @escaping @concurrent @Sendable (HealthStore) async throws(StoreError) -> [Value]
  ) {
    Task(executorPreference: loop) { await self.carryOut(call, body) }
  }

  private func carryOut(
    _ call: ClientCall, _ body: @concurrent @Sendable (HealthStore) async throws(StoreError) -> [Value]
  ) async {
    guard let store = await recorder.openStore else { return refuse(call, .notRecording) }
    do throws(StoreError) {
      let values = try await body(store)
      await readGrants()
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
}

extension ClientRegistry.Overview {
  /// As `List` shows it.
  fileprivate var values: [Value] {
    func value(_ grant: Grant, inAdvance: Bool) -> Value {
      var properties: [String: Value] = [
        "uid": .uint32(grant.client.uid), "application": .string(grant.client.application),
        "type": .string(grant.type), "permission": .string(grant.permission.rawValue),
        "decision": .string(grant.decision.rawValue), "configured": .boolean(inAdvance),
      ]
      if !inAdvance { properties["decided_us"] = .int64(grant.decided.microseconds) }
      return .properties(properties)
    }
    func waiting(_ request: AccessRequest, _ types: [String], _ permission: Permission) -> [Value] {
      types.map { type in
        .properties([
          "uid": .uint32(request.client.uid), "application": .string(request.client.application),
          "type": .string(type), "permission": .string(permission.rawValue), "decision": .string("notDetermined"),
          "configured": .boolean(false),
        ])
      }
    }
    return stored.map { value($0, inAdvance: false) } + inAdvance.map { value($0, inAdvance: true) }
      + self.waiting.flatMap { waiting($0, $0.share, .share) + waiting($0, $0.read, .read) }
  }
}
