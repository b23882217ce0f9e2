import Testing

@testable import BlueZ

@Suite("Discovery")
struct DiscoveryTests {
  private let services = DiscoveryMode.services([BluetoothUUID(0x180D)])

  private func running() -> Discovery {
    var discovery = Discovery()
    _ = discovery.want(services)
    _ = discovery.handle(.success(()))
    _ = discovery.handle(.success(()))
    return discovery
  }

  @Test("the filter is set, then discovery starts")
  func start() {
    var discovery = Discovery()
    #expect(discovery.want(services) == [.setFilter(services)])
    #expect(discovery.handle(.success(())) == [.start])
    #expect(discovery.handle(.success(())) == [.report(.running)])
    #expect(discovery.want(services) == [])
  }

  @Test("it stops once, and a refusal to stop means that it has")
  func stop() {
    var discovery = running()
    #expect(discovery.want(nil) == [.stop])
    #expect(discovery.isStopping)
    #expect(discovery.want(nil) == [])
    #expect(discovery.handle(.failure(.other(name: "org.bluez.Error.Failed"))) == [.report(.stopped)])
    #expect(!discovery.isStopping && !discovery.isActive)
  }

  @Test("another mode is set while it runs, one call; what is wanted meanwhile comes next")
  func mode() {
    var discovery = running()
    #expect(discovery.want(.everything) == [.setFilter(.everything)])
    #expect(discovery.want(services) == [])
    #expect(!discovery.isStopping && discovery.isActive)
    #expect(discovery.handle(.success(())) == [.setFilter(services)])
    #expect(discovery.want(nil) == [])
    #expect(discovery.isStopping)
    #expect(discovery.handle(.success(())) == [.stop])
  }

  @Test("a mode that cannot be set while it runs is set after a stop")
  func refusedMode() {
    var discovery = running()
    #expect(discovery.want(.everything) == [.setFilter(.everything)])
    #expect(discovery.handle(.failure(.other(name: "org.bluez.Error.InProgress"))) == [.stop])
    #expect(discovery.handle(.success(())) == [.setFilter(.everything)])
    #expect(discovery.handle(.success(())) == [.start])
  }

  @Test("one that BlueZ ends by itself is told, and begins anew where it is wanted again; one that stops anyway is not")
  func ended() {
    var discovery = running()
    #expect(discovery.end() == [.report(.stopped)])
    #expect(!discovery.isActive)
    #expect(discovery.end() == [])
    #expect(discovery.want(services) == [.setFilter(services)])
    var other = running()
    _ = other.want(nil)
    #expect(other.end() == [])
    #expect(other.handle(.success(())) == [.report(.stopped)])
  }

  @Test("wanted again while it stops, it starts again without a word between")
  func again() {
    var discovery = running()
    _ = discovery.want(nil)
    #expect(discovery.want(services) == [])
    #expect(discovery.handle(.success(())) == [.setFilter(services)])
  }

  @Test("not wanted any more while it starts, it stops when it has")
  func regret() {
    var discovery = Discovery()
    _ = discovery.want(services)
    _ = discovery.handle(.success(()))
    #expect(discovery.want(nil) == [])
    #expect(discovery.isStopping)
    #expect(discovery.handle(.success(())) == [.stop])
    #expect(discovery.handle(.success(())) == [.report(.stopped)])
  }

  @Test("a discovery that BlueZ believes to be running is stopped and started once; then its refusal is told")
  func stuck() {
    var discovery = Discovery()
    _ = discovery.want(services)
    _ = discovery.handle(.success(()))
    #expect(discovery.handle(.failure(.inProgress)) == [.stop])
    #expect(discovery.handle(.failure(.other(name: "org.bluez.Error.Failed"))) == [.setFilter(services)])
    #expect(discovery.handle(.success(())) == [.start])
    #expect(discovery.handle(.failure(.inProgress)) == [.report(.refused(name: "org.bluez.Error.InProgress"))])
    #expect(discovery.wanted == nil)
    #expect(discovery.want(services) == [.setFilter(services)])
  }

  @Test("an adapter that is not ready is told")
  func notReady() {
    var discovery = Discovery()
    _ = discovery.want(services)
    _ = discovery.handle(.success(()))
    #expect(
      discovery.handle(.failure(.other(name: "org.bluez.Error.NotReady")))
        == [.report(.refused(name: "org.bluez.Error.NotReady"))])
  }
}
