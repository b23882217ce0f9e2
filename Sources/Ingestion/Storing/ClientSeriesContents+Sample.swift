import Captures
import FoundationEssentials
import HealthModel
import HeartRateRecording
import SeriesStore

extension ClientSeriesContents {
  /// The sample that stands for the series. One that its program did not complete, because the program or the recorder was gone,
  /// ends with its last value and says so.
  ///
  /// - Throws: ``HealthModel/SeriesError``, for instance `empty` where nothing was inserted.
  func sample() throws(SeriesError) -> NewSample {
    var metadata = metadata.mapValues(MetadataValue.init)
    metadata[ReservedMetadata.interrupted] = isFinished ? nil : .flag(true)
    let device = Device(texts: series.device)
    let sync = SyncIdentity(identifier: series.identifier.uuidString.lowercased(), version: 1)
    if series.type == SampleType.heartbeatSeries.identifier {
      guard
        let sample = NewSample(
          heartbeats: try heartbeats(), id: series.identifier, device: device, metadata: metadata, sync: sync)
      else { throw .empty }
      return sample
    }
    guard let type = QuantityType(identifier: series.type), let unit = Unit(series.unit) else {
      throw .unknownType(series.type)
    }
    guard let first = values.map(\.startMicroseconds).min() else { throw .empty }
    let start = Timestamp(microseconds: series.startMicroseconds ?? first)
    var builder = QuantitySeriesBuilder(type: type, start: start, device: device)
    for value in values { try builder.insert(value, in: unit) }
    return try builder.finish(
      id: series.identifier, end: endMicroseconds.map { Timestamp(microseconds: $0) }, metadata: metadata, sync: sync)
  }

  /// The beats, with the flags that the recorder gives its own.
  func heartbeats() throws(SeriesError) -> HeartbeatSeries {
    guard let timescale = series.timescale, let start = series.startMicroseconds else {
      throw .unknownType(series.type)
    }
    var builder = HeartbeatSeriesBuilder(timescale: timescale)
    var ticks: Int64 = 0
    for beat in beats {
      ticks += Int64(beat.ticks)
      try builder.add(
        atTicks: ticks, since: Timestamp(microseconds: start), precededByGap: beat.precededByGap)
    }
    return try builder.finish().judged()
  }
}
