internal import DBus

extension Central {
  /// Asks, once for each adapter, for what BlueZ can filter by: a harmless call, where one with a filter of services may end
  /// bluetoothd.
  func askForFilters(of adapter: AdapterPath) {
    guard let owner = tree.owner, tree.adapters[adapter]?.filtersServices == nil, asked.insert(adapter).inserted
    else { return }
    call(adapter.object, ObjectTree.adapterInterface, "GetDiscoveryFilters") { central, result in
      guard central.tree.owner == owner, !central.isStopped else { return }
      central.apply(central.tree.setFiltersServices(Self.filtersServices(result), of: adapter))
    }
  }

  /// An answer with `AutoConnect` is of BlueZ 5.83 or later, of which the first ones call the text of `UUIDs` as if it were a
  /// function (upstream issue 2282). A version that does not know the method is an old one; one that does not answer may be any.
  static func filtersServices(_ answer: Result<Message, DBusError>) -> Bool {
    switch answer {
    case .success(let reply): reply.body.first?.strings?.contains("AutoConnect") != true
    case .failure(let error): BlueZRefusal(error) == .notSupported
    }
  }

  /// Whether a discovery of ours is after this device: what BlueZ may not filter is filtered here.
  func isWanted(_ device: Device) -> Bool {
    let adapter = device.path.adapter
    guard case .services(let services)? = discoveries[adapter]?.machine.wanted,
      tree.adapters[adapter]?.filtersServices != true
    else { return true }
    return device.services.contains { services.contains($0) }
  }

  func want(_ mode: DiscoveryMode?, on adapter: AdapterPath) {
    if discoveries[adapter] == nil {
      lastGeneration += 1
      discoveries[adapter] = (Discovery(), lastGeneration)
    }
    perform(discoveries[adapter]?.machine.want(mode) ?? [], on: adapter)
  }

  private func perform(_ actions: [Discovery.Action], on adapter: AdapterPath) {
    for action in actions {
      switch action {
      case .setFilter(let mode):
        var filter: [String: Value] = ["Transport": .string("le"), "DuplicateData": .boolean(false)]
        if case .services(let services) = mode, tree.adapters[adapter]?.filtersServices == true {
          filter["UUIDs"] = .strings(services.map(\.description))
        }
        callDiscovery("SetDiscoveryFilter", [.properties(filter)], on: adapter)
      case .start: callDiscovery("StartDiscovery", on: adapter)
      case .stop: callDiscovery("StopDiscovery", on: adapter)
      case .report(let state): publish(.discovery(adapter, state))
      }
    }
    if discoveries[adapter]?.machine.isStopping != true { callDeferred(on: adapter) }
  }

  /// The adapter was switched off or pulled out, and BlueZ has ended our discovery with it.
  func endDiscovery(on adapter: AdapterPath) {
    discoveries[adapter] = nil
    callDeferred(on: adapter)
  }

  /// `Discovering` turned false: where it stays so although ours was not stopped, BlueZ has ended it by itself (seen in
  /// public reports after a suspend, or a reset of the controller).
  func checkDiscovery(on adapter: AdapterPath) {
    guard let generation = discoveries[adapter]?.generation else { return }
    _ = connection.loop.schedule(after: Self.discoveryPause) { [weak self] in
      self?.assumeIsolated { central in
        guard central.discoveries[adapter]?.generation == generation, !central.isStopped,
          central.tree.adapters[adapter]?.isDiscovering == false
        else { return }
        central.perform(central.discoveries[adapter]?.machine.end() ?? [], on: adapter)
      }
    }
  }

  /// `Discovering` may be false for a moment: where a filter changes, or another program's discovery ends and ours begins.
  private static let discoveryPause = Duration.seconds(1)

  private func callDeferred(on adapter: AdapterPath) {
    for (peer, attempt) in attempts where peer.adapter == adapter && attempt.isDeferred {
      attempts[peer]?.isDeferred = false
      callConnect(peer)
    }
  }

  private func callDiscovery(_ member: String, _ body: [Value] = [], on adapter: AdapterPath) {
    let generation = discoveries[adapter]?.generation
    call(adapter.object, ObjectTree.adapterInterface, member, body) { central, result in
      guard central.discoveries[adapter]?.generation == generation, !central.isStopped else { return }
      let outcome = result.map { _ in () }.mapError { BlueZRefusal($0) }
      central.perform(central.discoveries[adapter]?.machine.handle(outcome) ?? [], on: adapter)
    }
  }
}
