import Captures
import FoundationEssentials
import Sensors

/// What the journal is to keep of one sensor, in one write: all of it or nothing.
enum JournalEntry: Hashable, Sendable {
  /// A session begins with these events; `linkedTo` is the session that it goes on from, `request` says who asked for it.
  case beginning(of: UUID, linkedTo: UUID?, request: OpenRequest? = nil, events: [SensorEvent])
  /// The usual case: one event of the open session, and nothing is owed.
  case event(SensorEvent, of: UUID)
  /// What the journal is owed of the session since it refused, and the events that come after that.
  case events(owed: [SensorEvent], then: [SensorEvent], of: UUID)
}
