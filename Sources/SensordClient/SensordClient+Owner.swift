import RecorderBus
package import DBus
import FoundationEssentials
package import HealthModel

/// The recorder's owner, as `sensord` is: calls that name no application. The recorder shows an owner the sessions and workouts of
/// all programs, and asks an owner what programs may do.
extension SensordClient {
  /// A client of the owner on a loop that is there already. The first call looks for the recorder; no call starts the service.
  package static func owner(on bus: Bus, loop: EventLoop) -> SensordClient {
    let signals = Signals()
    return SensordClient(Link(application: nil, bus: bus, loop: loop) { signals.note($0) }, bus, signals)
  }

  /// Whether a recorder runs that lets programs in.
  @concurrent package func isRunning() async -> Bool { (try? await link.open(starting: false)) != nil }

  /// The decisions about programs and the open requests, by client, type and permission.
  ///
  /// - Throws: ``ClientError/notAuthorized`` for a user who is no owner, and others.
  @concurrent package func grants() async throws(ClientError) -> [GrantEntry] {
    let answer = try await link.call(ClientInterfaces.grants, "List")
    return (answer.first?.array ?? []).compactMap { GrantEntry($0) }
  }

  /// Allows or denies types to a program.
  @concurrent package func decide(
    about client: ClientIdentity, share: [String], read: [String], isAllowed: Bool
  ) async throws(ClientError) {
    _ = try await link.call(
      ClientInterfaces.grants, "Decide",
      [
        .uint32(client.uid), .string(client.application), .strings(share), .strings(read), .boolean(isAllowed),
        .properties([:]),
      ])
  }

  /// Chooses among samples that are allowed one by one.
  @concurrent package func decide(_ choice: ObjectChoice) async throws(ClientError) {
    func names(_ ids: Set<UUID>) -> Value { .strings(ids.map { $0.uuidString.lowercased() }.sorted()) }
    _ = try await link.call(
      ClientInterfaces.grants, "DecideObjects",
      [
        .uint32(choice.client.uid), .string(choice.client.application), .string(choice.type), names(choice.allowed),
        names(choice.denied), .properties([:]),
      ])
  }

  /// Revokes decisions, all of a client's where no type is named, and returns their number.
  @concurrent package func revoke(
    _ client: ClientIdentity, share: [String], read: [String]
  ) async throws(ClientError) -> Int {
    let answer = try await link.call(
      ClientInterfaces.grants, "Revoke",
      [.uint32(client.uid), .string(client.application), .strings(share), .strings(read), .properties([:])])
    return answer.first?.integer ?? 0
  }

  /// The events of an owner who waits for requests.
  package enum RequestEvent: Hashable, Sendable {
    /// A recorder is there, perhaps another one than before.
    case came
    /// A program asks, perhaps again.
    case requested(ClientIdentity)
    case gone
  }

  /// Waits for requests, and for a recorder where there is none, until the task is cancelled.
  ///
  /// - Throws: ``ClientError/noBus(_:)`` at the beginning, ``ClientError/notAuthorized``, and others.
  @concurrent package func observeRequests(
    _ arrive: @escaping @Sendable (RequestEvent) -> Void
  ) async throws(ClientError) {
    let own = Link(application: nil, bus: bus, loop: link.loop) { event in
      switch event {
      case .lost: arrive(.gone)
      case .signal(let message):
        guard message.isSignal(ClientInterfaces.grants.name, "Requested"), let details = message.body.first?.properties,
          let uid = details["uid"]?.uint32, let application = details["application"]?.string
        else { return }
        arrive(.requested(ClientIdentity(uid: uid, application: application)))
      }
    }
    try await own.keep { link throws(ClientError) in
      // A connection that has asked is sent the signals.
      _ = try await link.call(ClientInterfaces.grants, "List")
      arrive(.came)
    }
  }

  /// The sessions that were asked for and are open, of all programs.
  @concurrent package func sessions() async throws(ClientError) -> [ClientSession] {
    try await sessions(at: try await link.objects(below: ClientInterfaces.sessions))
  }

  private func sessions(
    at paths: [ObjectPath], isolation: isolated (any Actor)? = #isolation
  ) async throws(ClientError) -> [ClientSession] {
    try await present(paths) { path throws(ClientError) in try await ClientSession(at: path, of: self) }
  }

  /// Begins a session of each sensor that measures and has none, all at one instant; they outlive this program.
  @concurrent package func beginSessions(metadata: Metadata) async throws(ClientError) -> [ClientSession] {
    let options: [String: Value] = ["endWithClient": .boolean(false), "metadata": metadata.value]
    let answer = try await link.call(ClientInterfaces.manager, "BeginSessions", [.properties(options)])
    guard let paths = answer.first?.objectPaths else { throw .unreadable }
    return try await sessions(at: paths)
  }

  /// Ends sessions at one instant, and returns when they are stored.
  @concurrent package func endSessions(_ sessions: [ClientSession]) async throws(ClientError) -> [ClientSession.Ended] {
    let answer = try await link.call(
      ClientInterfaces.manager, "EndSessions", [.objectPaths(sessions.map(\.path)), .properties([:])])
    guard let ended = answer.first?.array else { throw .unreadable }
    return try ended.map { (value) throws(ClientError) in try ClientSession.Ended(value) }
  }

  /// The objects at these paths that have not ended meanwhile.
  func present<Object>(
    _ paths: [ObjectPath], isolation: isolated (any Actor)? = #isolation,
    _ object: (ObjectPath) async throws(ClientError) -> Object
  ) async throws(ClientError) -> [Object] {
    var objects: [Object] = []
    for path in paths {
      do throws(ClientError) {
        objects.append(try await object(path))
      } catch {
        guard error == .ended else { throw error }
      }
    }
    return objects
  }
}

extension ClientSession {
  /// The path of its object on the bus.
  package var objectPath: String { path.text }
}

extension LiveWorkout {
  /// The path of its object on the bus.
  package var objectPath: String { path.text }
}
