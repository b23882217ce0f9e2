/// Looks for devices on one adapter: pure. One call at a time, since BlueZ refuses a second one while the first is pending.
struct Discovery: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    /// SetDiscoveryFilter, StartDiscovery or StopDiscovery, each answered by ``Discovery/handle(_:)``.
    case setFilter(DiscoveryMode)
    case start
    case stop
    case report(DiscoveryState)
  }

  private enum State: Hashable {
    case stopped
    case filtering
    case starting
    case running
    /// Another filter is set while it runs: one call, where to stop and to start again are three.
    case refiltering
    case stopping
    /// Ends a discovery of ours that BlueZ believes to be running, before the second attempt.
    case clearing
  }

  private(set) var wanted: DiscoveryMode?
  private var state = State.stopped
  /// The mode that the filter was set to.
  private var mode: DiscoveryMode?
  private var hasCleared = false

  /// Whether a scan of ours is going to end: some adapters refuse to connect before it has.
  var isStopping: Bool { wanted == nil && state != .stopped }

  /// Whether BlueZ looks on our behalf, or is about to.
  var isActive: Bool { state != .stopped }

  mutating func want(_ mode: DiscoveryMode?) -> [Action] {
    wanted = mode
    hasCleared = false
    return reconcile()
  }

  /// The call that was made last has been answered.
  mutating func handle(_ result: Result<Void, BlueZRefusal>) -> [Action] {
    switch (state, result) {
    case (.filtering, .success):
      state = .starting
      return [.start]
    case (.starting, .success):
      state = .running
      return wanted == nil ? reconcile() : [.report(.running)] + reconcile()
    case (.refiltering, .success):
      state = .running
      return reconcile()
    case (.refiltering, .failure):
      state = .stopping
      return [.stop]
    case (.starting, .failure(.inProgress)) where !hasCleared:
      hasCleared = true
      state = .clearing
      return [.stop]
    case (.filtering, .failure(let refusal)), (.starting, .failure(let refusal)):
      state = .stopped
      guard wanted != nil else { return [.report(.stopped)] }
      wanted = nil
      return [.report(.refused(name: refusal.name))]
    case (.stopping, _):
      // Refused where there is none any more.
      state = .stopped
      return wanted == nil ? [.report(.stopped)] : reconcile()
    case (.clearing, _):
      state = .stopped
      return reconcile()
    case (.stopped, _), (.running, _):
      return []
    }
  }

  /// Handles that BlueZ has ended the search by itself, according to its `Discovering`: the search has to be wanted
  /// anew.
  mutating func end() -> [Action] {
    guard state == .running else { return [] }
    wanted = nil
    state = .stopped
    return [.report(.stopped)]
  }

  private mutating func reconcile() -> [Action] {
    switch state {
    case .stopped:
      guard let wanted else { return [] }
      state = .filtering
      mode = wanted
      return [.setFilter(wanted)]
    case .running where wanted != mode:
      guard let wanted else {
        state = .stopping
        return [.stop]
      }
      state = .refiltering
      mode = wanted
      return [.setFilter(wanted)]
    case .running, .refiltering, .filtering, .starting, .stopping, .clearing:
      return []
    }
  }
}

/// The devices that discovery reports.
public enum DiscoveryMode: Hashable, Sendable {
  /// Devices that advertise one of these services: as BlueZ filters them or, where it must not be asked to
  /// (``Adapter/filtersServices``), as the central does.
  case services([BluetoothUUID])
  /// Every Low Energy device: some sensors advertise nothing but their name.
  case everything
}

/// Whether an adapter looks for devices on our behalf.
public enum DiscoveryState: Hashable, Sendable {
  case running
  case stopped
  /// BlueZ refuses, with this D-Bus error name; trying goes on. `org.bluez.Error.InProgress` for long means that
  /// only a restart of bluetoothd helps.
  case refused(name: String)
}
