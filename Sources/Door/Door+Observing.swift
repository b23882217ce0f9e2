import Clients
import DBus
import Ingestion
import SeriesStore

/// What follows the store for one connection that observes it.
final class ChangeObserver {
  let observation: Observation
  var task: Task<Void, Never>?
  /// Changes from now on are seen.
  var isFollowing = false

  init(_ observation: Observation) {
    self.observation = observation
  }
}

extension Door {
  /// Answers `Observe` when changes are followed: what is saved after the answer is not missed.
  func answerObserve(_ call: ClientCall) {
    followChanges()
    if let observer = observers[call.sender], !observer.isFollowing {
      observeCalls[call.sender, default: []].append(call)
    } else {
      respond(to: call, .success)
    }
  }

  /// Follows changes of the store for those who observe them, each by itself: what one may not read does not wake it.
  func followChanges() {
    let wanted = registry.observations
    for (name, observer) in observers where wanted[name] != observer.observation {
      observer.task?.cancel()
      observers[name] = nil
    }
    for (name, observation) in wanted where observers[name] == nil {
      let observer = ChangeObserver(observation)
      observers[name] = observer
      observer.task = Task(executorPreference: loop) { await self.follow(observation, for: name) }
    }
    // What a later call undid, or a decision of the owner's, was done all the same.
    for name in observeCalls.keys where observers[name] == nil { answerObserveCalls(of: name, .success) }
  }

  private func answerObserveCalls(of name: String, _ reply: Reply) {
    for call in observeCalls.removeValue(forKey: name) ?? [] { respond(to: call, reply) }
  }

  private func follow(_ observation: Observation, for name: String) async {
    let signals = await recorder.openStore?.changeSignals { observation.concerns($0) }
    guard !Task.isCancelled else { return }
    guard let signals else {
      // The next call tries again.
      observers[name] = nil
      return answerObserveCalls(of: name, StoreError(.closed, "the recorder is not ready").reply)
    }
    observers[name]?.isFollowing = true
    answerObserveCalls(of: name, .success)
    for await _ in signals {
      guard !Task.isCancelled else { return }
      perform(registry.storeChanged(for: name))
    }
  }
}
