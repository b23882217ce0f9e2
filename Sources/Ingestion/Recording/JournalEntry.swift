import Captures
import FoundationEssentials
import Sensors

/// Events that the journal is to keep of one sensor.
enum JournalEntry: Hashable, Sendable {
  /// A session begins with these events; `linkedTo` is the session that it goes on from, `request` says who asked for it.
  case beginning(of: UUID, linkedTo: UUID?, request: OpenRequest? = nil, events: [SensorEvent])
  /// The usual case: one event of a session, and nothing is owed.
  case event(SensorEvent, of: UUID)
  /// Events of a session that come after what the journal is owed of it.
  case events([SensorEvent], of: UUID)

  var events: [SensorEvent] {
    switch self {
    case .event(let event, _): [event]
    case .beginning(_, _, _, let events), .events(let events, _): events
    }
  }

  /// The session that it is of.
  var session: UUID {
    switch self {
    case .beginning(let session, _, _, _), .event(_, let session), .events(_, let session): session
    }
  }
}
