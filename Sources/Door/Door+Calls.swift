import RecorderBus
import DBus
import FoundationEssentials
import HealthModel
import Ingestion
import SeriesStore

/// A call of a connection that is known, with arguments of the declared types.
struct ClientCall {
  let message: Message
  /// The unique name of the caller.
  let sender: String
  /// The object that is called.
  let path: ObjectPath
  let member: String
  /// On which it came: the answer goes there, and nowhere where the bus has gone meanwhile.
  let connection: Connection

  var arguments: [Value] { message.body }

  func text(_ index: Int) -> String { arguments[index].string ?? "" }
  func texts(_ index: Int) -> [String] { arguments[index].strings ?? [] }
  func properties(_ index: Int) -> [String: Value] { arguments[index].properties ?? [:] }
}

extension Door {
  /// Answers a call of a connection that is known. The object is looked for only now: which there are depends on the caller.
  func answer(_ message: Message, from name: String) {
    guard let connection, let path = message.path, let member = message.member else { return }
    let call = ClientCall(message: message, sender: name, path: path, member: member, connection: connection)
    do throws(Refusal) {
      perform(try registry.called(name, at: now))
      guard let object = object(at: path, for: name) else {
        respond(to: call, Self.unknownObject)
        return settle()
      }
      switch object.request(of: message) {
      case .answered(let reply): respond(to: call, reply)
      case .property(let interface, let property):
        readProperties(of: interface, at: path, for: name) { door, values in
          door.respond(to: call, .values([.variant(values[property] ?? .string(""))]))
        }
      case .properties(let interface):
        readProperties(of: interface, at: path, for: name) { $0.respond(to: call, .values([.properties($1)])) }
      case .method(let interface, _): try answer(call, of: interface)
      }
    } catch {
      refuse(call, error)
    }
    settle()
  }

  private func answer(_ call: ClientCall, of interface: Interface) throws(Refusal) {
    switch interface {
    case ClientInterfaces.manager: try answerManager(call)
    case ClientInterfaces.live: try answerLive(call)
    case ClientInterfaces.healthStore: try answerHealthStore(call)
    case ClientInterfaces.attachments: try answerAttachments(call)
    case ClientInterfaces.authorization: try answerAuthorization(call)
    case ClientInterfaces.grants: try answerGrants(call)
    case ClientInterfaces.session: try answerSession(call)
    case ClientInterfaces.workouts: try beginWorkout(call)
    case ClientInterfaces.workout: try answerWorkout(call)
    case ClientInterfaces.quantitySeries, ClientInterfaces.heartbeatSeries: try answerSeries(call)
    default: respond(to: call, .unknownMethod)
    }
  }

  func respond(to call: ClientCall, _ reply: Reply) {
    call.connection.assumeIsolated { $0.respond(to: call.message, reply) }
  }

  /// Answers when `body` has found the answer, or why there is none.
  func answer(
    _ call: ClientCall, _ body: @escaping @Sendable (isolated Door) async throws(RefusedCall) -> Reply
  ) {
    Task(executorPreference: loop) { await self.carryOut(call, body) }
  }

  private func carryOut(
    _ call: ClientCall, _ body: @Sendable (isolated Door) async throws(RefusedCall) -> Reply
  ) async {
    do throws(RefusedCall) { respond(to: call, try await body(self)) } catch { respond(to: call, error.reply) }
    settle()
  }

  func refuse(_ call: ClientCall, _ refusal: Refusal) {
    respond(to: call, .error(name: refusal.name, message: refusal.message))
  }

  private func readProperties(
    of interface: Interface, at path: ObjectPath, for name: String,
    _ body: @escaping @Sendable (isolated Door, [String: Value]) -> Void
  ) {
    switch interface {
    case ClientInterfaces.manager: readManager(for: name, body)
    case ClientInterfaces.session: readSession(at: path, for: name, body)
    case ClientInterfaces.workout: readWorkout(at: path, for: name, body)
    default: body(self, [:])
    }
  }
}

// Calls that are answered when something is stored, or after 20 s that it is not yet: callers give up after 25 s by habit.

extension Door {
  private static let patience: Duration = .seconds(20)

  /// Keeps a call until ``stored(_:_:)``; returns its number.
  func waitForStore(_ call: ClientCall) -> UInt64 {
    lastWaiting += 1
    let number = lastWaiting
    let timer = loop.schedule(after: Self.patience) { [weak self] in
      self?.assumeIsolated { door in
        guard let waiting = door.waiting.removeValue(forKey: number) else { return }
        door.refuse(waiting.call, .notStored)
      }
    }
    waiting[number] = (call.message, timer)
    return number
  }

  /// Answers a call that waits; does nothing where it has been answered.
  func stored(_ number: UInt64, _ reply: Reply) {
    guard let waiting = waiting.removeValue(forKey: number) else { return }
    loop.cancel(waiting.timer)
    respond(to: waiting.call, reply)
  }
}

extension Reply {
  static func refusal(_ refusal: Refusal) -> Reply { .error(name: refusal.name, message: refusal.message) }
}

// Errors of other modules, as a client gets them: no value, no text of a client, and nothing about what it may not see.

extension ArgumentError {
  var reply: Reply { .error(name: name, message: message) }
}

extension SeriesError {
  var reply: Reply {
    switch self {
    case .unknownType: ArgumentError.unknownType.reply
    case .incompatibleUnit: ArgumentError.invalidUnit.reply
    default: .error(name: "org.sensord.Error.InvalidSample", message: "the sample cannot be stored: \(self)")
    }
  }
}

extension StoreError {
  var reply: Reply {
    let (word, text): (String, String) =
      switch code {
      case .notFound: ("NotFound", "there is no such object")
      case .attachment(let error): ("InvalidAttachment", error.description)
      case .lostAnchor, .foreignAnchor: ("LostAnchor", "the anchor is not known, or no longer; begin at the start")
      case .tooComplex: ("TooComplex", "the conditions are too deep or too many")
      case .invalid: ("InvalidArgument", "this cannot be stored or asked as it is")
      // The store is open as long as the recorder runs: a client that waits knows that another try may succeed.
      case .closed: ("NotRecording", "the recorder is starting or stopping")
      default: ("NotStored", "the store cannot be read or written now")
      }
    return .error(name: "org.sensord.Error.\(word)", message: text)
  }
}

/// Why a call is not carried out, as it is answered: errors of several modules meet in one call.
struct RefusedCall: Error {
  let reply: Reply

  init(_ refusal: Refusal) { reply = .refusal(refusal) }
  init(_ error: ArgumentError) { reply = error.reply }
  init(_ error: SeriesError) { reply = error.reply }
  init(_ error: StoreError) { reply = error.reply }
}

extension Value {
  /// Identifiers as an `as`, as they stand everywhere on the bus.
  static func identifiers(_ identifiers: [UUID]) -> Value { .strings(identifiers.map { $0.uuidString.lowercased() }) }
}
