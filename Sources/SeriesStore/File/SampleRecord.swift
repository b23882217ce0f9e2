import FoundationEssentials
import HealthModel

/// A sample on its way into its row.
struct SampleRecord: Hashable {
  var uuid: UUID
  var type: SampleType
  var start: Timestamp
  var end: Timestamp
  var syncIdentifier: String?
  var syncVersion: Int64?
}

/// Whose sample it is: the rows of its session, source and device.
struct SampleOrigin: Hashable {
  var session: Int64?
  var source: Int64
  var device: Int64?
}

/// The figures in a sample's row.
struct SampleFigures: Hashable {
  var count: Int
  var summary: SeriesSummary?
  var average: Double?
  var timescale: Int32?
  var gaps: Int?
}
