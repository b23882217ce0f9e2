package import HealthModel
package import SeriesStore

extension HealthStore {
  /// Removes decisions about a client: those about these types, or all where none is named.
  ///
  /// - Returns: How many there were.
  package func revoke(
    _ client: ClientIdentity, share: [String], read: [String]
  ) throws(StoreError) -> Int {
    guard !share.isEmpty || !read.isEmpty else { return try revoke(client) }
    var count = 0
    for type in share { count += try revoke(client, type: type, permission: .share) }
    for type in read { count += try revoke(client, type: type, permission: .read) }
    return count
  }
}
