extension Connection {
  /// Throws if the query was cancelled; called before each sample and each chunk.
  func checkCancellation() throws(StoreError) {
    guard Task.isCancelled else { return }
    throw StoreError(.cancelled, "the question was withdrawn before it was answered")
  }
}
