import FoundationEssentials
import Sensors

/// A decoded line of a text capture or journal segment.
enum Record: Equatable {
  /// A session begins and has this slot.
  case session(slot: Int, CaptureHeader)
  /// A session of an earlier segment continues and has this slot.
  case resumes(slot: Int, CaptureHeader, RecordBuffer.Resumption)
  /// Somebody asked for the session.
  case requested(slot: Int, SessionRequest)
  case metadata(slot: Int, key: String, value: CaptureMetadataValue)
  case event(slot: Int, SensorEvent)
  /// A series of values that another program inserts.
  case series(slot: Int, ClientSeriesRecord)
  /// A live workout; its boots and clocks are events.
  case workout(slot: Int, WorkoutRecord)
  /// The store has the session.
  case committed(UUID)
  /// The records of the segment from the offset on, and of later segments up to this one, are repeated in this one.
  case rewrites(segment: Int, offset: Int)

  /// Whether it says whose the records of a slot are.
  var isName: Bool {
    switch self {
    case .session, .resumes, .series(_, .begin), .workout(_, .begin): true
    default: false
    }
  }
}
