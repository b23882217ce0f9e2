import BluetoothScript
import DBus
import Testing

@testable import BlueZ

@Suite("Subscription")
struct SubscriptionTests {
  private let path = CharacteristicPath(MadeUp.measurement)!

  private func characteristic(notifying: Bool = false, acquired: Bool = false) -> Characteristic {
    Characteristic(
      path: path, uuid: BluetoothUUID(0x2A37), isNotifying: notifying, isNotifyAcquired: acquired)
  }

  private func emission(_ value: UInt8, serial: UInt32 = 1) -> Emission {
    Emission(bytes: [value], serial: serial, gaps: 0, microseconds: Int64(serial))
  }

  private func values(_ actions: [Subscription.Action]) -> [UInt8] {
    actions.compactMap { if case .notification(let value) = $0 { value.bytes.first } else { nil } }
  }

  /// The ticket of the request among these actions.
  private func ticket(_ actions: [Subscription.Action]) -> Int {
    for action in actions {
      switch action {
      case .acquireNotify(_, let ticket), .startNotify(_, let ticket): return ticket
      default: continue
      }
    }
    return -1
  }

  private func timer(_ actions: [Subscription.Action]) -> (ticket: Int, milliseconds: Int)? {
    for case .schedule(let ticket, let milliseconds) in actions { return (ticket, milliseconds) }
    return nil
  }

  private func asksForDescriptor(_ actions: [Subscription.Action]) -> Bool {
    actions.contains { if case .acquireNotify = $0 { true } else { false } }
  }

  private func asksForSignals(_ actions: [Subscription.Action]) -> Bool {
    actions.contains { if case .startNotify = $0 { true } else { false } }
  }

  /// A subscription that was refused by `refusal` at its first request.
  private func refused(_ refusal: BlueZRefusal, _ found: Characteristic) -> (Subscription, [Subscription.Action]) {
    var subscription = Subscription()
    let request = ticket(subscription.begin(found))
    let actions = subscription.handleAcquired(.failure(refusal), ticket: request)
    return (subscription, actions)
  }

  @Test("a descriptor is asked for first")
  func acquire() {
    var subscription = Subscription()
    let actions = subscription.begin(characteristic())
    #expect(asksForDescriptor(actions))
    #expect(subscription.handleAcquired(.success(()), ticket: ticket(actions)) == [.subscribed(.acquired)])
    #expect(subscription.isSubscribed)
  }

  @Test("with a descriptor, signals are what somebody read")
  func readBySomebody() {
    var subscription = Subscription()
    let actions = subscription.begin(characteristic())
    _ = subscription.handleAcquired(.success(()), ticket: ticket(actions))
    #expect(subscription.handle(emission(1)) == [])
  }

  @Test("the end of the descriptor while the link is up: asked again at once")
  func descriptorEnd() {
    var subscription = Subscription()
    let actions = subscription.begin(characteristic())
    _ = subscription.handleAcquired(.success(()), ticket: ticket(actions))
    let again = subscription.handleDescriptorEnd()
    #expect(again.prefix(2) == [.closeDescriptor, .unsubscribed])
    #expect(asksForDescriptor(again))
    #expect(subscription.handleDescriptorEnd() == [])
  }

  @Test("the end of the link closes the descriptor after what is in it, and a late answer opens none")
  func linkEnd() {
    var subscription = Subscription()
    let first = subscription.begin(characteristic())
    #expect(subscription.end() == [])
    #expect(subscription.handleAcquired(.success(()), ticket: ticket(first)) == [.discardDescriptor])
    let second = subscription.begin(characteristic())
    #expect(subscription.handleAcquired(.success(()), ticket: ticket(first)) == [.discardDescriptor])
    #expect(subscription.handleAcquired(.success(()), ticket: ticket(second)) == [.subscribed(.acquired)])
    #expect(subscription.end() == [.closeDescriptor])
    #expect(subscription.end() == [])
  }

  @Test("where another program notifies, its signals are shared and none are asked for")
  func shared() {
    var (subscription, actions) = refused(.inProgress, characteristic(notifying: true))
    #expect(actions == [.subscribed(.shared)])
    actions = subscription.handle(emission(7))
    #expect(values(actions) == [7])
    #expect(actions.contains(.fence))
    #expect(subscription.handleFence() == [])
  }

