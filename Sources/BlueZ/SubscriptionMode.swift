/// The way in which the values of a characteristic come; each loses something else.
///
/// Source: BlueZ `doc/gatt-api.txt`, and what was seen of 5.66: a descriptor loses what the sensor sends before the
/// subscription is confirmed; signals lose what arrives together with the end of the link, and come once for every
/// subscribed program.
public enum SubscriptionMode: Hashable, Sendable {
  /// A descriptor of our own (AcquireNotify): every value once.
  case acquired
  /// Signals that we asked for (StartNotify), counted by ``EmissionCounter``.
  case started
  /// Signals that another program asked for; asking too would double each value for that program.
  case shared
}
