import Captures
import FoundationEssentials
import HealthModel
import SeriesStore
import Timeline

extension SessionCommitter {
  /// Ends a client's series in the journal: reads it back, saves it in one transaction, and only then the journal may forget
  /// it. Doing it twice does no harm: the store knows the series' identity.
  ///
  /// - Parameter series: The series' identity in the journal.
  /// - Returns: The stored result; without an outcome if the series was empty.
  /// - Throws: ``Failure``; the series is then still in the journal.
  func commit(series: UUID) throws(Failure) -> Committed {
    let (contents, damages) = try read(series) { hasGivenUp throws(JournalError) in
      try journal.contents(ofSeries: series, leavingOutUnreadable: hasGivenUp)
    }
    var sample: NewSample?
    do throws(SeriesError) {
      sample = try contents.sample()
    } catch {
      guard error == .empty else { throw .timeline(error) }
    }
    var outcome: CommitOutcome?
    if let sample { outcome = try save(sample, as: contents.series.source) }
    do { try journal.commit(series) } catch { throw .journal(error) }
    return Committed(
      outcome: outcome, rates: contents.values.count, beats: contents.beats.count, gaps: 0, damages: damages)
  }

  /// Saves the sample. One that was deleted meanwhile does not come back: the record
  /// that the store has it may be lost with the power.
  private func save(_ sample: NewSample, as source: String) throws(Failure) -> CommitOutcome {
    let name = ClientIdentity(source: source)?.application ?? source
    return try storing { (store) throws(StoreError) in
      if try store.wasDeleted(sample.id) { return .deletedBefore }
      return try store.save(sample, as: SourceRevision(identifier: source, name: name))
    }
  }
}

extension ClientSeriesContents {
  /// The sample that stands for the series. One that its program did not complete, because the program or the recorder
  /// was gone, ends with its last value and is marked as interrupted.
  ///
  /// - Throws: ``HealthModel/SeriesError``, for instance `empty` where nothing was inserted.
  func sample() throws(SeriesError) -> NewSample {
    var metadata = metadata.stored
    metadata[ReservedMetadata.interrupted] = isFinished ? nil : .flag(true)
    let sync = SyncIdentity(identifier: series.identifier.uuidString.lowercased(), version: 1)
    if series.type == SampleType.heartbeatSeries.identifier {
      guard
        let sample = NewSample(
          heartbeats: try heartbeats(), id: series.identifier, device: series.device, metadata: metadata, sync: sync)
      else { throw .empty }
      return sample
    }
    guard let type = QuantityType(identifier: series.type), let unit = Unit(series.unit) else {
      throw .unknownType(series.type)
    }
    guard let first = values.map(\.span.start).min() else { throw .empty }
    let start = series.startMicroseconds.map { Timestamp(microseconds: $0) } ?? first
    var builder = QuantitySeriesBuilder(type: type, start: start, device: series.device)
    for value in values { try builder.insert(Quantity(value.value, unit), for: value.span) }
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
      ticks += Int64(beat.rrTicks)
      try builder.add(
        atTicks: ticks, since: Timestamp(microseconds: start), precededByGap: beat.precededByGap)
    }
    return try builder.finish().judged()
  }
}
