import GATTHeartRate
import Testing

@testable import Simulator

@Suite("Subscribing, and what each way loses")
struct SubscriptionTests {
  let a: [UInt8] = [0x10, 60, 0, 4]
  let b: [UInt8] = [0x10, 61, 0, 4]

  @Test("StartNotify is answered when the strap has answered, and Notifying is signalled before")
  func startNotify() {
    var bench = Bench()
    bench.connected()
    bench.call("StartNotify", on: Bench.hrm)
    #expect(bench.take() == [])
    bench.wait(0.1)
    #expect(bench.take() == ["hrm Notifying=true", "StartNotify: ok"])
    #expect(bench.takeTruth().suffix(1) == ["end"])
    bench.call("StartNotify", on: Bench.hrm)
    #expect(bench.take() == ["StartNotify: ok"])
  }

  @Test("equal values in a row are all emitted, an empty one too")
  func equalValues() {
    var bench = Bench()
    bench.subscribed()
    for bytes in [a, a, []] { bench.send(bytes) }
    bench.wait(0.1)
    #expect(bench.take() == ["hrm Value=<103c0004>", "hrm Value=<103c0004>", "hrm Value=<>"])
    #expect(bench.takeTruth().allSatisfy { $0.hasPrefix("notify") })
  }

  @Test("with two subscribed clients every value is emitted twice, and once again when one has gone")
  func twoClients() {
    var bench = Bench()
    bench.subscribed()
    bench.call("StartNotify", on: Bench.hrm, as: ":1.2")
    bench.wait(0.1)
    #expect(bench.take() == ["StartNotify of :1.2: ok"])
    bench.send(a)
    bench.wait(0.1)
    #expect(bench.take() == ["hrm Value=<103c0004>", "hrm Value=<103c0004>"])
    bench.put(.clientLeft(":1.2"))
    bench.send(b)
    bench.wait(0.1)
    #expect(bench.take() == ["hrm Value=<103d0004>"])
  }

  @Test("after a reconnect values flow to a StartNotify client without another call")
  func resubscription() {
    var bench = Bench()
    bench.subscribed()
    bench.befall(.drop)
    #expect(bench.take() == ["dev Connected=false ServicesResolved=false", "- dev Battery1"])
    bench.call("StartNotify", on: Bench.hrm)
    #expect(bench.take() == ["StartNotify: InProgress In Progress"])
    bench.call("StartNotify", on: Bench.hrm, as: ":1.2")
    #expect(bench.take() == ["StartNotify of :1.2: ok"])
    bench.call("Connect")
    bench.wait(1)
    #expect(bench.takeTruth().contains("subscription what=2a37 on=true"))
    _ = bench.take()
    bench.send(a)
    bench.wait(0.1)
    #expect(bench.take() == ["hrm Value=<103c0004>", "hrm Value=<103c0004>"])
    bench.call("StartNotify", on: Bench.hrm)
    #expect(bench.take() == ["StartNotify: ok"])
  }

