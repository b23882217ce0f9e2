import DBus
import Documents
import HealthModel
import Reports
import SensordClient
import SeriesStore

/// The place where `sensord grants` reads and changes the permissions of other programs: the running recorder, which knows the
/// open requests and applies every change at once, or else the store.
enum GrantAccess {
  case recorder(SensordClient)
  case store(HealthStore)

  /// The recorder whose door is open, unless a store is named; a recorder of that store notices the change by itself.
  @concurrent static func find(_ options: StoreOptions, making: Bool, on loop: EventLoop) async throws -> GrantAccess {
    if options.path == nil, let recorder = try await RunningRecorder.find(on: loop) { return .recorder(recorder) }
    return .store(try options.openToWrite(making: making))
  }

  /// The same for reading only; nil where nothing was recorded yet.
  @concurrent static func findToRead(_ options: StoreOptions, on loop: EventLoop) async throws -> GrantAccess? {
    if options.path == nil, let recorder = try await RunningRecorder.find(on: loop) { return .recorder(recorder) }
    return try options.openToRead().map { .store($0) }
  }

  /// The decisions and the open requests, by client, type and permission.
  @concurrent func entries() async throws -> [GrantEntry] {
    switch self {
    case .recorder(let recorder): return try await Self.asOwner { try await recorder.grants() }
    case .store(let store):
      let objects = try await store.objectGrants().map { GrantEntry($0) }
      return try await store.grants().map { GrantEntry($0) } + objects
    }
  }

  /// Decides: `grants` are about one client, and all allowed or all denied.
  @concurrent func decide(_ grants: [Grant]) async throws {
    switch self {
    case .recorder(let recorder):
      guard let first = grants.first else { return }
      func types(_ permission: Permission) -> [String] { grants.filter { $0.permission == permission }.map(\.type) }
      try await Self.asOwner {
        try await recorder.decide(
          about: first.client, share: types(.share), read: types(.read), isAllowed: first.decision == .allowed)
      }
    case .store(let store): try await store.decide(grants)
    }
  }

  /// Chooses among samples that are allowed one by one.
  @concurrent func decide(_ choice: ObjectChoice) async throws {
    switch self {
    case .recorder(let recorder): try await Self.asOwner { try await recorder.decide(choice) }
    case .store(let store): try await store.decide(choice)
    }
  }

  /// Revokes decisions, all of a client's where no type is named, and returns their number.
  @concurrent func revoke(_ client: ClientIdentity, share: [String], read: [String]) async throws -> Int {
    switch self {
    case .recorder(let recorder):
      return try await Self.asOwner { try await recorder.revoke(client, share: share, read: read) }
    case .store(let store): return try await store.revoke(client, share: share, read: read)
    }
  }

  @concurrent private static func asOwner<Value: Sendable>(
    _ body: @concurrent () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch ClientError.notAuthorized { throw notOwner }
  }

  static let notOwner = CommandFailure(
    .permission, "only the recorder's owner decides about other programs",
    remedy: "use sudo, or join the group sensord")
}
