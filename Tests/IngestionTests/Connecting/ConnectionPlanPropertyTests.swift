import Ingestion
import Support
import Testing
import Timeline

@Suite("Connection plan: whatever happens")
struct ConnectionPlanPropertyTests {
  /// A machine drawn from the seed: one or two adapters, up to nine straps of which the last is a stranger's.
  private func air(seed: UInt64, isTight: Bool, filtersServices: Bool = true) -> VirtualAir {
    var random = SplitMix64(seed: seed &* 7919)
    let count = Int.random(in: 2...9, using: &random)
    let straps = (0..<count).map { number in
      var strap = VirtualAir.Strap(address: SensorAddress(bits: UInt64(number + 1))!)
      strap.isNameOnly = Int.random(in: 0..<10, using: &random) == 0
      return strap
    }
    let adapters = (0..<UInt16.random(in: 1...2, using: &random)).map { number in
      VirtualAir.Adapter(
        index: AdapterIndex(number), capacity: isTight ? Int.random(in: 1...4, using: &random) : 48,
        refusesWhileScanning: Bool.random(using: &random), filtersServices: filtersServices)
    }
    return VirtualAir(straps: straps, allowed: count - 1, adapters: adapters, seed: seed)
  }

  /// Ten minutes in which anything can happen at any moment.
  private func torment(_ air: inout VirtualAir, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    while air.now < 600_000_000 {
      air.advance()
      let strap = Int.random(in: air.straps.indices, using: &random)
      let adapter = Int.random(in: air.adapters.indices, using: &random)
      switch Int.random(in: 0..<1500, using: &random) {
      case 0..<40: air.straps[strap].advertises.toggle()
      case 40..<60: air.drop(strap)
      case 60..<63: air.power(adapter, on: !air.adapters[adapter].isPowered)
      case 63..<64: air.restartService()
      case 64..<67: air.failDiscovery(of: adapter)
      case 67..<70:
        if air.straps[strap].link == nil, air.hasRoom(adapter) { air.linkUp(strap, on: adapter, isOurs: false) }
      default: break
      }
    }
    for adapter in air.adapters.indices where !air.adapters[adapter].isPowered { air.power(adapter, on: true) }
    for strap in air.straps.indices { air.straps[strap].advertises = true }
  }

  /// The most Connects that one sensor got within a minute.
  private func mostConnectsPerMinute(_ air: VirtualAir) -> Int {
    var most = 0
    for (position, call) in air.connects.enumerated() {
      most = max(
        most, air.connects[position...].prefix { $0.at < call.at + 60_000_000 }.count { $0.address == call.address })
    }
    return most
  }

  @Test(
    "every allowed sensor that advertises is linked in the end, without a storm of calls", arguments: UInt64(1)...16)
  func connectsEveryone(_ seed: UInt64) {
    var air = air(seed: seed, isTight: false)
    torment(&air, seed: seed)
    while air.now < 760_000_000 { air.advance() }
    #expect(air.straps.dropLast().allSatisfy { $0.isNameOnly || $0.link != nil })
    // One that advertises nothing but its name waits for the next look.
    while air.now < 1_200_000_000 { air.advance() }
    #expect(air.straps.dropLast().allSatisfy { $0.link != nil })
    #expect(air.complaints.isEmpty)
    #expect(mostConnectsPerMinute(air) <= 10)
    #expect(air.adapters.allSatisfy { $0.discovery == nil })
  }

  @Test(
    "where BlueZ does not filter, every allowed sensor is linked in the end too, named only or not",
    arguments: UInt64(201)...216)
  func connectsEveryoneUnfiltered(_ seed: UInt64) {
    var air = air(seed: seed, isTight: false, filtersServices: false)
    torment(&air, seed: seed)
    while air.now < 900_000_000 { air.advance() }
    #expect(air.straps.dropLast().allSatisfy { $0.link != nil })
    #expect(air.complaints.isEmpty)
    #expect(mostConnectsPerMinute(air) <= 10)
    #expect(air.adapters.allSatisfy { $0.discovery == nil })
  }

  @Test(
    "at the edge of range, with links of 2 s, as good as a client that connects again at once",
    arguments: UInt64(301)...308)
  func keepsUpAtTheEdge(_ seed: UInt64) {
    let strap = VirtualAir.Strap(address: SensorAddress(bits: 1)!, advertises: true)
    let adapter = VirtualAir.Adapter(index: AdapterIndex(0), capacity: 48, refusesWhileScanning: false)
    var air = VirtualAir(straps: [strap], allowed: 1, adapters: [adapter], seed: seed)
    var links = 0
    while air.now < 600_000_000 {
      air.advance()
      guard let link = air.straps[0].link, air.now - link.since >= 2_000_000 else { continue }
      links += 1
      air.drop(0)
    }
    // Half a second for each link to be made.
    let most = 600_000_000 / 2_500_000
    #expect(links * 10 >= most * 9, "\(links) links of \(most)")
    #expect(air.complaints.isEmpty)
  }

  @Test("adapters with few links are filled up, and then left in peace", arguments: UInt64(101)...110)
  func fillsAdapters(_ seed: UInt64) {
    var air = air(seed: seed, isTight: true)
    torment(&air, seed: seed)
    while air.now < 1_200_000_000 { air.advance() }
    let room = air.adapters.reduce(0) { $0 + $1.capacity }
    let allowedLinks = air.straps.dropLast().count { $0.link != nil }
    let foreignLinks = air.straps.suffix(1).count { $0.link != nil }
    #expect(allowedLinks == min(air.straps.count - 1, room - foreignLinks))
    #expect(air.complaints.isEmpty)
    #expect(mostConnectsPerMinute(air) <= 10)
    let before = air.connects.count
    while air.now < 1_800_000_000 { air.advance() }
    #expect(air.connects.count - before <= 30)
  }
}
