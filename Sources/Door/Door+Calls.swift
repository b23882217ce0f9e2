import Clients
import DBus
import Glibc
import HealthModel
import Ingestion
import SeriesStore

extension Door {
  /// Answers a call of a connection that is known.
  func answer(_ call: Message, of object: ServiceObject, from name: String) {
    do throws(Refusal) {
      perform(try registry.called(name, at: now))
      switch object.request(of: call) {
      case .answered(let reply): respond(to: call, reply)
      case .property(let interface, let property):
        readProperties(of: interface, for: name) { door, values in
          door.respond(to: call, .values([.variant(values[property] ?? .string(""))]))
        }
      case .properties(let interface):
        readProperties(of: interface, for: name) { $0.respond(to: call, .values([.properties($1)])) }
      case .method(let interface, let method): try answer(call, interface, method.name, from: name)
      }
    } catch {
      refuse(call, error)
    }
    settle()
  }

  private func answer(
    _ call: Message, _ interface: Interface, _ member: String, from name: String
  ) throws(Refusal) {
    let arguments = call.body
    func texts(_ index: Int) -> [String] { arguments[index].strings ?? [] }
    switch (interface, member) {
    case (DoorInterfaces.recorder, "ListSensors"): listSensors(call, for: name)
    case (DoorInterfaces.live, "Subscribe"):
      let effects = try registry.subscribe(name, to: texts(0), at: now)
      respond(to: call, .success)
      perform(effects)
    case (DoorInterfaces.live, "Unsubscribe"):
      registry.unsubscribe(name)
      respond(to: call, .success)
    case (DoorInterfaces.authorization, "Identify"):
      try registry.identify(name, as: arguments[0].string ?? "")
      respond(to: call, .success)
    case (DoorInterfaces.authorization, "Request"):
      lastRequest += 1
      let number = lastRequest
      let effects = try registry.request(name, share: texts(0), read: texts(1), call: number, at: now)
      requests[number] = call
      perform(effects)
    case (DoorInterfaces.authorization, "Status"):
      let decision = try registry.shareStatus(name, of: arguments[0].string ?? "")
      respond(to: call, .values([.string(Self.word(for: decision))]))
    case (DoorInterfaces.grants, "List"):
      respond(to: call, .values([.array(try registry.overview(for: name).values, of: "a{sv}")]))
    case (DoorInterfaces.grants, "Decide"):
      let client = ClientIdentity(uid: arguments[0].uint32 ?? 0, application: arguments[1].string ?? "")
      let grants = try registry.grants(
        decidedBy: name, about: client, share: texts(2), read: texts(3),
        arguments[4].boolean == true ? .allowed : .denied, at: Timestamp(microseconds: Self.wallMicroseconds()))
      change(call) { store throws(StoreError) in
        try await store.decide(grants)
        return []
      }
    case (DoorInterfaces.grants, "Revoke"):
      try registry.requireOwner(name)
      let client = ClientIdentity(uid: arguments[0].uint32 ?? 0, application: arguments[1].string ?? "")
      let (share, read) = (texts(2), texts(3))
      change(call) { store throws(StoreError) in
        [.uint32(UInt32(clamping: try await store.revoke(client, share: share, read: read)))]
      }
    default: respond(to: call, .unknownMethod)
    }
  }

  /// Changes the grants in the store; the answer follows when that has taken effect.
  private func change(
    _ call: Message, _ body: @escaping @Sendable (HealthStore) async throws(StoreError) -> [Value]
  ) {
    Task(executorPreference: loop) { await self.carryOut(call, body) }
  }

  private func carryOut(
    _ call: Message, _ body: @Sendable (HealthStore) async throws(StoreError) -> [Value]
  ) async {
    guard let store = await recorder.openStore, let values = try? await body(store) else {
      return refuse(call, .notStored)
    }
    await readGrants()
    respond(to: call, .values(values))
  }

  /// The same is done for those who may know the sensors and for those who may not: neither answer comes sooner.
  private func listSensors(_ call: Message, for name: String) {
    withStatus { [weak self] status in
      self?.assumeIsolated { door in
        let mayKnow = door.registry.maySeeSensors(name)
        door.respond(to: call, .values([.array(mayKnow ? status.sensors.map(\.value) : [], of: "a{sv}")]))
      }
    }
  }

  private func readProperties(
    of interface: Interface, for name: String, _ body: @escaping @Sendable (isolated Door, [String: Value]) -> Void
  ) {
    guard interface == DoorInterfaces.recorder else { return body(self, [:]) }
    withStatus { [weak self] status in
      self?.assumeIsolated { door in
        let isRecording = status.state == .recording && door.registry.maySeeSensors(name)
        body(door, ["Version": .string(door.settings.version), "Recording": .boolean(isRecording)])
      }
    }
  }

  private static func word(for decision: Grant.Decision?) -> String {
    switch decision {
    case .allowed: "sharingAuthorized"
    case .denied: "sharingDenied"
    case nil: "notDetermined"
    }
  }

  private static func wallMicroseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
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

extension SensorStatus {
  /// As `ListSensors` shows it.
  fileprivate var value: Value {
    var properties: [String: Value] = ["address": .string("\(address)"), "state": .string(state.rawValue)]
    properties["name"] = name.map { .string($0) }
    return .properties(properties)
  }
}
