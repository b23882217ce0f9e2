public import FoundationEssentials
public import HealthModel

/// A finished sample to be saved, from a builder or an initializer for its kind.
public struct NewSample: Sendable {
  /// The identifier of the sample; a random one unless it was given.
  public let id: UUID
  /// The type of the sample.
  public let type: SampleType
  /// The hardware that measured; nil if it is unknown.
  public var device: Device?
  /// Further properties, by their keys.
  public var metadata: Metadata
  /// The identity and version under which the object may be saved again; nil for an object that is saved once.
  public var sync: SyncIdentity?
  /// The time from the sample's start to its end.
  public let span: TimeSpan
  let content: any SampleContent

  init(
    _ content: any SampleContent, of type: SampleType, over span: TimeSpan, id: UUID, device: Device?,
    metadata: Metadata, sync: SyncIdentity?
  ) {
    self.id = id
    self.type = type
    self.device = device
    self.metadata = metadata
    self.sync = sync
    self.span = span
    self.content = content
  }
}

extension NewSample {
  /// Packs a sample that was described as values, under a new identifier.
  ///
  /// - Throws: ``HealthModel/SeriesError`` for the first value that cannot be stored.
  public init(_ draft: SampleDraft) throws(SeriesError) {
    try self.init(draft, id: UUID(), sync: draft.sync)
  }

  /// Packs a sample that was described as values, under a given identifier.
  package init(_ draft: SampleDraft, id: UUID, sync: SyncIdentity?) throws(SeriesError) {
    let (span, device, metadata) = (draft.span, draft.device, draft.metadata)
    switch draft.content {
    case .quantities(let type, let unit, let values):
      var builder = QuantitySeriesBuilder(type: type, start: span.start, device: device)
      for value in values { try builder.insert(Quantity(value.value, unit), for: value.span) }
      self = try builder.finish(id: id, end: span.end, metadata: metadata, sync: sync)
    case .heartbeats(let timescale, let beats):
      var builder = HeartbeatSeriesBuilder(timescale: timescale)
      for beat in beats {
        try builder.add(atTicks: beat.ticks, since: span.start, precededByGap: beat.precededByGap)
      }
      guard
        let sample = NewSample(heartbeats: try builder.finish(), id: id, device: device, metadata: metadata, sync: sync)
      else { throw .empty }
      self = sample
    case .category(let type, let value):
      self.init(type, value, over: span, id: id, device: device, metadata: metadata, sync: sync)
    case .correlation(let type, let drafts):
      // One at a time: an initializer that throws its own type cannot be passed on.
      var parts: [NewSample] = []
      for draft in drafts { parts.append(try NewSample(draft)) }
      try self.init(type, of: parts, id: id, device: device, metadata: metadata, sync: sync)
    case .route(let workout, let locations):
      let route = WorkoutRoute(id: id, of: workout, locations, metadata: metadata)
      do throws(WorkoutRouteError) {
        try self.init(route, device: device, sync: sync)
      } catch {
        throw .invalidRoute(error)
      }
    case .audiogram(let audiogram):
      do throws(AudiogramError) {
        try self.init(audiogram, over: span, id: id, device: device, metadata: metadata, sync: sync)
      } catch {
        throw .invalidAudiogram(error)
      }
    case .visionPrescription(let prescription):
      do throws(VisionPrescriptionError) {
        try self.init(
          prescription, issued: span.start, expires: span.end > span.start ? span.end : nil, id: id, device: device,
          metadata: metadata, sync: sync)
      } catch {
        throw .invalidPrescription(error)
      }
    }
  }
}

// Descriptions for a person. They contain health data and must not be logged.

extension NewSample: CustomStringConvertible {
  /// The type and the time: `sleepAnalysis 2026-11-22T01:30:00.000000Z/2026-11-22T02:00:00.000000Z`.
  public var description: String { "\(type) \(span)" }
}

/// The result of saving an object: whether it is in the store now, and whether the call has written it.
@nonexhaustive
public enum CommitOutcome: String, Hashable, Sendable, CaseIterable, Codable {
  /// The object was new and has been stored.
  case stored
  /// The object has replaced an earlier one with a smaller sync version, or a session with the same version that an
  /// earlier algorithm computed.
  case replaced
  /// The store already has the object, in this or a later version; nothing was written.
  case unchanged
  /// The object was deleted before and is not to be restored; nothing was written.
  case deletedBefore
}
