import BluetoothScript
import DBus
import Testing

@testable import BlueZ

@Suite("FollowedLink")
struct FollowedLinkTests {
  private let characteristic = Characteristic(
    path: CharacteristicPath(MadeUp.measurement)!, uuid: BluetoothUUID(0x2A37))
  private let moved = Characteristic(
    path: CharacteristicPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0010/char0011")!, uuid: BluetoothUUID(0x2A37)
  )

  private func asked(_ actions: [FollowedLink.Action]) -> [CharacteristicPath] {
    actions.compactMap { if case .subscription(.acquireNotify(let path, _)) = $0 { path } else { nil } }
  }

  private func subscribed() -> FollowedLink {
    var link = FollowedLink()
    let actions = link.observe(isResolved: true, characteristic: characteristic)
    for case .subscription(.acquireNotify(_, let ticket)) in actions {
      _ = link.subscription.handleAcquired(.success(()), ticket: ticket)
    }
    return link
  }

  @Test("nothing is asked before the services are resolved")
  func unresolved() {
    var link = FollowedLink()
    #expect(link.observe(isResolved: false, characteristic: nil) == [])
    let actions = link.observe(isResolved: true, characteristic: characteristic)
    #expect(asked(actions) == [characteristic.path])
    #expect(actions.last == .readOnce)
    #expect(link.observe(isResolved: true, characteristic: characteristic) == [])
  }

  @Test("each link is subscribed and read anew")
  func again() {
    var link = subscribed()
    #expect(link.observe(isResolved: false, characteristic: nil) == [.subscription(.closeDescriptor)])
    let actions = link.observe(isResolved: true, characteristic: characteristic)
    #expect(asked(actions) == [characteristic.path])
    #expect(actions.contains(.readOnce))
  }

  @Test("a characteristic that moves while the link is up is subscribed at its new place")
  func moves() {
    var link = subscribed()
    let gone = link.observe(isResolved: true, characteristic: nil)
    #expect(gone.prefix(2) == [.subscription(.closeDescriptor), .subscription(.unsubscribed)])
    let actions = link.observe(isResolved: true, characteristic: moved)
    #expect(asked(actions) == [moved.path])
    #expect(!actions.contains(.readOnce))
  }

  @Test("a characteristic that is not there is told after a while, since BlueZ may be late")
  func missing() throws {
    var link = FollowedLink()
    var actions = link.observe(isResolved: true, characteristic: nil)
    let first = try #require(
      actions.compactMap { if case .scheduleMissing(let ticket, _) = $0 { ticket } else { nil } }.first)
    #expect(link.handleMissing(ticket: first) == [.subscription(.failed(.characteristicMissing))])
    actions = link.observe(isResolved: true, characteristic: characteristic)
    #expect(asked(actions) == [characteristic.path])
    #expect(link.handleMissing(ticket: first) == [])
  }

  @Test("a characteristic that came in time was not missing")
  func late() throws {
    var link = FollowedLink()
    let actions = link.observe(isResolved: true, characteristic: nil)
    let ticket = try #require(
      actions.compactMap { if case .scheduleMissing(let ticket, _) = $0 { ticket } else { nil } }.first)
    _ = link.observe(isResolved: true, characteristic: characteristic)
    #expect(link.handleMissing(ticket: ticket) == [])
    _ = link.observe(isResolved: false, characteristic: nil)
    _ = link.observe(isResolved: true, characteristic: nil)
    #expect(link.handleMissing(ticket: ticket) == [])
  }
}
