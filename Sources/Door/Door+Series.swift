import RecorderBus
import DBus
import FoundationEssentials
import HealthModel
import Ingestion

extension Door {
  /// `NewQuantitySeries`: its options are `unit`, `metadata` and `device`.
  func newQuantitySeries(_ call: ClientCall) throws(Refusal) {
    let options = call.properties(2)
    guard options.keys.allSatisfy(["unit", "metadata", "device"].contains) else { throw .invalidArgument }
    guard let type = QuantityType(identifier: call.text(0)) else { throw .unknownType }
    let unit: Unit
    if let value = options["unit"] {
      guard let its = value.string.flatMap({ Unit($0) }) else { throw .invalidUnit }
      unit = its
    } else {
      unit = type.unit
    }
    let start = Timestamp(microseconds: call.arguments[1].int64 ?? 0)
    let (metadata, device) = (try Self.metadata(options["metadata"]), try Self.device(options["device"]))
    let owner = try registry.mayBegin(.series(of: type.identifier), call.sender).owner
    begin(.quantities(type, unit), call, type.identifier, owner, start, device, metadata)
  }

  /// `NewHeartbeatSeries`: its options are `timescale`, `metadata` and `device`.
  func newHeartbeatSeries(_ call: ClientCall) throws(Refusal) {
    let options = call.properties(1)
    guard options.keys.allSatisfy(["timescale", "metadata", "device"].contains) else { throw .invalidArgument }
    guard let timescale = options["timescale"].map({ $0.int32 }) ?? 1024 else { throw .invalidArgument }
    let start = Timestamp(microseconds: call.arguments[0].int64 ?? 0)
    let (metadata, device) = (try Self.metadata(options["metadata"]), try Self.device(options["device"]))
    let type = SampleType.heartbeatSeries.identifier
    let owner = try registry.mayBegin(.series(of: type), call.sender).owner
    begin(.heartbeats(timescale: timescale), call, type, owner, start, device, metadata)
  }

  private func begin(
    _ content: SeriesContent, _ call: ClientCall, _ type: String, _ owner: ClientIdentity, _ start: Timestamp,
    _ device: Device?, _ metadata: Metadata
  ) {
    Task(executorPreference: loop) { await self.carryOut(content, call, type, owner, start, device, metadata) }
  }

  private func carryOut(
    _ content: SeriesContent, _ call: ClientCall, _ type: String, _ owner: ClientIdentity, _ start: Timestamp,
    _ device: Device?, _ metadata: Metadata
  ) async {
    do throws(ClientSeriesFailure) {
      let series = try await recorder.beginSeries(
        content, from: start, for: owner, device: device, metadata: metadata)
      let its = ClientObject(
        .series(of: type), series, of: owner, start: start.microseconds, connection: call.sender)
      perform(registry.began(its, of: call.sender))
      respond(to: call, .values([.objectPath(its.path)]))
    } catch {
      registry.beginFailed(.series(of: type), call.sender)
      refuse(call, Refusal(error))
    }
    settle()
  }

  /// `QuantitySeries1` and `HeartbeatSeries1`.
  func answerSeries(_ call: ClientCall) throws(Refusal) {
    guard let its = clientObject(at: call.path, for: call.sender) else {
      return respond(to: call, Self.unknownObject)
    }
    guard !its.isEnding || call.member == "Finish" else { throw .finished }
    switch call.member {
    case "Insert":
      let values = try Self.values(call.arguments[0])
      insert(.values(values), call, its)
    case "Add":
      let beats = try Self.beats(call.arguments[0])
      insert(.beats(beats), call, its)
    case "Finish":
      let end = call.arguments[0].int64 ?? 0
      let metadata = try Self.metadata(call.arguments[1])
      registry.ending(its.identifier)
      let number = waitForStore(call)
      Task(executorPreference: loop) {
        await self.finish(its, end: end == 0 ? nil : Timestamp(microseconds: end), metadata, for: number)
      }
    case "Discard":
      registry.ending(its.identifier)
      Task(executorPreference: loop) { await self.discard(call, its) }
    default: respond(to: call, .unknownMethod)
    }
  }

