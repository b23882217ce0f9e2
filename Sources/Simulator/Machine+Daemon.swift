extension Machine {
  /// bluetoothd gets a signal or is started.
  mutating func signal(_ action: MachineEvent.DaemonAction) {
    switch action {
    case .terminate where daemon != .absent:
      withdrawEverything()
      leave()
    case .kill where daemon != .absent: leave()
    case .stop where daemon == .running: daemon = .frozen
    case .proceed where daemon == .frozen:
      daemon = .running
      let missed = backlog
      backlog = []
      // One of them may freeze it again.
      for event in missed { tell(event) }
    case .start where daemon == .absent: startDaemon()
    default: break
    }
  }

  /// What SIGTERM brings: every object goes before the name does.
  private mutating func withdrawEverything() {
    for adapter in adapters.indices where adapters[adapter].isVisible {
      for strap in adapters[adapter].devices.keys.sorted() {
        let key = DeviceKey(adapter: adapter, strap: strap)
        guard let device = self[key] else { continue }
        for subscription in device.subscriptions.values {
          if let pipe = subscription.pipe { effects.append(.close(pipe)) }
        }
        self[key]?.subscriptions = [:]
        removeBattery(key)
        for service in device.layout?.exported ?? [] { withdraw(key, service) }
        withdraw(path(key), "org.bluez.Device1")
        self[key]?.layout = nil
      }
      withdraw(adapters[adapter].path, "org.bluez.Adapter1")
    }
    effects.append(.interfacesRemoved(path: "/org/bluez", ["org.bluez.AgentManager1", "org.bluez.ProfileManager1"]))
  }

  /// The process is gone: its descriptors are closed, pending calls are never answered, and the kernel keeps the links for
  /// a while, into which the straps go on sending.
  private mutating func leave() {
    daemon = .absent
    backlog = []
    agenda.strike { if case .daemon = $0 { true } else { false } }
    for adapter in adapters.indices {
      for device in adapters[adapter].devices.values {
        for subscription in device.subscriptions.values {
          if let pipe = subscription.pipe { effects.append(.close(pipe)) }
        }
      }
      adapters[adapter].devices = adapters[adapter].devices.filter { !$0.value.isTemporary }.mapValues { $0.stored }
      adapters[adapter].sessions = []
      adapters[adapter].filters = [:]
      adapters[adapter].attempts = []
      adapters[adapter].linking = nil
      for waiting in adapters[adapter].withoutRoom.values { agenda.strike(waiting) }
      adapters[adapter].withoutRoom = [:]
      adapters[adapter].isVisible = false
    }
    agents = []
    questions = [:]
    effects.append(.leaveBus)
    for strap in straps.indices where straps[strap].link != nil {
      enter(AirEvent.endLink(strap, link: straps[strap].linkNumber, reason: 0x13), in: Delay.orphanedLink)
    }
  }

  /// The name comes before the adapters do.
  private mutating func startDaemon() {
    daemon = .running
    effects.append(.joinBus)
    for adapter in adapters.indices where adapters[adapter].isPlugged {
      enter(DaemonEvent.adapterAppears(adapter), in: Delay.adapterAfterStart)
    }
  }
}
