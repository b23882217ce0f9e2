import RecorderBus
import DBus
import FoundationEssentials
import HealthModel
import Ingestion
import SeriesStore

extension Door {
  /// `HealthStore1`.
  func answerHealthStore(_ call: ClientCall) throws(Refusal) {
    switch call.member {
    case "Save": save(call)
    case "Delete": delete(call)
    case "NewQuantitySeries": try newQuantitySeries(call)
    case "NewHeartbeatSeries": try newHeartbeatSeries(call)
    case "Query": query(call)
    case "Observe":
      try registry.observe(call.sender, call.texts(0))
      answerObserve(call)
    default: respond(to: call, .unknownMethod)
    }
  }

  /// Saves samples, all or none; their identifiers are the answer. Workouts that collect their types have them by then.
  private func save(_ call: ClientCall) {
    answer(call) { (door) throws(RefusedCall) in
      let (drafts, client) = try door.drafts(in: call.arguments[0], of: call.sender)
      let saved = try await door.save(drafts, as: client)
      await door.collect(zip(saved, drafts.map(\.type.identifier)).map { ($0, $1) }, of: client)
      return .values([.identifiers(saved)])
    }
  }

  /// Returns the samples to save, and the client that saves them.
  func drafts(
    in value: Value, of name: String
  ) throws(RefusedCall) -> (drafts: [SampleDraft], client: ClientIdentity) {
    let values = value.array ?? []
    guard values.count <= settings.limits.samples else { throw RefusedCall(Refusal.limitsExceeded(.samples)) }
    var drafts: [SampleDraft] = []
    do throws(ArgumentError) {
      for value in values { drafts.append(try SampleDraft(value)) }
    } catch {
      throw RefusedCall(error)
    }
    do throws(ClientDataProblem) {
      for draft in drafts { try draft.checkMetadata(ClientDataLimits()) }
    } catch {
      throw RefusedCall(Refusal(error))
    }
    do { return (drafts, try registry.requireSharing(name, of: drafts.flatMap(\.typesWithin))) } catch {
      throw RefusedCall(error)
    }
  }

  /// Saves samples, all or none.
  ///
  /// - Returns: Their identifiers.
  func save(_ drafts: [SampleDraft], as client: ClientIdentity) async throws(RefusedCall) -> [UUID] {
    guard let store = await recorder.openStore else { throw RefusedCall(Refusal.notRecording) }
    var samples: [NewSample] = []
    do throws(SeriesError) {
      for draft in drafts { samples.append(try NewSample(draft)) }
    } catch {
      throw RefusedCall(error)
    }
    do {
      return try await store.saveAll(
        samples, as: SourceRevision(identifier: client.source, name: client.application))
    } catch {
      throw RefusedCall(error)
    }
  }

  /// Deletes samples, all or none. A client finds only those that it saved itself.
  private func delete(_ call: ClientCall) {
    let texts = call.texts(0)
    let ids = texts.compactMap { UUID(uuidString: $0) }
    guard ids.count == texts.count else { return respond(to: call, ArgumentError.invalid("ids").reply) }
    guard ids.count <= settings.limits.samples else { return refuse(call, .limitsExceeded(.samples)) }
    guard let reading = registry.reading(of: call.sender) else { return }
    Task(executorPreference: loop) { await self.delete(Set(ids), reading, for: call) }
  }

  private func delete(_ ids: Set<UUID>, _ reading: ClientReading, for call: ClientCall) async {
    guard let store = await recorder.openStore else { return refuse(call, .notRecording) }
    do throws(StoreError) {
      try await store.delete(ids, savedBy: reading.types == nil ? nil : reading.client.source)
      respond(to: call, .success)
    } catch {
      respond(to: call, error.reply)
    }
  }
}

extension SampleDraft {
  /// Looks whether its metadata, and those of its parts, are small enough.
  fileprivate func checkMetadata(_ limits: ClientDataLimits) throws(ClientDataProblem) {
    try limits.check(metadata)
    if let device { try limits.check(device) }
    guard case .correlation(_, let parts) = content else { return }
    for part in parts { try part.checkMetadata(limits) }
  }

  /// Its type and those of its parts.
  fileprivate var typesWithin: [String] {
    guard case .correlation(_, let parts) = content else { return [type.identifier] }
    return [type.identifier] + parts.map(\.type.identifier)
  }
}

/// Follows the store for one connection that observes it.
final class ChangeObserver {
  let observation: ClientObservation
  var task: Task<Void, Never>?
  /// Changes from now on are seen.
  var isFollowing = false

  init(_ observation: ClientObservation) {
    self.observation = observation
  }
}

extension Door {
  /// Answers `Observe` when changes are followed: what is saved after the answer is not missed.
  func answerObserve(_ call: ClientCall) {
    followChanges()
    if let observer = observers[call.sender], !observer.isFollowing {
      observeCalls[call.sender, default: []].append(call)
    } else {
      respond(to: call, .success)
    }
  }

  /// Follows changes of the store for those who observe them, each by itself: what one may not read does not wake it.
  func followChanges() {
    let wanted = registry.observations
    for (name, observer) in observers where wanted[name] != observer.observation {
      observer.task?.cancel()
      observers[name] = nil
    }
    for (name, observation) in wanted where observers[name] == nil {
      let observer = ChangeObserver(observation)
      observers[name] = observer
      observer.task = Task(executorPreference: loop) { await self.follow(observation, for: name) }
    }
    // A call is a success also if a later call, or a decision of the owner, has undone it.
    for name in observeCalls.keys where observers[name] == nil { answerObserveCalls(of: name, .success) }
  }

  private func answerObserveCalls(of name: String, _ reply: Reply) {
    for call in observeCalls.removeValue(forKey: name) ?? [] { respond(to: call, reply) }
  }

  private func follow(_ observation: ClientObservation, for name: String) async {
    let signals = await recorder.openStore?.changeSignals { observation.concerns($0) }
    guard !Task.isCancelled else { return }
    guard let signals else {
      // The next call tries again.
      observers[name] = nil
      return answerObserveCalls(of: name, StoreError(.closed, "the recorder is not ready").reply)
    }
    observers[name]?.isFollowing = true
    answerObserveCalls(of: name, .success)
    for await _ in signals {
      guard !Task.isCancelled else { return }
      perform(registry.storeChanged(for: name))
    }
  }
}