  @Test("one fence is under way at a time")
  func oneFence() {
    var (subscription, _) = refused(.inProgress, characteristic(notifying: true))
    #expect(subscription.handle(emission(1, serial: 1)).contains(.fence))
    #expect(!subscription.handle(emission(2, serial: 2)).contains(.fence))
    _ = subscription.handleFence()
    #expect(subscription.handle(emission(3, serial: 4)).contains(.fence))
  }

  @Test("when the other programs have left, a descriptor is asked for")
  func othersLeft() {
    var (subscription, _) = refused(.inProgress, characteristic(notifying: true))
    let actions = subscription.update(characteristic(notifying: false))
    #expect(actions.first == .unsubscribed)
    #expect(asksForDescriptor(actions))
  }

  @Test("values that came before the refusal count once it shows that they were notifications")
  func earlyShared() {
    var subscription = Subscription()
    let request = ticket(subscription.begin(characteristic()))
    #expect(values(subscription.handle(emission(1, serial: 1))) == [])
    // The other program's Notifying is told only after our refusal.
    #expect(!subscription.handleAcquired(.failure(.inProgress), ticket: request).contains(.subscribed(.shared)))
    #expect(values(subscription.handle(emission(2, serial: 3))) == [])
    let actions = subscription.update(characteristic(notifying: true))
    #expect(actions.first == .subscribed(.shared))
    #expect(values(actions) == [1, 2])
  }

  @Test("values that came before the descriptor were read by somebody")
  func earlyRead() {
    var subscription = Subscription()
    let request = ticket(subscription.begin(characteristic()))
    #expect(values(subscription.handle(emission(1))) == [])
    #expect(subscription.handleAcquired(.success(()), ticket: request) == [.subscribed(.acquired)])
  }

  @Test("values of a program that notifies count while we still ask")
  func whileAsking() {
    var subscription = Subscription()
    _ = subscription.begin(characteristic(notifying: true))
    #expect(values(subscription.handle(emission(1))) == [1])
  }

  @Test("where another program holds the descriptor, it is told, and asked again when that ends")
  func blocked() {
    var (subscription, actions) = refused(.notPermitted, characteristic(acquired: true))
    #expect(actions.first == .failed(.acquiredElsewhere))
    #expect(subscription.state == .blocked)
    actions = subscription.update(characteristic(acquired: false))
    #expect(asksForDescriptor(actions))
  }

  @Test("a descriptor that is held elsewhere is asked for now and then, for the case that its end was not seen")
  func blockedTimer() throws {
    var (subscription, actions) = refused(.notPermitted, characteristic(acquired: true))
    let due = try #require(timer(actions))
    #expect(due.milliseconds == Subscription.longestRetryMilliseconds)
    actions = subscription.handleTimer(ticket: due.ticket)
    #expect(asksForDescriptor(actions))
  }

  @Test("when the holder of the descriptor begins to notify instead, its signals are shared")
  func blockedThenShared() {
    var (subscription, _) = refused(.notPermitted, characteristic(acquired: true))
    #expect(subscription.update(characteristic(notifying: true, acquired: true)) == [.subscribed(.shared)])
  }

  @Test("Notify acquired by nobody: the third refusal has BlueZ forget the request that is in the way, not the first")
  func stale() throws {
    var subscription = Subscription()
    var actions = subscription.begin(characteristic())
    var frees: [Bool] = []
    for _ in 0..<3 {
      let request = ticket(actions)
      actions =
        asksForSignals(actions)
        ? subscription.handleStarted(.failure(.notPermitted), ticket: request)
        : subscription.handleAcquired(.failure(.notPermitted), ticket: request)
      frees.append(actions.contains(.stopNotify(characteristic().path)))
      let due = try #require(timer(actions))
      actions = subscription.handleTimer(ticket: due.ticket)
    }
    #expect(frees == [false, false, true])
    #expect(asksForDescriptor(actions))
  }

