import ClientInterfaces
import Clients
import DBus
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