  @Test("after a reconnect nobody subscribes again for a client that had acquired")
  func noReacquisition() {
    var bench = Bench()
    bench.acquired()
    bench.befall(.drop)
    #expect(
      bench.take() == [
        "end of file", "dev Connected=false ServicesResolved=false", "hrm NotifyAcquired=false", "- dev Battery1",
      ])
    bench.call("Connect")
    bench.wait(1)
    #expect(!bench.takeTruth().contains { $0.contains("2a37") })
    _ = bench.take()
    bench.call("AcquireNotify", on: Bench.hrm, [.dictionary([:])])
    bench.wait(0.1)
    #expect(bench.take().first?.hasPrefix("AcquireNotify: pipe") == true)
  }

  @Test(
    "AcquireNotify gives a descriptor and the MTU; values go there and nowhere else, empty ones as packets of no bytes")
  func acquireNotify() {
    var bench = Bench()
    bench.connected()
    bench.call("AcquireNotify", on: Bench.hrm, [.dictionary([:])])
    bench.wait(0.1)
    #expect(bench.take() == ["AcquireNotify: pipe 1 mtu 517", "hrm NotifyAcquired=true"])
    bench.send(a)
    bench.send([])
    bench.wait(0.1)
    #expect(bench.take() == ["packet 103c0004", "packet "])
  }

  @Test("each way refuses the other while it is in use")
  func mutualRefusal() {
    var bench = Bench()
    bench.acquired()
    bench.call("StartNotify", on: Bench.hrm)
    bench.call("AcquireNotify", on: Bench.hrm, [.dictionary([:])], as: ":1.2")
    #expect(
      bench.take() == [
        "StartNotify: NotPermitted Notify acquired", "AcquireNotify of :1.2: NotPermitted Notify acquired",
      ])
    var other = Bench()
    other.subscribed()
    other.call("AcquireNotify", on: Bench.hrm, [.dictionary([:])], as: ":1.2")
    #expect(other.take() == ["AcquireNotify of :1.2: InProgress In Progress"])
  }

  @Test("values before the strap's answer: StartNotify delivers all of them, AcquireNotify loses all of them")
  func eagerValues() {
    var bench = Bench { $0.eagerValues = 3 }
    bench.connected()
    bench.call("StartNotify", on: Bench.hrm)
    bench.wait(0.1)
    #expect(bench.take().filter { $0.hasPrefix("hrm Value") }.count == 3)
    var other = Bench { $0.eagerValues = 3 }
    other.connected()
    other.call("AcquireNotify", on: Bench.hrm, [.dictionary([:])])
    other.wait(0.1)
    #expect(!other.take().contains { $0.hasPrefix("packet") })
    #expect(other.takeTruth().filter { $0.hasPrefix("swallowed") && $0.hasSuffix("why=early") }.count == 3)
  }

  @Test("a flood's values are followed by as many bytes as it says, but for those with an interval")
  func floodTrailing() throws {
    let flood = Flood(perSecond: 100, count: 250, trailing: 3)
    #expect(try HeartRateMeasurement(decoding: flood.value(1)).trailing == [0, 0, 0])
    let first = try HeartRateMeasurement(decoding: flood.value(0))
    #expect(first.rrTicks.count == 1 && first.trailing.isEmpty)
  }

  @Test("a flood comes at its pace, pauses while nobody listens, and ends with its last value")
  func flood() {
    let flood = Flood(perSecond: 100, count: 250)
    var bench = Bench { $0.source = .flood(flood) }
    bench.connected()
    bench.call("AcquireNotify", on: Bench.hrm, [.dictionary([:])])
    bench.wait(1)
    let first = bench.take().filter { $0.hasPrefix("packet") }
    #expect((95...101).contains(first.count))
    bench.befall(.drop)
    bench.wait(0.5)
    #expect(!bench.take().contains { $0.hasPrefix("packet") })
    bench.connected()
    bench.call("AcquireNotify", on: Bench.hrm, [.dictionary([:])])
    bench.wait(3)
    let rest = bench.take().filter { $0.hasPrefix("packet") }
    #expect(first.count + rest.count == 250)
    #expect(
      (first + rest).map { $0.split(separator: " ").last.map(String.init) } == (0..<250).map { flood.value($0).hex })
    #expect(bench.takeTruth().contains { $0.hasPrefix("end") })
  }

  @Test("a value in the moment of the disconnect: StartNotify loses it, AcquireNotify does not")
  func valueAtDisconnect() {
    var bench = Bench()
    bench.subscribed()
    bench.send(a)
    bench.befall(.drop)
    bench.wait(0.1)
    #expect(!bench.take().contains { $0.contains("Value") })
    #expect(bench.takeTruth().contains("swallowed n=null hex=103c0004 why=disconnect"))
    var other = Bench()
    other.acquired()
    other.send(a)
    other.befall(.drop)
    #expect(other.take().prefix(2) == ["packet 103c0004", "end of file"])
  }

  @Test("another client's StopNotify ends an acquired descriptor, and its StartNotify then takes the characteristic")
  func foreignStop() {
    var bench = Bench()
    bench.acquired()
    bench.call("StopNotify", on: Bench.hrm, as: ":1.2")
    #expect(bench.take() == ["end of file", "hrm NotifyAcquired=false", "StopNotify of :1.2: ok"])
    bench.call("StartNotify", on: Bench.hrm, as: ":1.2")
    bench.wait(0.1)
    #expect(bench.take() == ["hrm Notifying=true", "StartNotify of :1.2: ok"])
  }

  @Test("a client that closes its descriptor, or leaves the bus, ends the subscription at the strap")
  func closedDescriptor() {
    var bench = Bench()
    bench.acquired()
    bench.put(.pipeClosed(PipeToken(number: 1)))
    bench.wait(0.1)
    #expect(bench.takeTruth() == ["subscription what=2a37 on=false"])
    var other = Bench()
    other.subscribed()
    other.put(.clientLeft(":1.1"))
    other.wait(0.1)
    #expect(other.take() == ["hrm Notifying=false"])
    #expect(other.takeTruth() == ["subscription what=2a37 on=false"])
    other.send(a)
    #expect(other.takeTruth() == ["unsent n=null t=\(other.now.seconds)"])
  }

  @Test("without a link reads and AcquireNotify fail, StartNotify is remembered")
  func whileDown() {
    var bench = Bench()
    bench.connected()
    bench.befall(.vanish)
    _ = bench.take()
    bench.call("ReadValue", on: Bench.battery, [.dictionary([:])])
    bench.call("AcquireNotify", on: Bench.hrm, [.dictionary([:])])
    bench.call("StartNotify", on: Bench.hrm)
    #expect(
      bench.take() == ["ReadValue: Failed Not connected", "AcquireNotify: Failed Not connected", "StartNotify: ok"])
  }

  @Test("ReadValue is signalled to everybody too; the measurement cannot be read, the location cannot be subscribed")
  func readValue() {
    var bench = Bench()
    bench.connected()
    bench.call("ReadValue", on: Bench.battery, [.dictionary([:])])
    bench.wait(0.1)
    #expect(bench.take() == ["battery Value=<57>", "ReadValue: <57>"])
    bench.call("ReadValue", on: Bench.hrm, [.dictionary([:])])
    bench.wait(0.1)
    #expect(bench.take() == ["ReadValue: NotPermitted Read not permitted"])
    bench.call("StartNotify", on: Bench.dev + "/service000e/char0012")
    #expect(bench.take() == ["StartNotify: NotSupported Operation is not supported"])
  }

  @Test("200 values that nobody fetches and a burst at once are all sent in order")
  func burst() {
    var bench = Bench()
    bench.acquired()
    for number in 0..<200 { bench.send([0, UInt8(number)]) }
    #expect(bench.take() == (0..<200).map { "packet 00\([UInt8($0)].hex)" })
  }

  @Test("values held back in the air arrive at once and in order; those of a lost link are lost")
  func stall() {
    var bench = Bench()
    bench.subscribed()
    bench.befall(.stall)
    bench.send(a)
    bench.send(b)
    bench.wait(5)
    #expect(bench.take() == [])
    bench.befall(.resume)
    bench.wait(0.1)
    #expect(bench.take() == ["hrm Value=<103c0004>", "hrm Value=<103d0004>"])
    bench.befall(.stall)
    bench.send(a)
    bench.befall(.drop)
    _ = bench.take()
    bench.befall(.resume)
    bench.wait(0.1)
    #expect(bench.take() == [])
    #expect(bench.takeTruth().contains("swallowed n=null hex=103c0004 why=stalled"))
  }

  @Test("the control point takes 1 and refuses everything else with ATT error 0x80")
  func controlPoint() {
    var bench = Bench()
    bench.connected()
    let point = Bench.dev + "/service000e/char0014"
    bench.call("WriteValue", on: point, [.bytes([1]), .dictionary([:])])
    bench.wait(0.1)
    #expect(bench.take() == ["WriteValue: ok"])
    bench.call("WriteValue", on: point, [.bytes([2]), .dictionary([:])])
    bench.wait(0.1)
    #expect(bench.take() == ["WriteValue: Failed Operation failed with ATT error: 0x80"])
  }
}
