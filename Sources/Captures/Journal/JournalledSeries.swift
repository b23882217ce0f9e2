import FoundationEssentials

/// A client's series of a journal.
final class JournalledSeries: JournalledObject {
  let series: ClientSeries
  var metadata: [String: CaptureMetadataValue]
  let slot: Int
  var isCommitted = false
  var namedIn: Int?
  var batchNumber = -1

  init(_ series: ClientSeries, metadata: [String: CaptureMetadataValue], slot: Int) {
    self.series = series
    self.metadata = metadata
    self.slot = slot
  }

  var identifier: UUID { series.identifier }
}
