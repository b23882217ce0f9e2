extension HealthStore {
  /// Wakes live queries for changes by other connections; for programs that watch the files themselves. A store opened
  /// `observing` needs no call.
  ///
  /// Every commit sets the times of the store's file afterwards (inotify: `IN_ATTRIB`). Returns whether there was a change.
  @discardableResult
  public func noticeChanges() throws(StoreError) -> Bool {
    let version = try opened().connection.dataVersion()
    guard version != knownDataVersion else { return false }
    knownDataVersion = version
    notifyListeners()
    return true
  }

  /// Called on the store's thread when the file was touched.
  func fileWasTouched() {
    guard let observation, observation.drainEvents(), let file = try? opened() else { return }
    do throws(StoreError) {
      if access == .reading, file.isStandstill || file.connection.hasMoved {
        try followPlace(observation)
      } else {
        try noticeChanges()
      }
    } catch {
      // The next query reports it.
      if error.needsPerson { fail(error) }
      listeners.signalAll()
    }
  }

  /// Switches to the file that is at the path now. If there is none, or no complete one, the old file stays open until
  /// there is.
  private func followPlace(_ observation: StoreObservation) throws(StoreError) {
    // First, so that nothing from now on is missed.
    try observation.watchFolder()
    while true {
      let found: StoreFile
      do throws(StoreError) {
        found = try StoreFile(path, for: .reading, mode: 0, types: types, limit: limit)
        try found.verifyStructure()
      } catch {
        if error.needsPerson { throw error }
        return
      }
      try observation.watchFile()
      guard !found.connection.hasMoved else {
        try observation.watchFolder()
        continue
      }
      return try adopt(found)
    }
  }
}

extension StoreError {
  /// Whether waiting for the next event will not resolve the error.
  fileprivate var needsPerson: Bool {
    switch code {
    case .cannotObserve, .newerVersion: true
    default: false
    }
  }
}