  @Test("a refusal without a visible cause: again soon, later and later, every third time for signals, told after four")
  func transient() throws {
    var subscription = Subscription()
    var actions = subscription.begin(characteristic())
    var waits: [Int] = []
    var kinds = ""
    var reports = 0
    for _ in 0..<9 {
      kinds += asksForSignals(actions) ? "s" : "d"
      let request = ticket(actions)
      actions =
        asksForSignals(actions)
        ? subscription.handleStarted(.failure(.inProgress), ticket: request)
        : subscription.handleAcquired(.failure(.inProgress), ticket: request)
      reports += actions.contains(.failed(.refused(name: "org.bluez.Error.InProgress"))) ? 1 : 0
      let due = try #require(timer(actions))
      waits.append(due.milliseconds)
      actions = subscription.handleTimer(ticket: due.ticket)
    }
    #expect(kinds == "ddsddsdds")
    #expect(waits == [250, 500, 1000, 2000, 4000, 8000, 10000, 10000, 10000])
    #expect(reports == 1)
  }

  @Test("a BlueZ or a characteristic that gives no descriptor is asked for signals")
  func notSupported() {
    var (subscription, actions) = refused(.notSupported, characteristic())
    #expect(asksForSignals(actions))
    let request = ticket(actions)
    // The first value can come before the answer.
    #expect(values(subscription.handle(emission(1, serial: 1))) == [1])
    #expect(subscription.handleStarted(.success(()), ticket: request) == [.subscribed(.started)])
    #expect(values(subscription.handle(emission(2, serial: 3))) == [2])
    actions = subscription.update(characteristic(notifying: true))
    #expect(actions == [])
    // A second copy for another program.
    #expect(values(subscription.handle(emission(2, serial: 4))) == [])
  }

  @Test("a subscription of ours that ends is made anew")
  func startedEnds() {
    var (subscription, actions) = refused(.notSupported, characteristic())
    _ = subscription.handleStarted(.success(()), ticket: ticket(actions))
    _ = subscription.update(characteristic(notifying: true))
    actions = subscription.update(characteristic(notifying: false))
    #expect(actions.first == .unsubscribed)
    #expect(asksForSignals(actions))
  }

  @Test("no answer at all, as from a sensor that wants to be paired, is told, taken back, and asked for again")
  func unanswered() throws {
    var subscription = Subscription()
    let actions = subscription.begin(characteristic())
    let due = try #require(timer(actions))
    let answer = subscription.handleTimer(ticket: due.ticket)
    #expect(Array(answer.prefix(2)) == [.stopNotify(characteristic().path), .failed(.unanswered)])
    #expect(subscription.handleAcquired(.success(()), ticket: ticket(actions)) == [.discardDescriptor])
    #expect(subscription.handleTimer(ticket: due.ticket) == [])
    let again = try #require(timer(answer))
    #expect(asksForDescriptor(subscription.handleTimer(ticket: again.ticket)))
  }

  @Test("giving up ends what was asked for, and only that")
  func cancel() {
    var (subscription, actions) = refused(.notSupported, characteristic())
    #expect(subscription.cancel() == [.stopNotify(path)])
    (subscription, _) = refused(.inProgress, characteristic(notifying: true))
    #expect(subscription.cancel() == [])
    subscription = Subscription()
    actions = subscription.begin(characteristic())
    _ = subscription.handleAcquired(.success(()), ticket: ticket(actions))
    #expect(subscription.cancel() == [.closeDescriptor])
  }

  @Test("the errors of BlueZ are told apart")
  func refusals() {
    func refusal(_ name: String) -> BlueZRefusal { BlueZRefusal(DBusError(.remote(name: name), "")) }
    #expect(refusal("org.bluez.Error.InProgress") == .inProgress)
    #expect(refusal("org.bluez.Error.NotPermitted") == .notPermitted)
    #expect(refusal("org.bluez.Error.NotSupported") == .notSupported)
    #expect(refusal("org.freedesktop.DBus.Error.UnknownMethod") == .notSupported)
    #expect(refusal("org.freedesktop.DBus.Error.AccessDenied") == .accessDenied)
    #expect(refusal("org.freedesktop.DBus.Error.UnknownObject") == .gone)
    #expect(refusal("org.bluez.Error.Failed") == .other(name: "org.bluez.Error.Failed"))
    #expect(BlueZRefusal(DBusError(.disconnected, "")) == .gone)
  }
}
