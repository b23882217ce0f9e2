import FoundationEssentials
import Sensors

/// One line of a text capture or journal segment, understood.
enum Record: Equatable {
  /// A session opens under this slot.
  case session(slot: Int, CaptureHeader)
  /// A session that an earlier segment opened goes on under this slot.
  case resumes(slot: Int, CaptureHeader, RecordBuffer.Resumption)
  case metadata(slot: Int, key: String, value: CaptureMetadataValue)
  case event(slot: Int, SensorEvent)
  /// A series of values that another program inserts.
  case series(slot: Int, ClientSeriesRecord)
  /// The store has the session.
  case committed(UUID)
  /// What stands in the segment from the offset on, and in those after it up to this one, stands in this one again.
  case rewrites(segment: Int, offset: Int)
}
