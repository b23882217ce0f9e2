extension HealthStore {
  /// Erases what an earlier deletion could not, because a reader was using it or the power failed. Returns false if there
  /// was nothing to do.
  ///
  /// A recorder calls it when it opens the store. Throws ``StoreError/Code/locked`` if a reader still uses the values.
  @discardableResult
  public func finishErasing() throws(StoreError) -> Bool {
    let erasure = Erasure(connection: try opened().connection)
    guard try erasure.isPending() else { return false }
    try erasure.finish()
    return true
  }
}
