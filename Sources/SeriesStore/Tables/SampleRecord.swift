import FoundationEssentials
import HealthModel

/// A sample on its way into its row.
struct SampleRecord {
  var uuid: UUID
  var type: SampleType
  var start: Timestamp
  var end: Timestamp
  var sync: NewSample.SyncIdentity?
}

/// Whose sample it is: the rows of its session, source and device.
struct SampleOrigin: Hashable {
  var session: Int64?
  var source: Int64
  var device: Int64?
}

/// What a sample's row says of its content.
struct SampleFigures: Hashable {
  /// The number that the kind is told by, a category's value for instance.
  var value: Int64?
  var count = 1
  var sum: Double?
  var average: Double?
  var summary: SeriesSummary?
}

/// A sample's row as its kind reads it.
struct SampleRow {
  var id: Int64
  var type: SampleType
  var start: Int64
  var end: Int64
  var figures: SampleFigures
}
