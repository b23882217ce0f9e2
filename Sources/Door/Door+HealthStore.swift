import ClientInterfaces
import Clients
import DBus
import FoundationEssentials
import HealthModel
import Ingestion
import SeriesStore

extension Door {
  /// `HealthStore1`.
  func answerHealthStore(_ call: ClientCall) throws(Refusal) {
    switch call.member {
    case "Save": try save(call)
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

  /// Saves samples, all or none; their identifiers are the answer.
  private func save(_ call: ClientCall) throws(Refusal) {
    let values = call.arguments[0].array ?? []
    guard values.count <= settings.limits.samples else { throw .limitsExceeded(.samples) }
    var drafts: [SampleDraft] = []
    do throws(ArgumentError) {
      for value in values { drafts.append(try SampleDraft(value)) }
    } catch {
      return respond(to: call, error.reply)
    }
    do throws(ClientDataProblem) {
      for draft in drafts { try draft.checkMetadata(ClientDataLimits()) }
    } catch {
      throw Refusal(error)
    }
    let client = try registry.requireSharing(call.sender, of: drafts.flatMap(\.typesWithin))
    Task(executorPreference: loop) { await self.save(drafts, of: client, for: call) }
  }

  private func save(_ drafts: [SampleDraft], of client: ClientIdentity, for call: ClientCall) async {
    guard let store = await recorder.openStore else { return refuse(call, .notStored) }
    var samples: [NewSample] = []
    do throws(SeriesError) {
      for draft in drafts { samples.append(try NewSample(draft)) }
    } catch {
      return respond(to: call, error.reply)
    }
    await save(samples, of: client, in: store, for: call)
  }

  private func save(
    _ samples: [NewSample], of client: ClientIdentity, in store: HealthStore, for call: ClientCall
  ) async {
    do throws(StoreError) {
      let source = SourceRevision(identifier: client.source, name: client.application)
      let saved = try await store.saveAll(samples, as: source)
      respond(to: call, .values([.strings(saved.map { $0.uuidString.lowercased() })]))
    } catch {
      respond(to: call, error.reply)
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

  private func delete(_ ids: Set<UUID>, _ reading: Reading, for call: ClientCall) async {
    guard let store = await recorder.openStore else { return refuse(call, .notStored) }
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
