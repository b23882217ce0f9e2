/// Why no values come from a sensor although its link is up. Trying goes on in every case.
public enum SubscriptionFailure: Hashable, Sendable {
  /// The device has no such characteristic, or BlueZ's memory of it is stale.
  case characteristicMissing
  /// Another program holds the only descriptor.
  case acquiredElsewhere
  /// No answer within the limit: the sensor wants to be paired and no agent is there to do it.
  case unanswered
  /// The bus's policy forbids it.
  case accessDenied
  /// BlueZ refuses, with this D-Bus error name.
  case refused(name: String)
}
