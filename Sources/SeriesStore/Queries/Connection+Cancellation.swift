extension Connection {
  /// Throws where nobody waits for the answer any more; asked before each sample and each chunk.
  func checkCancellation() throws(StoreError) {
    guard Task.isCancelled else { return }
    throw StoreError(.cancelled, "the question was withdrawn before it was answered")
  }
}
