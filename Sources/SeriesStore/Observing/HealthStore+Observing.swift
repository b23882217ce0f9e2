extension HealthStore {
  /// Tells the live queries about what other connections have written; for a program that watches the files itself. A store that
  /// was opened `observing` needs no call.
  ///
  /// Whoever commits sets the times of the store's file afterwards (inotify: `IN_ATTRIB`). Returns whether there was anything new.
  @discardableResult
  public func noticeChanges() throws(StoreError) -> Bool {
    let version = try opened().connection.dataVersion()
    guard version != knownDataVersion else { return false }
    knownDataVersion = version
    signalChanges()
    return true
  }

  /// Called on the store's thread when the file was touched.
  func fileWasTouched() {
    guard let observation, observation.takeEvents(), let file = try? opened() else { return }
    do throws(StoreError) {
      if access == .reading, file.isStandstill || file.connection.hasMoved {
        try followPlace(observation)
      } else {
        try noticeChanges()
      }
    } catch {
      // Who asks next hears of it.
      if error.needsPerson { fail(error) }
      listeners.signalAll()
    }
  }

  /// Goes on with the file that is at the path now; where there is none, or none that is whole, the old one stays until there is.
  private func followPlace(_ observation: StoreObservation) throws(StoreError) {
    // First, so that nothing that happens from now on is missed.
    try observation.watchFolder()
    while true {
      let found: StoreFile
      do throws(StoreError) {
        found = try StoreFile(path, for: .reading, mode: 0, types: types)
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
  /// Whether waiting for the next event does not mend it.
  fileprivate var needsPerson: Bool {
    switch code {
    case .cannotObserve, .newerVersion: true
    default: false
    }
  }
}
