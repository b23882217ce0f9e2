import RecorderBus

internal import DBus
internal import Documents
internal import Door
internal import FoundationEssentials
internal import HealthModel
internal import Reports
internal import SeriesStore

/// The place where `sensord grants` reads and changes the permissions of other programs: the running recorder, which knows the
/// open requests and applies every change at once, or else the store.
enum GrantAccess {
  case recorder(Connection)
  case store(HealthStore)

  /// The recorder whose door is open, unless a store is named; a recorder of that store notices the change by itself.
  @concurrent static func find(_ options: StoreOptions, making: Bool, on loop: EventLoop) async throws -> GrantAccess {
    if options.path == nil, let connection = try await door(on: loop) { return .recorder(connection) }
    return .store(try options.openToWrite(making: making))
  }

  /// The same for reading only; nil where nothing was recorded yet.
  @concurrent static func findToRead(_ options: StoreOptions, on loop: EventLoop) async throws -> GrantAccess? {
    if options.path == nil, let connection = try await door(on: loop) { return .recorder(connection) }
    return try options.openToRead().map { .store($0) }
  }

  /// The decisions and the open requests, by client, type and permission.
  @concurrent func entries() async throws -> [GrantEntry] {
    switch self {
    case .recorder(let connection):
      let answer = try await Self.call(connection, "List", [])
      return (answer.first?.array ?? []).compactMap { $0.properties.flatMap { GrantEntry(reading: $0) } }
    case .store(let store):
      let objects = try await store.objectGrants().map { GrantEntry($0) }
      return try await store.grants().map { GrantEntry($0) } + objects
    }
  }

  /// Decides: `grants` are about one client, and all allowed or all denied.
  @concurrent func decide(_ grants: [Grant]) async throws {
    switch self {
    case .recorder(let connection):
      guard let first = grants.first else { return }
      _ = try await Self.call(
        connection, "Decide",
        [
          .uint32(first.client.uid), .string(first.client.application),
          .strings(grants.filter { $0.permission == .share }.map(\.type)),
          .strings(grants.filter { $0.permission == .read }.map(\.type)),
          .boolean(first.decision == .allowed), .properties([:]),
        ])
    case .store(let store): try await store.decide(grants)
    }
  }

  /// Chooses among samples that are allowed one by one.
  @concurrent func decide(_ choice: ObjectChoice) async throws {
    switch self {
    case .recorder(let connection):
      _ = try await Self.call(connection, "DecideObjects", Self.arguments(of: choice))
    case .store(let store): try await store.decide(choice)
    }
  }

  /// The arguments of `Grants1.DecideObjects`.
  static func arguments(of choice: ObjectChoice) -> [Value] {
    func names(_ ids: Set<UUID>) -> Value { .strings(ids.map { $0.uuidString.lowercased() }.sorted()) }
    return [
      .uint32(choice.client.uid), .string(choice.client.application), .string(choice.type), names(choice.allowed),
      names(choice.denied), .properties([:]),
    ]
  }

  /// Revokes decisions, all of a client's where no type is named, and returns their number.
  @concurrent func revoke(_ client: ClientIdentity, share: [String], read: [String]) async throws -> Int {
    switch self {
    case .recorder(let connection):
      let answer = try await Self.call(
        connection, "Revoke",
        [
          .uint32(client.uid), .string(client.application), .strings(share), .strings(read), .properties([:]),
        ])
      return answer.first?.integer ?? 0
    case .store(let store): return try await store.revoke(client, share: share, read: read)
    }
  }

  /// A connection to the bus on which a recorder's door is open; nil where no door is open.
  @concurrent static func door(on loop: EventLoop) async throws -> Connection? {
    guard let bus = try bus() else { return nil }
    do throws(DBusError) {
      let connection = try await Connection.open(bus, on: loop, timeout: .seconds(5))
      if try await connection.nameOwner(of: ClientInterfaces.busName) != nil { return connection }
      await connection.close()
    } catch {
      // Without a bus there is still the store.
    }
    return nil
  }

  /// The bus on which the door of this person's recorder, or of the service, would be; nil without such a bus.
  static func bus() throws -> BusAddress? {
    let location = try StoreLocation.forCommands(option: nil, environment: .current)
    if location.path == StoreLocation.servicePath { return .system }
    return DoorPlace.hasSessionBus(.current) ? .session : nil
  }

  @concurrent private static func call(_ connection: Connection, _ member: String, _ body: [Value]) async throws
    -> [Value]
  {
    do throws(DBusError) {
      return try await ask(connection, ClientInterfaces.grants, member, body)
    } catch {
      throw refusesAll(error) ? notOwner : error
    }
  }

  /// Calls a method of the root; it does not start a recorder.
  @concurrent static func ask(
    _ connection: Connection, _ interface: Interface, _ member: String, _ body: [Value]
  ) async throws(DBusError) -> [Value] {
    var message = Message.call(
      ClientInterfaces.busName, path: ClientInterfaces.root, interface: interface.name, member: member, body: body)
    message.noAutoStart = true
    return try await connection.call(message).body
  }

  /// Whether the recorder, or the policy of the bus, admits owners only.
  static func refusesAll(_ error: DBusError) -> Bool {
    error.name == Refusal.notAuthorized.name || error.isAccessDenied
  }

  static let notOwner = CommandFailure(
    .permission, "only the recorder's owner decides about other programs",
    remedy: "use sudo, or join the group sensord")
}

extension GrantEntry {
  /// Reads the properties of one entry of the answer of `Grants1.List`.
  init?(reading properties: [String: Value]) {
    guard let uid = properties["uid"]?.uint32, let application = properties["application"]?.string,
      let type = properties["type"]?.string,
      let permission = properties["permission"]?.string.flatMap({ Permission(rawValue: $0) })
    else { return nil }
    self.init(
      client: ClientIdentity(uid: uid, application: application), type: type, permission: permission,
      decision: Grant.Decision(rawValue: properties["decision"]?.string ?? ""),
      decided: properties["decided_us"]?.int64.map { Timestamp(microseconds: $0) },
      isConfigured: properties["configured"]?.boolean ?? false)
    isByObject = properties["by_object"]?.boolean ?? false
    object = properties["object"]?.string.flatMap { UUID(uuidString: $0) }.map { id in
      RequestedObject(
        id: id, start: properties["start_us"]?.int64.map { Timestamp(microseconds: $0) },
        source: properties["source"]?.string, title: properties["title"]?.string)
    }
  }
}
