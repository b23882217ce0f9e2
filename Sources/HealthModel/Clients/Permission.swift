/// What a client may do with samples of a type. Each is granted by itself, as in HealthKit.
package enum Permission: String, Hashable, Sendable, CaseIterable {
  /// To save samples, and to replace and delete those that it saved itself.
  case share
  /// To read samples of every source.
  case read
}
