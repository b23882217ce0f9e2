extension HealthStore {
  /// Erases what an earlier deletion could not, because a reader held on to it or the power went; false where nothing
  /// was left to do.
  ///
  /// A recorder does that when it opens the store; ``StoreError/Code/locked`` where a reader holds on still.
  @discardableResult
  public func finishErasing() throws(StoreError) -> Bool {
    let erasure = Erasure(connection: try opened().connection)
    guard try erasure.isPending() else { return false }
    try erasure.finish()
    return true
  }
}
