import Clients
import DBus
import HealthModel
import Ingestion
import SeriesStore

// Who calls for the first time is asked for at the bus, and what its owner has decided is read, before the call is answered.

extension Door {
  /// How many connections may wait to be known, and how many calls of each.
  private static let mostArrivals = 64
  private static let mostCalls = 32

  /// A call has come.
  func receive(_ call: Message, of object: ServiceObject) {
    guard let name = call.sender else { return }
    if hasGrants, registry.knows(name), !arrivals.contains(where: { $0.name == name }) {
      return answer(call, of: object, from: name)
    }
    if let index = arrivals.firstIndex(where: { $0.name == name }) {
      guard arrivals[index].calls.count < Self.mostCalls else { return refuse(call, .limitsExceeded(.calls)) }
      return arrivals[index].calls.append(call)
    }
    guard arrivals.count < Self.mostArrivals else { return refuse(call, .limitsExceeded(.clients)) }
    arrivals.append((name, [call]))
    connection?.assumeIsolated {
      $0.follow(name) { [weak self] credentials in
        self?.assumeIsolated { $0.arrived(name, credentials) }
      }
    }
  }

  func refuse(_ call: Message, _ refusal: Refusal) {
    respond(to: call, .error(name: refusal.name, message: refusal.message))
  }

  /// The bus has told who a connection is; nil where it has gone.
  private func arrived(_ name: String, _ credentials: CallerCredentials?) {
    guard let index = arrivals.firstIndex(where: { $0.name == name }) else { return }
    guard let credentials else {
      arrivals.remove(at: index)
      connection?.assumeIsolated { $0.unfollow(name) }
      return
    }
    do throws(Refusal) {
      try registry.connected(name, uid: credentials.uid, groups: credentials.groups)
    } catch {
      for call in arrivals.remove(at: index).calls { refuse(call, error) }
      connection?.assumeIsolated { $0.unfollow(name) }
      return
    }
    settle()
    if hasGrants { return answerArrivals() }
    Task(executorPreference: loop) { await self.readGrants() }
  }

  /// A connection has gone.
  func gone(_ name: String) {
    guard registry.knows(name) || arrivals.contains(where: { $0.name == name }) else { return }
    connection?.assumeIsolated { $0.unfollow(name) }
    arrivals.removeAll { $0.name == name }
    requests = requests.filter { $0.value.sender != name }
    registry.gone(name)
    settle()
  }

  private func answerArrivals() {
    let known = arrivals.filter { registry.knows($0.name) }
    arrivals.removeAll { registry.knows($0.name) }
    for (name, calls) in known {
      for call in calls {
        guard let object = DoorInterfaces.objects.first(where: { $0.path == call.path })?.object else { continue }
        answer(call, of: object, from: name)
      }
    }
  }

  /// Follows the store while a client is connected: what another process decides takes effect at once.
  func followStore() {
    if registry.isEmpty {
      storeChanges?.cancel()
      storeChanges = nil
      hasGrants = false
    } else if storeChanges == nil {
      let events = recorder.events(.store, capacity: 1)
      storeChanges = Task(executorPreference: loop) { await self.follow(events) }
    }
  }

  private func follow(_ events: RecorderEvents) async {
    for await _ in events {
      guard !Task.isCancelled else { return }
      await readGrants()
    }
  }

  /// Reads what the owner has decided. Where that cannot be read, what was read last stays, callers that are new wait, and it is
  /// tried again.
  func readGrants() async {
    let grants: [Grant]
    do throws(StoreError) {
      grants = try await recorder.openStore?.grants() ?? []
      grantsProblem = nil
    } catch {
      if grantsProblem != error { settings.log(.error, "the grants of other programs cannot be read: \(error)") }
      grantsProblem = error
      return readGrantsLater()
    }
    let effects = registry.replaceDecisions(with: grants)
    hasGrants = !registry.isEmpty
    perform(effects)
    settle()
    answerArrivals()
  }

  /// One attempt waits at a time, and none while no client is connected.
  private func readGrantsLater() {
    guard !isReadingLater, !registry.isEmpty else { return }
    isReadingLater = true
    _ = loop.schedule(after: .seconds(2)) { [weak self] in
      self?.assumeIsolated { door in
        door.isReadingLater = false
        guard !door.isClosing, !door.registry.isEmpty else { return }
        Task(executorPreference: door.loop) { await door.readGrants() }
      }
    }
  }
}
