import HealthModel
import Sensors

/// A connection of the bus that has called: who it is, what it waits for and what it gets.
struct ConnectedClient {
  let uid: UInt32
  /// Its user is an owner. It is one itself until it identifies itself as an application.
  let isOwnersUser: Bool
  /// The name that it gave itself.
  private(set) var application: String?
  var calls: RateLimit
  var subscription: LiveSubscription?
  /// The values that it may be sent, however often it subscribes, and whether it reads them.
  var values: RateLimit
  var reception: Reception
  var requests: [WaitingRequest] = []
  /// What it has asked to begin, and is not known to have begun.
  var beginning: [Refusal.Limit: Int] = [:]
  var store = StoreUse()
  /// An owner that has asked for the list of decisions is told of new requests.
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

  /// Whether `name` can be an application identifier: 1 to 100 of a few ASCII characters, so that it can stand on a terminal
  /// and in a configuration. That of programs that have not said who they are is reserved.
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
  /// How long a client waits: callers give up after 25 s by habit.
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
