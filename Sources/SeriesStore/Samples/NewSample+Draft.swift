public import HealthModel

extension NewSample {
  /// Packs a sample that was described as values, under an identifier of its own.
  ///
  /// - Throws: ``HealthModel/SeriesError`` for the first value that cannot be stored, as the builder of its kind has it.
  public init(_ draft: SampleDraft) throws(SeriesError) {
    let (span, device, metadata, sync) = (draft.span, draft.device, draft.metadata, draft.sync)
    switch draft.content {
    case .quantities(let type, let unit, let values):
      var builder = QuantitySeriesBuilder(type: type, start: span.start, device: device)
      for value in values { try builder.insert(Quantity(value.value, unit), for: value.span) }
      self = try builder.finish(end: span.end, metadata: metadata, sync: sync)
    case .heartbeats(let timescale, let beats):
      var builder = HeartbeatSeriesBuilder(timescale: timescale)
      for beat in beats {
        try builder.add(atTicks: beat.ticks, since: span.start, precededByGap: beat.precededByGap)
      }
      guard
        let sample = NewSample(heartbeats: try builder.finish(), device: device, metadata: metadata, sync: sync)
      else { throw .empty }
      self = sample
    case .category(let type, let value):
      self.init(type, value, over: span, device: device, metadata: metadata, sync: sync)
    case .correlation(let type, let drafts):
      // One at a time: an initializer that throws its own type cannot be passed on.
      var parts: [NewSample] = []
      for draft in drafts { parts.append(try NewSample(draft)) }
      try self.init(type, of: parts, device: device, metadata: metadata, sync: sync)
    case .route(let workout, let locations):
      let route = WorkoutRoute(of: workout, locations, metadata: metadata)
      do throws(WorkoutRouteError) {
        try self.init(route, device: device, sync: sync)
      } catch {
        throw .invalidRoute(error)
      }
    case .audiogram(let audiogram):
      do throws(AudiogramError) {
        try self.init(audiogram, over: span, device: device, metadata: metadata, sync: sync)
      } catch {
        throw .invalidAudiogram(error)
      }
    case .visionPrescription(let prescription):
      do throws(VisionPrescriptionError) {
        try self.init(
          prescription, issued: span.start, expires: span.end > span.start ? span.end : nil, device: device,
          metadata: metadata, sync: sync)
      } catch {
        throw .invalidPrescription(error)
      }
    }
  }
}
