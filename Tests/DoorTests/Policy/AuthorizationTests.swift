import HealthModel
import Testing

@testable import Door

@Suite("Who a client is, and what it asks for")
struct AuthorizationTests {
  @Test(
    "root, the recorder's user and members of its group own it, nobody else",
    arguments: [
      (UInt32(0), [UInt32](), true), (500, [], true), (1000, [900], true), (1000, [4, 900], true), (1000, [], false),
      (1000, [500], false), (900, [], false),
    ])
  func owners(uid: UInt32, groups: [UInt32], owns: Bool) {
    #expect(Owners(uid: 500, group: 900).include(uid: uid, groups: groups) == owns)
  }

  @Test("a person's own recorder has no group of owners")
  func person() {
    #expect(!Owners(uid: 1000).include(uid: 1001, groups: [1000, 100, 0]))
  }

  @Test("an owner that identifies itself is an application, and has to ask like any other")
  func identified() throws {
    var registry = try Made.registry()
    #expect(try registry.shareStatus(":1.0", of: "stepCount") == .allowed)
    try registry.requireOwner(":1.0")
    _ = try registry.identify(":1.0", as: "org.example.Game", at: Made.at(0))
    #expect(try registry.shareStatus(":1.0", of: "stepCount") == nil)
    #expect(!registry.maySeeSensors(":1.0"))
    #expect(throws: Refusal.notAuthorized) { try registry.requireOwner(":1.0") }
    #expect(throws: Refusal.alreadyIdentified) {
      try registry.identify(":1.0", as: "org.example.Other", at: Made.at(0))
    }
  }

  @Test("the same name under two users is two clients")
  func users() throws {
    var registry = try Made.registry()
    try registry.connected(":1.2", uid: 1001, groups: [])
    _ = try registry.identify(":1.2", as: Made.game.application, at: Made.at(0))
    _ = registry.replaceDecisions(with: Made.reading)
    #expect(registry.maySeeSensors(":1.1"))
    #expect(!registry.maySeeSensors(":1.2"))
  }

  @Test(
    "a name that is none is refused",
    arguments: [
      "", "unnamed", "1game", "org.example/x", "a b", "\u{1B}[2J", "ä", String(repeating: "a", count: 101), "a\n",
    ])
  func names(name: String) throws {
    var registry = try Made.registry()
    #expect(throws: Refusal.invalidApplication) { try registry.identify(":1.0", as: name, at: Made.at(0)) }
  }

  @Test("a request waits for the owner; each owner that watches is told what is not decided")
  func waiting() throws {
    var registry = try Made.registry()
    _ = try registry.overview(for: ":1.0")
    _ = registry.replaceDecisions(with: [Made.grant(.share, "stepCount")])
    let effects = try registry.request(
      ":1.1", share: ["stepCount", "bodyMass"], read: ["heartbeatSeries"], call: 7, at: Made.at(1))
    let asked = AccessRequest(client: Made.game, share: ["bodyMass"], read: ["heartRateVariabilitySDNN"])
    #expect(effects == [.requested(to: ":1.0", asked)])
    #expect(try registry.overview(for: ":1.0").waiting == [asked])
    #expect(registry.replaceDecisions(with: [Made.grant(.share, "bodyMass", .denied)]).isEmpty)
    let all = [
      Made.grant(.share, "stepCount"), Made.grant(.share, "bodyMass", .denied),
      Made.grant(.read, "heartRateVariabilitySDNN", .denied),
    ]
    #expect(registry.replaceDecisions(with: all) == [.answer(7, isDecided: true)])
    #expect(try registry.overview(for: ":1.0").waiting.isEmpty)
    #expect(try registry.shareStatus(":1.1", of: "bodyMass") == .denied)
  }

  @Test("what is decided is answered at once, what was denied too, so that it tells nothing about reading")
  func decided() throws {
    var registry = try Made.registry()
    _ = registry.replaceDecisions(with: [Made.grant(.read, "heartRate", .denied)])
    #expect(
      try registry.request(":1.1", share: [], read: ["heartRate"], call: 1, at: Made.at(1))
        == [.answer(1, isDecided: true)])
  }

  @Test("single samples are asked for each time, whatever was decided; the answer does not tell what was chosen")
  func objects() throws {
    var registry = try Made.registry()
    _ = try registry.overview(for: ":1.0")
    let glasses = SampleType.visionPrescription.identifier
    let wish = RequestedObjects(
      type: glasses, objects: [RequestedObject(id: Made.identifier(1), start: nil, source: "other")])
    let asked = AccessRequest(client: Made.game, share: [], read: [], objects: wish)
    let granted = ObjectGrant(
      client: Made.game, type: glasses, object: Made.identifier(1), decided: Timestamp(microseconds: 1))
    for round in 0..<2 {
      let now = Made.at(Double(round) * 100)
      #expect(
        try registry.requestObjects(":1.1", wish, call: 3, at: now) == [.requested(to: ":1.0", asked)])
      // What is decided about other things, or of this by another process, is no answer.
      #expect(registry.replaceDecisions(with: Made.reading, objects: [granted], at: now).isEmpty)
      #expect(registry.objectsDecided(of: "height", for: Made.game).isEmpty)
      #expect(try registry.overview(for: ":1.0").waiting == [asked])
      guard round == 0 else { break }
      #expect(registry.objectsDecided(of: glasses, for: Made.game) == [.answer(3, isDecided: true)])
    }
    #expect(registry.timeReached(Made.at(200)) == [.answer(3, isDecided: false)])
    #expect(
      registry.objectsDecided(of: glasses, for: Made.game) == [.decided(to: ":1.1", share: [], objects: glasses)])
    #expect(try registry.requestObjects(":1.0", wish, call: 4, at: Made.at(0)) == [.answer(4, isDecided: true)])
    #expect(registry.reading(of: ":1.1")?.scope?.objects == [Made.identifier(1)])
  }

  @Test("what comes by import only is saved by nobody: it can be neither asked for nor allowed")
  func importOnly() throws {
    var registry = try Made.registry()
    let type = ClinicalType.labResultRecord.identifier
    #expect(throws: Refusal.importOnly) {
      try registry.request(":1.1", share: ["height", type], read: [], call: 1, at: Made.at(0))
    }
    #expect(throws: Refusal.importOnly) {
      try registry.grants(
        decidedBy: ":1.0", about: Made.game, share: [type], read: [], .allowed, at: Timestamp(microseconds: 0))
    }
  }

  @Test("what is allowed one by one is never readable as a whole, wherever that is said")
  func onlyByObject() throws {
    let whole = Made.grant(.read, SampleType.visionPrescription.identifier)
    var registry = try Made.registry(inAdvance: [whole])
    _ = registry.replaceDecisions(with: [whole, Made.grant(.read, "height")])
    #expect(registry.reading(of: ":1.1")?.types == ["height"])
    #expect(throws: Refusal.onlyByObject) {
      try registry.request(":1.1", share: [], read: [whole.type], call: 1, at: Made.at(0))
    }
    #expect(throws: Refusal.onlyByObject) {
      try registry.grants(
        decidedBy: ":1.0", about: Made.game, share: [], read: [whole.type], .allowed, at: Timestamp(microseconds: 0))
    }
    #expect(throws: Refusal.notByObject) { try registry.requireObjectType("height") }
    #expect(throws: Refusal.unknownType) { try registry.requireObjectType("nothing") }
  }

  @Test("after 20 s a request is answered, and a later decision is told by a signal")
  func late() throws {
    var registry = try Made.registry()
    _ = try registry.request(":1.1", share: ["bodyMass"], read: ["heartRate"], call: 3, at: Made.at(10))
    #expect(registry.deadline == Made.at(30))
    #expect(registry.timeReached(Made.at(29.999)).isEmpty)
    #expect(registry.timeReached(Made.at(30)) == [.answer(3, isDecided: false)])
    #expect(registry.deadline == nil)
    #expect(
      registry.replaceDecisions(with: [Made.grant(.share, "bodyMass"), Made.grant(.read, "heartRate", .denied)])
        == [.decided(to: ":1.1", share: ["bodyMass"])])
  }

  @Test("who vanishes waits for nothing, and nobody is answered")
  func vanished() throws {
    var registry = try Made.registry()
    _ = try registry.request(":1.1", share: ["bodyMass"], read: [], call: 3, at: Made.at(10))
    _ = registry.gone(":1.1")
    #expect(registry.deadline == nil)
    #expect(registry.replaceDecisions(with: [Made.grant(.share, "bodyMass")]).isEmpty)
    #expect(try registry.overview(for: ":1.0").waiting.isEmpty)
  }

  @Test("asking again after no answer takes no more room, asking for ever something else is refused")
  func limits() throws {
    var registry = try Made.registry()
    for round in 0..<20 {
      _ = try registry.request(":1.1", share: ["bodyMass"], read: [], call: 1, at: Made.at(Double(round) * 20))
      _ = registry.timeReached(Made.at(Double(round + 1) * 20))
    }
    for type in ["height", "stepCount", "heartRate"] {
      _ = try registry.request(":1.1", share: [type], read: [], call: 1, at: Made.at(500))
    }
    #expect(throws: Refusal.limitsExceeded(.requests)) {
      try registry.request(":1.1", share: ["runningPower"], read: [], call: 1, at: Made.at(500))
    }
    #expect(throws: Refusal.limitsExceeded(.types)) {
      try registry.request(
        ":1.1", share: Array(repeating: "height", count: 257), read: [], call: 1, at: Made.at(500))
    }
  }

  @Test(
    "an unknown type is refused, whatever it looks like",
    arguments: ["", "nonsense", "\u{1B}[2J", String(repeating: "heartRate", count: 1_000)])
  func unknownTypes(type: String) throws {
    var registry = try Made.registry()
    #expect(throws: Refusal.unknownType) { try registry.shareStatus(":1.1", of: type) }
    #expect(throws: Refusal.unknownType) {
      try registry.request(":1.1", share: [], read: [type], call: 1, at: Made.at(1))
    }
  }

  @Test("the configuration decides in advance, the store overrules it")
  func inAdvance() throws {
    var registry = try Made.registry(inAdvance: Made.reading)
    #expect(registry.maySeeSensors(":1.1"))
    #expect(try registry.overview(for: ":1.0").inAdvance == Made.reading)
    _ = registry.replaceDecisions(with: [
      Made.grant(.read, "heartRate", .denied), Made.grant(.read, "heartRateVariabilitySDNN", .denied),
    ])
    #expect(!registry.maySeeSensors(":1.1"))
    #expect(try registry.overview(for: ":1.0").inAdvance.isEmpty)
    _ = registry.replaceDecisions(with: [])
    #expect(registry.maySeeSensors(":1.1"))
  }

  @Test("only owners list and decide, and only what makes sense is stored")
  func deciding() throws {
    var registry = try Made.registry()
    #expect(throws: Refusal.notAuthorized) { try registry.overview(for: ":1.1") }
    let time = Timestamp(microseconds: 5)
    func decide(
      _ name: String, _ client: ClientIdentity = Made.game, share: [String] = [], read: [String] = []
    ) throws -> [Grant] {
      try registry.grants(decidedBy: name, about: client, share: share, read: read, .allowed, at: time)
    }
    #expect(throws: Refusal.notAuthorized) { try decide(":1.1", read: ["heartRate"]) }
    #expect(throws: Refusal.notAuthorized) { try decide(":1.9", read: ["heartRate"]) }
    #expect(throws: Refusal.unknownType) { try decide(":1.0", read: ["nonsense"]) }
    #expect(throws: Refusal.nothingToDecide) { try decide(":1.0") }
    #expect(throws: Refusal.invalidApplication) {
      try decide(":1.0", ClientIdentity(uid: 1, application: "a b"), read: ["heartRate"])
    }
    #expect(
      try decide(":1.0", share: ["height"], read: ["heartbeatSeries", "heartRateVariabilitySDNN"]).map(\.type)
        == ["height", "heartRateVariabilitySDNN"])
  }

  @Test("the owner may decide about programs that have not said who they are")
  func unnamed() throws {
    let registry = try Made.registry()
    let grants = try registry.grants(
      decidedBy: ":1.0", about: ClientIdentity(uid: 1001), share: [], read: ["heartRate"], .allowed,
      at: Timestamp(microseconds: 5))
    #expect(grants.map(\.client.application) == ["unnamed"])
  }

  @Test(
    "what waits for the owner is the application's once it has said who it is: answered if decided, else asked anew")
  func moved() throws {
    for (decided, isAnswered) in [("stepCount", true), ("bodyMass", false)] {
      var registry = try Made.registry()
      _ = try registry.overview(for: ":1.0")
      _ = registry.replaceDecisions(with: [Made.grant(.share, decided)])
      try registry.connect(":1.2", as: nil)
      _ = try registry.request(":1.2", share: ["stepCount"], read: [], call: 5, at: Made.at(1))
      let effects = try registry.identify(":1.2", as: Made.game.application, at: Made.at(2))
      let asked = AccessRequest(client: Made.game, share: ["stepCount"], read: [])
      #expect(effects == (isAnswered ? [.answer(5, isDecided: true)] : [.requested(to: ":1.0", asked)]))
      #expect(try registry.overview(for: ":1.0").waiting == (isAnswered ? [] : [asked]))
    }
  }

  @Test("a subscription is the application's once it has said who it is, which is told what the sensors do")
  func movedSubscription() throws {
    var registry = try Made.registry()
    _ = registry.replaceDecisions(with: Made.reading)
    _ = try registry.subscribe(":1.0", to: [], at: Made.at(0))
    _ = registry.value(1)
    try registry.connect(":1.2", as: nil)
    _ = try registry.called(":1.2", at: Made.at(1))
    #expect(try registry.subscribe(":1.2", to: [], at: Made.at(1)).isEmpty)
    let effects = try registry.identify(":1.2", as: Made.game.application, at: Made.at(2))
    #expect(effects == [.state(to: ":1.2", Made.strap, .measuring)])
    #expect(registry.value(3).measurements(to: ":1.2").map(\.sequence) == [1])
  }

  @Test("an application has so many requests over all its connections, and a user over all its applications")
  func requestsOfMany() throws {
    var limits = ClientLimits()
    limits.requestsOfClient = 2
    limits.requestsOfUser = 3
    var registry = try Made.registry(limits: limits)
    for name in [":1.2", ":1.3"] { try registry.connect(name) }
    try registry.connect(":1.4", as: "org.example.Other")
    try registry.connect(":1.5", as: "org.example.Other")
    try registry.connect(":1.6", uid: 1001)
    func ask(_ name: String) throws -> [Effect] {
      try registry.request(name, share: ["height"], read: [], call: 1, at: Made.at(1))
    }
    for name in [":1.2", ":1.3", ":1.4", ":1.6"] { _ = try ask(name) }
    for name in [":1.1", ":1.5"] { #expect(throws: Refusal.limitsExceeded(.requests)) { try ask(name) } }
    _ = registry.gone(":1.2")
    _ = try ask(":1.5")
  }

  @Test("one user has so many connections, and each so many calls in a second")
  func connections() throws {
    var limits = ClientLimits()
    limits.connectionsOfUser = 2
    limits.callsPerSecond = 10
    var registry = try Made.registry(limits: limits)
    try registry.connected(":1.2", uid: 1000, groups: [])
    #expect(throws: Refusal.limitsExceeded(.connections)) { try registry.connected(":1.3", uid: 1000, groups: []) }
    try registry.connected(":1.3", uid: 1001, groups: [])
    for _ in 0..<20 { _ = try registry.called(":1.1", at: Made.at(1)) }
    #expect(throws: Refusal.limitsExceeded(.calls)) { try registry.called(":1.1", at: Made.at(1)) }
    _ = try registry.called(":1.2", at: Made.at(1))
    for _ in 0..<10 { _ = try registry.called(":1.1", at: Made.at(2)) }
    #expect(throws: Refusal.limitsExceeded(.calls)) { try registry.called(":1.1", at: Made.at(2)) }
    _ = registry.gone(":1.2")
    try registry.connected(":1.4", uid: 1000, groups: [])
  }

  @Test("an application has so many calls over all its connections, and a user over all its applications")
  func callsOfMany() throws {
    var limits = ClientLimits()
    limits.callsPerSecond = 10
    limits.callsOfClientPerSecond = 15
    limits.callsOfUserPerSecond = 20
    var registry = try Made.registry(limits: limits)
    try registry.connect(":1.2")
    try registry.connect(":1.3", as: "org.example.Other")
    try registry.connect(":1.4", uid: 1001)
    func calls(_ name: String, at second: Double = 1) -> Int {
      (0..<100).count { _ in (try? registry.called(name, at: Made.at(second))) != nil }
    }
    #expect(calls(":1.1") == 20)
    #expect(calls(":1.2") == 10, "the application's 30 are used up")
    #expect(calls(":1.3") == 10, "the user's 40 are used up")
    #expect(calls(":1.4") == 20)
    #expect(calls(":1.0") == 20)
    _ = registry.gone(":1.1")
    try registry.connect(":1.1")
    #expect(calls(":1.1") == 0, "who connects anew has used up as much")
    #expect(calls(":1.1", at: 3) == 20)
  }

  @Test("an owner can always revoke, however often its user's applications call")
  func ownersCalls() throws {
    var limits = ClientLimits()
    limits.callsOfUserPerSecond = 5
    var registry = try Made.registry(limits: limits)
    try registry.connect(":1.2", uid: 0)
    try registry.connect(":1.3", uid: 0, as: nil)
    let calls = (0..<100).count { _ in (try? registry.called(":1.2", at: Made.at(1))) != nil }
    #expect(calls == 10)
    _ = try registry.called(":1.3", at: Made.at(1))
    try registry.requireOwner(":1.3")
  }
}
