import FoundationEssentials
import HealthModel
import Sensors
import SeriesStore

extension SessionCommitter {
  /// The clock of what is about to be stored.
  ///
  /// - Parameters:
  ///   - boot: The boot of its last records.
  ///   - lead: The lead that they know of it.
  ///   - start: When it begins by that.
  ///   - judgement: What is known now; nil: nothing.
  /// - Returns: The clock; nil where nothing is stored of it.
  /// - Throws: ``Failure``, where the store cannot be read.
  func clock(
    in boot: BootIdentifier?, at lead: Int64?, from start: Timestamp, by judgement: ClockJudgement?
  ) throws(Failure) -> RecordedClock? {
    guard let judgement else { return nil }
    let found = store.assumeIsolated { store -> Result<RecordedClock, StoreError> in
      do throws(StoreError) {
        let remembered = try boot.flatMap { (boot) throws(StoreError) in try store.clockBelief(in: boot.uuid) }
        return .success(
          judgement.clock(
            in: boot, at: lead, from: start, remembered: remembered, newest: try store.newestBelievedEnd()))
      } catch {
        return .failure(error)
      }
    }
    do throws(StoreError) { return try found.get() } catch { throw .store(error) }
  }
}
