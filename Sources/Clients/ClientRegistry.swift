import FoundationEssentials
package import HealthModel
package import Sensors

/// Every client that is connected, and what it may have: the judge of the daemon's door. Pure.
///
/// Each thing that can happen is a method; it changes the value and returns what is to be done. A connection is named by its
/// unique name on the bus. Time is a parameter, in the boot clock; only ``deadline`` needs a timer.
package struct ClientRegistry {
  let owners: Owners
  package let limits: ClientLimits
  /// Returns whether an identifier is a type; `heartbeatSeries` always is one.
  let isType: @Sendable (String) -> Bool
  var clients: [String: ConnectedClient] = [:]
  /// In the order in which they connected, so that what is done is the same each time.
  package private(set) var names: [String] = []
  var decisions: Decisions
  private var budget: CallBudget
  var sensors: [SensorAddress: LiveSensor] = [:]
  /// Objects that clients have begun and not ended.
  var objects: [UUID: ClientObject] = [:]
  var lastQuery: UInt64 = 0
  /// The number of files of each user that are being attached.
  var attaching: [UInt32: Int] = [:]
  /// A number that changes whenever permissions to read, or observations, may have changed.
  package internal(set) var revision = 0

  /// - Parameters:
  ///   - owners: The owners of the recorder.
  ///   - inAdvance: The configuration's decisions about clients.
  ///   - limits: The limits for clients.
  ///   - isType: Whether an identifier is a type's.
  package init(
    owners: Owners, inAdvance: [Grant] = [], limits: ClientLimits = ClientLimits(),
    isType: @escaping @Sendable (String) -> Bool
  ) {
    self.owners = owners
    self.limits = limits
    self.isType = isType
    decisions = Decisions(inAdvance: inAdvance)
    budget = CallBudget(limits)
  }

  /// Whether nobody is connected, and nothing of a client goes on.
  package var isEmpty: Bool { clients.isEmpty && objects.isEmpty }

  /// A connection has called for the first time.
  ///
  /// - Parameters:
  ///   - name: Its unique name.
  ///   - uid: Its user, as the bus vouches for it.
  ///   - groups: The groups that it had when it connected.
  /// - Throws: ``Refusal/limitsExceeded(_:)``.
  package mutating func connected(_ name: String, uid: UInt32, groups: [UInt32]) throws(Refusal) {
    guard clients[name] == nil else { return }
    guard clients.count < limits.clients else { throw .limitsExceeded(.clients) }
    guard clients.values.count(where: { $0.uid == uid }) < limits.connectionsOfUser else {
      throw .limitsExceeded(.connections)
    }
    clients[name] = ConnectedClient(
      uid: uid, isOwnersUser: owners.include(uid: uid, groups: groups), limits: limits)
    names.append(name)
  }

  /// A connection has gone: what it had and waited for goes with it, and what was to end with it ends.
  package mutating func gone(_ name: String) -> [Effect] {
    guard clients.removeValue(forKey: name) != nil else { return [] }
    revision += 1
    names.removeAll { $0 == name }
    return endWhatEnds(with: name)
  }

  /// Whether a connection is known here.
  package func knows(_ name: String) -> Bool { clients[name] != nil }

  /// A connection calls at `now`; every call begins with this.
  ///
  /// - Throws: ``Refusal/limitsExceeded(_:)`` where it, its application or its user calls too often.
  /// - Returns: The effects of the call itself: values are sent again to a subscriber that calls.
  package mutating func called(_ name: String, at now: BootInstant) throws(Refusal) -> [Effect] {
    guard clients[name]?.calls.take(at: now) == true, let client = clients[name], budget.take(for: client, at: now)
    else { throw .limitsExceeded(.calls) }
    return clients[name]?.reception.called(at: now) == true ? states(for: name, at: now) : []
  }

  /// When ``timeReached(_:)`` has to be called; nil while nothing happens by itself.
  package var deadline: BootInstant? {
    var first: BootInstant?
    func consider(_ instant: BootInstant?) {
      if let instant, first.map({ instant < $0 }) ?? true { first = instant }
    }
    for client in clients.values { for request in client.requests { consider(request.call?.until) } }
    for sensor in sensors.values { consider(sensor.staleAt) }
    return first
  }

  /// The time is `now`: requests that waited too long are answered, sensors without values are stale.
  package mutating func timeReached(_ now: BootInstant) -> [Effect] {
    giveUpWaiting(at: now) + findStale(at: now)
  }

  /// Returns a sum over all connections of an application of a user.
  func count(of client: ClientIdentity, _ part: (ConnectedClient) -> Int) -> Int {
    clients.values.reduce(0) { $0 + ($1.identity == client ? part($1) : 0) }
  }

  /// Returns a sum over all connections of a user.
  func count(ofUser uid: UInt32, _ part: (ConnectedClient) -> Int) -> Int {
    clients.values.reduce(0) { $0 + ($1.uid == uid ? part($1) : 0) }
  }
}

/// A connection of the bus that has called: who it is, what it waits for and what it gets.
struct ConnectedClient {
  let uid: UInt32
  /// Whether its user is an owner. The connection is an owner's until it identifies itself as an application.
  let isOwnersUser: Bool
  /// The name that it gave itself.
  private(set) var application: String?
  var calls: RateLimit
  var subscription: LiveSubscription?
  /// The values that it may be sent, however often it subscribes, and whether it reads them.
  var values: RateLimit
  var reception: Reception
  var requests: [WaitingRequest] = []
  /// Objects that it has asked to begin, and that are not known to have begun.
  var beginning: [Refusal.Limit: Int] = [:]
  var store = StoreUse()
  /// Whether new requests are reported to it: it is an owner that has asked for the list of decisions.
  var watchesRequests = false

  init(uid: UInt32, isOwnersUser: Bool, limits: ClientLimits) {
    self.uid = uid
    self.isOwnersUser = isOwnersUser
    calls = RateLimit(perSecond: limits.callsPerSecond)
    values = RateLimit(perSecond: limits.signalsPerSecond)
    reception = Reception(limits)
  }

  var isOwner: Bool { isOwnersUser && application == nil }

  var identity: ClientIdentity { ClientIdentity(uid: uid, application: application ?? ClientIdentity.unnamed) }

  mutating func identify(as name: String) throws(Refusal) {
    guard application == nil else { throw .alreadyIdentified }
    guard Self.isApplication(name) else { throw .invalidApplication }
    application = name
    watchesRequests = false
  }

  /// Whether `name` can be an application identifier: 1 to 100 of a few ASCII characters, so that it can stand on a
  /// terminal and in a configuration. The name for programs that have not identified themselves is reserved.
  static func isApplication(_ name: String) -> Bool {
    guard name != ClientIdentity.unnamed else { return false }
    func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
    guard (1...100).contains(name.utf8.count), name.utf8.first.map(isLetter) == true else { return false }
    return name.utf8.allSatisfy { byte in
      isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
  }
}

/// A request that the owner has not decided.
struct WaitingRequest {
  /// The longest wait of a client: callers give up after 25 s by habit.
  static let patience: Int64 = 20_000_000

  var share: Set<String>
  var read: Set<String>
  /// The single samples that are asked for; then no types are.
  var objects: RequestedObjects?
  /// The call that waits for the answer, until when; nil once it was answered that nothing is decided.
  var call: Call?

  struct Call {
    var number: UInt64
    var until: BootInstant
  }
}
