/// The people whose recorder it is: they may do everything, and decide about clients.
package struct Owners: Hashable, Sendable {
  /// The user that the recorder runs as.
  package var uid: UInt32
  /// The group whose members own the service's recorder; nil for a person's own.
  package var group: UInt32?

  package init(uid: UInt32, group: UInt32? = nil) {
    self.uid = uid
    self.group = group
  }

  /// Whether a user is one of them, as the bus vouches for it and for the groups that its connection had when it connected.
  /// Root always is.
  package func include(uid: UInt32, groups: [UInt32]) -> Bool {
    uid == 0 || uid == self.uid || group.map(groups.contains) ?? false
  }
}
