extension SimulatedHost {
  /// bluetoothd gets a process signal or is started.
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
      // Any of these events may freeze bluetoothd again.
      for event in missed { report(event) }
    case .start where daemon == .absent: startDaemon()
    default: break
    }
  }

  /// After SIGTERM: the adapters lose their power, then every object is removed, then the name.
  private mutating func withdrawEverything() {
    for strap in straps.indices where straps[strap].link != nil { endLink(strap, reason: 0x15, reports: false) }
    let shown = adapters.indices.filter { adapters[$0].isVisible }
    for adapter in shown {
      for strap in adapters[adapter].devices.keys.sorted() {
        showDisconnected(DeviceKey(adapter: adapter, strap: strap))
      }
      change(adapter: adapter, ["Powered": .bool(false), "Discovering": .bool(false)])
    }
    withdraw("/org/bluez", interfaces(of: .daemon).keys.filter { $0.hasPrefix("org.bluez") }.sorted())
    for adapter in shown {
      let kept = adapters[adapter].devices.filter { !$0.value.isTemporary }.mapValues(\.stored)
      for strap in adapters[adapter].devices.keys.sorted() { removeObjects(DeviceKey(adapter: adapter, strap: strap)) }
      withdrawAdapter(adapter)
      adapters[adapter].devices = kept
    }
  }

  /// The process ends: its descriptors are closed, pending calls are never answered, and the kernel holds the links for
  /// a while, on which the straps go on sending.
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
      adapters[adapter].isDiscoveryStuck = false
      adapters[adapter].isDiscoveryHalted = false
    }
    agents = []
    questions = [:]
    effects.append(.leaveBus)
    for strap in straps.indices where straps[strap].link != nil {
      enter(AirEvent.endLink(strap, link: straps[strap].linkNumber, reason: 0x13), in: Delay.orphanedLink)
    }
  }

  /// The name is owned before the adapters appear.
  private mutating func startDaemon() {
    daemon = .running
    effects.append(.joinBus)
    announce("/org/bluez", .daemon)
    for adapter in adapters.indices where adapters[adapter].isPlugged {
      adapters[adapter].isPowered = true
      enter(DaemonEvent.adapterAppears(adapter), in: Delay.adapterAfterStart)
    }
  }
}

extension SimulatedHost {
  /// Handles an event that bluetoothd learns of.
  mutating func handle(_ event: DaemonEvent) {
    switch event {
    case .advertisement(let key): hear(key)
    case .linkUp(let key, let link): linkUp(key, link: link)
    case .linkFailed(let key, let failure): linkFailed(key, failure)
    case .linkDown(let key, let link, let reason): linkDown(key, link: link, reason: reason)
    case .connectTimeout(let key): connectTimedOut(key)
    case .resolve(let key, let link): resolve(key, link: link)
    case .exportServices(let key, let link): exportServices(key, link: link)
    case .connectReply(let key, let link): if self[key]?.link == link { answerConnect(key) }
    case .configured(let key, let link, let handle, let accepted):
      configured(key, link: link, handle: handle, accepted: accepted)
    case .startNotifyReply(let token): answer(token)
    case .value(let key, let link, let uuid, let bytes, let number):
      receive(key, link: link, uuid: uuid, bytes, number: number)
    case .emit(let key, let link, let handle, let bytes, let number):
      emit(key, link: link, handle: handle, bytes, number: number)
    case .readReply(let key, let link, let handle, let isDescriptor, let token):
      readReply(key, link: link, handle: handle, isDescriptor: isDescriptor, token)
    case .writeReply(let key, let link, let handle, let bytes, let token):
      writeReply(key, link: link, handle: handle, bytes, token)
    case .batteryLevel(let key, let link, let percent): batteryChanged(key, link: link, percent)
    case .serviceChanged(let key, let link): serviceChanged(key, link: link)
    case .encryptionNeeded(let key, let link): demandPairing(key, link: link)
    case .paired(let key, let link, let accepted): paired(key, link: link, accepted: accepted)
    case .expire(let key): expire(key)
    case .adapterAppears(let adapter): adapterAppears(adapter)
    case .adapterPowered(let adapter): adapterPowered(adapter)
    case .adapterPulled(let adapter): adapterPulled(adapter)
    case .input(let input): handle(input)
    }
  }

  private mutating func handle(_ input: Input) {
    switch input {
    case .call(let call): self.call(call)
    case .clientLeft(let sender): clientLeft(sender)
    case .pipeClosed(let pipe): pipeClosed(pipe)
    case .agentAnswered(let question, let reply): agentAnswered(question, reply)
    case .time, .item: break
    }
  }
}
