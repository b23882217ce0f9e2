import Captures
import FoundationEssentials
import HealthModel
import SeriesStore

extension SessionCommitter {
  /// Ends a client's series in the journal: reads it back, saves it in one transaction, and only then the journal may forget
  /// it. Doing it twice does no harm: the store knows the series' identity.
  ///
  /// - Parameter series: The series' identity in the journal.
  /// - Returns: What was stored; no outcome where the series was empty.
  /// - Throws: ``Failure``; the series is then still in the journal.
  func commit(series: UUID) throws(Failure) -> Committed {
    let contents: ClientSeriesContents
    let damages: [CaptureDamage]
    let hasGivenUp = failedReadings[series, default: 0] >= Self.greatestFailedReadings
    do {
      (contents, damages) = try journal.contents(ofSeries: series, leavingOutUnreadable: hasGivenUp)
    } catch {
      if error.code == .cannotRead { failedReadings[series, default: 0] += 1 }
      throw .journal(error)
    }
    failedReadings[series] = nil
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

  /// Saves the sample on the store's thread, which is this actor's. One that was deleted meanwhile does not come back: the record
  /// that the store has it may be lost with the power.
  private func save(_ sample: NewSample, as source: String) throws(Failure) -> CommitOutcome {
    let name = ClientIdentity(source: source)?.application ?? source
    let saved = store.assumeIsolated { store -> Result<CommitOutcome, StoreError> in
      do throws(StoreError) {
        if try store.wasDeleted(sample.id) { return .success(.deletedBefore) }
        return .success(try store.save(sample, as: SourceRevision(identifier: source, name: name)))
      } catch {
        return .failure(error)
      }
    }
    do throws(StoreError) { return try saved.get() } catch { throw .store(error) }
  }
}
