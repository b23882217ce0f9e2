import FoundationEssentials
import HealthModel

/// A sample that is being saved.
struct SampleRecord {
  var uuid: UUID
  var type: SampleType
  var start: Timestamp
  var end: Timestamp
  var sync: SyncIdentity?
}

/// The provenance of a sample: the rows of its session, source and device.
struct SampleOrigin: Hashable {
  var session: Int64?
  var source: Int64
  var device: Int64?
}

/// The columns of a sample's row that depend on its content.
struct SampleFigures: Hashable {
  /// The integer of kinds that consist of one, for instance a category's value.
  var value: Int64?
  var count = 1
  var sum: Double?
  var average: Double?
  /// Of what has a duration but no quantities: a workout's, without pauses. Microseconds.
  var duration: Int64?
  var summary: SeriesSummary?
}

/// A sample's row, as read for its kind.
struct SampleRow {
  var id: Int64
  var type: SampleType
  var start: Int64
  var end: Int64
  var figures: SampleFigures
}