  private func insert(_ change: SeriesChange, _ call: ClientCall, _ its: ClientObject) {
    Task(executorPreference: loop) { await self.carryOut(change, call, its) }
  }

  private func carryOut(_ change: SeriesChange, _ call: ClientCall, _ its: ClientObject) async {
    do throws(ClientSeriesFailure) {
      try await recorder.insert(change, into: its.identifier)
      respond(to: call, .success)
    } catch {
      if error == .notOpen { registry.ended(its.identifier) }
      refuse(call, Refusal(error))
    }
  }

  private func finish(_ its: ClientObject, end: Timestamp?, _ metadata: Metadata, for number: UInt64) async {
    do throws(ClientSeriesFailure) {
      try await recorder.finishSeries(its.identifier, end: end, metadata: metadata)
      registry.ended(its.identifier)
      await collect([(its.identifier, its.kind.type)], of: its.owner)
      stored(number, .values([.string(its.identifier.uuidString.lowercased())]))
    } catch {
      switch error {
      case .notOpen: registry.ended(its.identifier)
      // The series is stored later, and the client may wait for it once more.
      case .notStored: break
      default: registry.goesOn(its.identifier)
      }
      stored(number, .refusal(Refusal(error)))
    }
    settle()
  }

  private func discard(_ call: ClientCall, _ its: ClientObject) async {
    do throws(ClientSeriesFailure) {
      try await recorder.discardSeries(its.identifier)
      registry.ended(its.identifier)
      respond(to: call, .success)
    } catch {
      // A discard that the journal refused has not happened: the series is still there, and ends with its client.
      if error == .notOpen {
        registry.ended(its.identifier)
      } else {
        registry.goesOn(its.identifier)
      }
      refuse(call, Refusal(error))
    }
    settle()
  }

  /// Ends a series with its last value.
  func interrupt(series identifier: UUID) {
    let recorder = recorder
    Task(executorPreference: loop) { await recorder.interruptSeries(identifier) }
  }

  private static func device(_ value: Value?) throws(Refusal) -> Device? {
    guard let value else { return nil }
    do { return try Device(value) } catch { throw .invalidArgument }
  }

  private static func values(_ value: Value) throws(Refusal) -> [SampleDraft.QuantityValue] {
    var values: [SampleDraft.QuantityValue] = []
    for item in value.array ?? [] {
      guard let fields = item.structure, fields.count == 3, let start = fields[0].int64, let end = fields[1].int64,
        let number = fields[2].double
      else { throw .invalidArgument }
      guard let span = TimeSpan(start: Timestamp(microseconds: start), end: Timestamp(microseconds: end)) else {
        throw .endBeforeStart
      }
      values.append(SampleDraft.QuantityValue(number, over: span))
    }
    return values
  }

  private static func beats(_ value: Value) throws(Refusal) -> [SampleDraft.HeartbeatTick] {
    var beats: [SampleDraft.HeartbeatTick] = []
    for item in value.array ?? [] {
      guard let fields = item.structure, fields.count == 2, let ticks = fields[0].int64, let gap = fields[1].boolean
      else { throw .invalidArgument }
      beats.append(SampleDraft.HeartbeatTick(ticks, precededByGap: gap))
    }
    return beats
  }
}

extension Refusal {
  init(_ failure: ClientSeriesFailure) {
    switch failure {
    case .notRecording: self = .notRecording
    case .notOpen: self = .finished
    case .invalid(let error): self = Refusal(error)
    case .refused(let problem): self = Refusal(problem)
    case .journal, .notStored: self = .notStored
    }
  }

  private init(_ error: SeriesError) {
    self =
      switch error {
      case .finished: .finished
      case .empty: .empty
      case .startsBeforeSeries, .timeOutOfRange, .startDiffers: .invalidTime
      case .endsBeforeStart, .endsBeforeInsertedEnd: .endBeforeStart
      case .incompatibleUnit: .invalidUnit
      case .unknownType: .unknownType
      case .timeDecreases, .timeNotIncreasing: .wrongOrder
      case .valueOutOfRange, .notFinite, .beatOutOfRange: .invalidValue
      case .invalidTimescale: .invalidArgument
      default: .invalidArgument
      }
  }
}
