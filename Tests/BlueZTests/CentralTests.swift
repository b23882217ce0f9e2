import BluetoothScript
import DBus
import TestSupport
import Testing

@testable import BlueZ

@Suite("Central", .timeLimit(.minutes(5)))
struct CentralTests {
  private let address = Stage.address
  private let adapter = Stage.adapter

  @Test("what is there is told at the start, and what follows as it comes")
  func start() async throws {
    let stage = try await Stage()
    #expect(await stage.central.devices.map(\.address) == [address])
    #expect(await stage.central.adapters.map(\.isPowered) == [true])
    try await stage.bluez.link()
    #expect(await stage.log.events { $0 == Stage.resolved } == [Stage.up, Stage.resolved])
    try await stage.bluez.unlink()
    #expect(await stage.log.events { $0 == Stage.down } == [Stage.down])
    await stage.end()
  }

  @Test("a link that is there at the start is told before its device, so that nobody connects it")
  func linkedAtStart() async throws {
    var object = MadeUp.deviceObject
    object["Device1"]?["Connected"] = .boolean(true)
    object["Device1"]?["ServicesResolved"] = .boolean(true)
    let stage = try await Stage(device: object, isStarted: false)
    try await stage.central.start()
    let events = await stage.log.events { if case .deviceChanged = $0 { true } else { false } }
    #expect(events == [.serviceAppeared, Stage.up, Stage.resolved])
    await stage.end()
  }

  @Test("without bluetoothd the central waits, and starts none")
  func notThere() async throws {
    let stage = try await Stage(isStarted: false)
    await stage.bluez.kill()
    try await stage.central.start()
    #expect(await stage.central.adapters.isEmpty)
    let next = try await ScriptedBlueZ.start(
      on: stage.bus.address, loop: stage.loop, objects: [MadeUp.adapter: MadeUp.adapterObject])
    #expect(await stage.log.events { $0 == .serviceAppeared } == [.serviceAppeared])
    await next.kill()
    await stage.end()
  }

  @Test("a bluetoothd that owns its name and does not answer is told, and so is its answer when it comes")
  func silent() async throws {
    let stage = try await Stage(isStarted: false, answerLimit: .milliseconds(1))
    await stage.bluez.answer("GetManagedObjects", .later)
    try await stage.central.start()
    #expect(await stage.log.events { $0 == .serviceSilent } == [.serviceSilent])
    let call = await stage.bluez.next("GetManagedObjects")
    await stage.bluez.answerAsUsual("GetManagedObjects")
    try await stage.bluez.send(call.reply([MadeUp.objectsValue([MadeUp.adapter: MadeUp.adapterObject])]))
    #expect(await stage.log.events { $0 == .serviceAppeared }.last == .serviceAppeared)
    await stage.end()
  }

  @Test(
    "a Connect whose object is removed has failed: BlueZ 5.66 never answers it, and an answer all the same is no second one"
  )
  func removedWhileConnecting() async throws {
    let stage = try await Stage()
    await stage.bluez.answer("Connect", .later)
    await stage.connect()
    let call = await stage.bluez.next("Connect")
    try await stage.bluez.remove(MadeUp.device, ["Device1"])
    let failed = Event.connectFailed(address, adapter, .unknownDevice)
    let events = await stage.log.events { if case .deviceRemoved = $0 { true } else { false } }
    #expect(events.count { $0 == failed } == 1)
    try await stage.bluez.send(call.errorReply("org.bluez.Error.Failed", "le-connection-abort-by-local"))
    try await stage.bluez.add(MadeUp.device, MadeUp.deviceObject)
    let later = await stage.log.events { if case .deviceChanged = $0 { true } else { false } }
    #expect(!later.contains { if case .connectFailed = $0 { true } else { false } })
    await stage.connect()
    _ = await stage.bluez.next("Connect")
    await stage.end()
  }

  @Test(
    "a Connect that succeeds is answered by one link up, whichever of reply and signal is first",
    arguments: [true, false])
  func connect(replyFirst: Bool) async throws {
    let stage = try await Stage()
    await stage.follow()
    await stage.bluez.answer("Connect", .later)
    await stage.connect()
    let call = await stage.bluez.next("Connect")
    if replyFirst { try await stage.bluez.send(call.reply()) }
    try await stage.bluez.link()
    if !replyFirst { try await stage.bluez.send(call.reply()) }
    try await stage.mark()
    let events = await stage.log.eventsUntilBattery()
    #expect(events.filter { $0 == Stage.ourUp } == [Stage.ourUp])
    #expect(events.filter { $0 == Stage.resolved } == [Stage.resolved])
    #expect(events.first == Stage.ourUp)
    await stage.end()
  }

  @Test("a Connect that fails is answered once, with the cause")
  func connectFails() async throws {
    let stage = try await Stage()
    await stage.bluez.answer(
      "Connect", .error(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local"))
    await stage.connect()
    let failed = Event.connectFailed(address, adapter, .aborted)
    #expect(await stage.log.events { $0 == failed } == [failed])
    await stage.end()
  }

  @Test("a Connect that is never answered is given up with the answer to its Disconnect; the next one is called")
  func connectUnanswered() async throws {
    let stage = try await Stage()
    await stage.follow()
    await stage.bluez.answer("Connect", .later)
    await stage.connect()
    let lost = await stage.bluez.next("Connect")
    await stage.central.disconnect(address, on: adapter)
    let failed = Event.connectFailed(address, adapter, .cancelled)
    await stage.reconcile()
    try await stage.mark()
    #expect(await stage.log.eventsUntilBattery() == [failed])
    await stage.connect()
    await stage.reconcile()
    try #require(await stage.bluez.count("Connect") == 1)
    // What comes so late belongs to nobody any more.
    try await stage.bluez.send(lost.errorReply("org.bluez.Error.Failed", "br-connection-canceled"))
    try await stage.bluez.send(await stage.bluez.next("Connect").reply())
    #expect(await stage.log.events { $0 == Stage.ourUp } == [Stage.ourUp])
    await stage.end()
  }

  @Test("after a Connect that was given up, a link is somebody else's, whatever its answer says in the end")
  func connectLate() async throws {
    let stage = try await Stage()
    await stage.bluez.answer("Connect", .later)
    await stage.connect()
    let late = await stage.bluez.next("Connect")
    await stage.central.disconnect(address, on: adapter)
    await stage.reconcile()
    try await stage.bluez.send(late.reply())
    try await stage.bluez.link()
    let failed = Event.connectFailed(address, adapter, .cancelled)
    #expect(await stage.log.events { $0 == Stage.resolved } == [failed, Stage.up, Stage.resolved])
    await stage.central.stop()
    #expect(await stage.bluez.count("Disconnect") == 1, "that of the attempt")
    await stage.end()
  }

  @Test("a link that was lost before its Connect was answered can be made anew at once")
  func connectAgain() async throws {
    let stage = try await Stage()
    await stage.bluez.answer("Connect", .later)
    await stage.connect()
    let first = await stage.bluez.next("Connect")
    try await stage.bluez.link()
    try await stage.bluez.unlink()
    _ = await stage.log.events { $0 == Stage.down }
    await stage.connect()
    await stage.reconcile()
    try #require(await stage.bluez.count("Connect") == 1)
    try await stage.bluez.send(first.errorReply("org.bluez.Error.Failed", "le-connection-abort-by-local"))
    await stage.reconcile()
    try await stage.bluez.send(await stage.bluez.next("Connect").reply())
    #expect(await stage.log.events { $0 == Stage.ourUp } == [Stage.ourUp])
    await stage.end()
  }

  @Test(
    "a device whose address changes while it is linked is another one from then on, with the same link",
    arguments: [true, false])
  func addressChanges(isOurs: Bool) async throws {
    let stage = try await Stage()
    let identity = DeviceAddress("C0:FF:EE:00:00:02")!
    await stage.follow()
    await stage.central.follow(identity, on: adapter)
    if isOurs { await stage.connect() }
    try await stage.bluez.link()
    _ = await stage.log.events { $0 == .subscribed(address, .acquired) }
    await stage.bluez.packets([0, 60])
    try await stage.bluez.change(MadeUp.device, "Device1", ["Address": .string("\(identity)")])
    let events = await stage.log.events { $0 == .subscribed(identity, .acquired) }
    #expect(stage.values(events) == [[0, 60]])
    let ends = events.map { if case .linkDown(address, adapter, _) = $0 { true } else { false } }
    #expect(ends.count { $0 } == 1)
    let learnt = events.firstIndex(of: .identityLearnt(address, identity: identity))
    #expect(try #require(learnt) < ends.firstIndex(of: true)!, "before the link ends, so that its owner can keep it")
    #expect(events.contains(.linkUp(identity, adapter, isOurs: isOurs)))
    #expect(events.contains(.servicesResolved(identity, adapter)))
    let links = isOurs ? [OwnLinks.Link(identity, over: adapter)] : []
    #expect(await stage.central.ownLinks?.links == Set(links))
    await stage.central.stop()
    #expect(await stage.bluez.count("Disconnect") == links.count)
    await stage.end()
  }

  @Test("a Connect during which the address changes has failed for the old one, and made the new one's link")
  func addressChangesInConnect() async throws {
    let stage = try await Stage()
    let identity = DeviceAddress("C0:FF:EE:00:00:02")!
    await stage.bluez.answer("Connect", .later)
    await stage.connect()
    let call = await stage.bluez.next("Connect")
    try await stage.bluez.change(MadeUp.device, "Device1", ["Address": .string("\(identity)")])
    try await stage.bluez.link()
    try await stage.bluez.send(call.reply())
    let events = await stage.log.events { $0 == .servicesResolved(identity, adapter) }
    let first: [Event] = [
      .identityLearnt(address, identity: identity), .connectFailed(address, adapter, .unknownDevice),
    ]
    #expect(Array(events.prefix(2)) == first)
    #expect(events.contains(.linkUp(identity, adapter, isOurs: true)))
    await stage.reconcile()
    try await stage.bluez.unlink()
    let rest = await stage.log.events { $0 == .linkDown(identity, adapter, reason: nil) }
    #expect(!rest.contains(Stage.ourUp))
    await stage.end()
  }

  @Test("a device or an adapter that is not there fails without a call")
  func connectNowhere() async throws {
    let stage = try await Stage()
    let stranger = DeviceAddress(truncatingBits: 5)
    await stage.central.connect(stranger, on: adapter)
    await stage.central.connect(address, on: AdapterPath(1))
    var events = await stage.log.events { if case .connectFailed(_, AdapterPath(1), _) = $0 { true } else { false } }
    #expect(
      events == [
        .connectFailed(stranger, adapter, .unknownDevice), .connectFailed(address, AdapterPath(1), .adapterOff),
      ])
    try await stage.bluez.change(MadeUp.adapter, "Adapter1", ["Powered": .boolean(false)])
    _ = await stage.log.events { if case .adapter(let adapter) = $0 { !adapter.isPowered } else { false } }
    await stage.connect()
    events = await stage.log.events { if case .connectFailed = $0 { true } else { false } }
    #expect(events == [.connectFailed(address, adapter, .adapterOff)])
    #expect(await stage.bluez.count("Connect") == 0)
    await stage.end()
  }

  @Test("a link that Connect promised and that breaks before it is told is down")
  func connectedToNothing() async throws {
    let stage = try await Stage()
    await stage.connect()
    _ = await stage.log.events { $0 == Stage.ourUp }
    try await stage.bluez.change(MadeUp.device, "Device1", ["Connected": .boolean(false)])
    #expect(await stage.log.events { $0 == Stage.down } == [Stage.down])
    await stage.end()
  }

  @Test("only what this central connected is disconnected by it")
  func ownership() async throws {
    let stage = try await Stage()
    try await stage.bluez.link()
    _ = await stage.log.events { $0 == Stage.resolved }
    #expect(await !stage.central.disconnect(address, on: adapter))
    await stage.central.stop()
    #expect(await stage.bluez.count("Disconnect") == 0)
    await stage.end()
  }

  @Test(
    "a link that a central before this one made, over the same bluetoothd, is this one's and ends with it",
    arguments: [true, false])
  func inheritance(isSameService: Bool) async throws {
    var object = MadeUp.deviceObject
    object["Device1"]?["Connected"] = .boolean(true)
    object["Device1"]?["ServicesResolved"] = .boolean(true)
    let stage = try await Stage(device: object, isStarted: false)
    let connection = try await Connection.open(.address(stage.bus.address), on: stage.loop)
    let owner = try #require(try await connection.nameOwner(of: "org.bluez"))
    let left = OwnLinks(service: isSameService ? owner : ":1.999", links: [OwnLinks.Link(address, over: adapter)])
    let log = EventLog()
    let central = Central(
      on: connection, configuration: CentralConfiguration(notifying: BluetoothUUID(0x2A37), inherited: left)
    ) { log.append($0) }
    try await central.start()
    let events = await log.events { $0 == Stage.resolved }
    #expect(events.contains(.linkUp(address, adapter, isOurs: isSameService)))
    #expect(await central.ownLinks == OwnLinks(service: owner, links: isSameService ? left.links : []))
    await central.stop()
    #expect(await stage.bluez.count("Disconnect") == (isSameService ? 1 : 0))
    await connection.close()
    await stage.end()
  }

  @Test("what a central inherits is what is up when it comes: a later link is not")
  func lateLink() async throws {
    let stage = try await Stage(isStarted: false)
    let connection = try await Connection.open(.address(stage.bus.address), on: stage.loop)
    let owner = try #require(try await connection.nameOwner(of: "org.bluez"))
    let left = OwnLinks(service: owner, links: [OwnLinks.Link(address, over: adapter)])
    let log = EventLog()
    let central = Central(
      on: connection, configuration: CentralConfiguration(notifying: BluetoothUUID(0x2A37), inherited: left)
    ) { log.append($0) }
    try await central.start()
    _ = await log.events { $0 == .serviceAppeared }
    try await stage.bluez.link()
    #expect(await log.events { $0 == Stage.resolved }.contains(.linkUp(address, adapter, isOurs: false)))
    await central.stop()
    #expect(await stage.bluez.count("Disconnect") == 0)
    await connection.close()
    await stage.end()
  }

  @Test("at the end, what this central connected is disconnected, and its subscription and discovery are over")
  func stop() async throws {
    let stage = try await Stage()
    await stage.follow()
    await stage.central.startDiscovery(.everything, on: adapter)
    _ = await stage.log.events { $0 == .discovery(adapter, .running) }
    await stage.connect()
    try await stage.bluez.link()
    _ = await stage.log.events { $0 == .subscribed(address, .acquired) }
    await stage.central.stop()
    #expect(await stage.bluez.count("Disconnect") == 1)
    #expect(await stage.bluez.count("StopDiscovery") == 1)
    #expect(await stage.bluez.isClosedByClient())
    await stage.end()
  }

  @Test("at the end, a link of this central whose values another program has is left to it", arguments: [true, false])
  func stopBesideOther(hasDescriptor: Bool) async throws {
    let stage = try await Stage()
    let refusal = hasDescriptor ? "org.bluez.Error.NotPermitted" : "org.bluez.Error.InProgress"
    await stage.bluez.answer("AcquireNotify", .error(name: refusal, message: "refused"))
    await stage.connect()
    let flag = hasDescriptor ? "NotifyAcquired" : "Notifying"
    try await stage.bluez.link()
    try await stage.bluez.change(MadeUp.measurement, "GattCharacteristic1", [flag: .boolean(true)])
    _ = await stage.log.events { $0 == Stage.resolved }
    await stage.reconcile()
    await stage.follow()
    let told: Event =
      hasDescriptor ? .subscriptionFailed(address, .acquiredElsewhere) : .subscribed(address, .shared)
    _ = await stage.log.events { $0 == told }
    await stage.central.stop()
    #expect(await stage.bluez.count("Disconnect") == 0)
    await stage.end()
  }

  @Test(
    "at the end, a link of this central with signals of its own ends unless others are still notified",
    arguments: [true, false])
  func stopWithSignals(areOthersNotified: Bool) async throws {
    let stage = try await Stage()
    await stage.bluez.answer("AcquireNotify", .error(name: "org.bluez.Error.NotSupported", message: "refused"))
    await stage.bluez.answer("Get", .values([.variant(.boolean(areOthersNotified))]))
    await stage.follow()
    await stage.connect()
    try await stage.bluez.link()
    _ = await stage.log.events { $0 == .subscribed(address, .started) }
    await stage.central.stop()
    #expect(await stage.bluez.count("StopNotify") == 1)
    #expect(await stage.bluez.count("Disconnect") == (areOthersNotified ? 0 : 1))
    await stage.end()
  }

  @Test("bluetoothd that is killed takes the link, and the next one is followed without a word from the owner")
  func restart() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    await stage.bluez.packets([0, 60])
    await stage.bluez.kill()
    let events = await stage.log.events { $0 == .serviceDisappeared }
    #expect(stage.values(events) == [[0, 60]])
    #expect(events.suffix(2) == [.linkDown(address, adapter, reason: .serviceGone), .serviceDisappeared])
    #expect(await stage.central.devices.isEmpty)
    let next = try await ScriptedBlueZ.start(
      on: stage.bus.address, loop: stage.loop,
      objects: [MadeUp.adapter: MadeUp.adapterObject, MadeUp.device: MadeUp.deviceObject])
    _ = await stage.log.events { $0 == .serviceAppeared }
    try await next.link()
    _ = await stage.log.events { $0 == .subscribed(address, .acquired) }
    await next.kill()
    await stage.end()
  }

  @Test("bluetoothd that ends in the middle of a Connect: the answer is that it is gone")
  func goneWhileConnecting() async throws {
    let stage = try await Stage()
    await stage.bluez.answer("Connect", .later)
    await stage.connect()
    _ = await stage.bluez.next("Connect")
    await stage.bluez.kill()
    let failed = Event.connectFailed(address, adapter, .serviceGone)
    let events = await stage.log.events { $0 == failed }
    #expect(events.last == failed)
    await stage.end()
  }

  @Test("the loss of the bus ends every link, and is told last")
  func busLost() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    stage.bus.kill()
    let events = await stage.log.events { $0 == .busLost }
    #expect(
      events.filter { $0 != .unsubscribed(address) } == [.linkDown(address, adapter, reason: .busLost), .busLost])
    await stage.end()
  }

  @Test("a removed device is down and gone, and found again it is followed again")
  func removed() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    try await stage.bluez.remove(MadeUp.device, ["Device1"])
    let events = await stage.log.events { if case .deviceRemoved = $0 { true } else { false } }
    #expect(events.first == .linkDown(address, adapter, reason: .removed))
    try await stage.bluez.add(MadeUp.device, MadeUp.deviceObject)
    try await stage.bluez.link()
    _ = await stage.log.events { $0 == .subscribed(address, .acquired) }
    await stage.end()
  }

  @Test("an unfollowed device gives nothing more, and its link stays")
  func unfollow() async throws {
    let stage = try await Stage()
    try await stage.subscribe()
    await stage.central.unfollow(address, on: adapter)
    #expect(await stage.bluez.isClosedByClient())
    #expect(await stage.bluez.count("Disconnect") == 0)
    await stage.central.follow(address, on: adapter)
    _ = await stage.log.events { $0 == .subscribed(address, .acquired) }
    await stage.central.resubscribe(address, on: adapter)
    _ = await stage.log.events { $0 == .subscribed(address, .acquired) }
    #expect(await stage.bluez.count("AcquireNotify") == 3)
    await stage.end()
  }

  @Test("discovery is asked for Low Energy devices with the service, without duplicates")
  func discovery() async throws {
    let stage = try await Stage()
    #expect(await stage.filtersServices() == true)
    await stage.central.startDiscovery(.services([BluetoothUUID(0x180D)]), on: adapter)
    let filter = try #require(await stage.bluez.next("SetDiscoveryFilter").body.first?.properties)
    #expect(filter["UUIDs"]?.strings == ["0000180d-0000-1000-8000-00805f9b34fb"])
    #expect(filter["Transport"] == .string("le"))
    #expect(filter["DuplicateData"] == .boolean(false))
    #expect(await stage.log.events { $0 == .discovery(adapter, .running) } == [.discovery(adapter, .running)])
    try await stage.bluez.change(MadeUp.device, "Device1", ["RSSI": .int16(-60)])
    _ = await stage.log.events { if case .deviceSeen(let device) = $0 { device.rssi == -60 } else { false } }
    await stage.central.startDiscovery(.everything, on: adapter)
    #expect(await stage.bluez.next("SetDiscoveryFilter").body.first?.properties?["UUIDs"] == nil)
    await stage.reconcile()
    #expect(await stage.bluez.count("StopDiscovery") == 0)
    await stage.end()
  }

  @Test("a BlueZ that lists AutoConnect is never asked for a service: of all that is heard, only who has it is told")
  func unfilteredDiscovery() async throws {
    let stage = try await Stage(isStarted: false)
    await stage.bluez.answer("GetDiscoveryFilters", .values([.strings(["UUIDs", "Transport", "AutoConnect"])]))
    try await stage.central.start()
    #expect(await stage.filtersServices() == false)
    await stage.central.startDiscovery(.services([BluetoothUUID(0x180D)]), on: adapter)
    let filter = try #require(await stage.bluez.next("SetDiscoveryFilter").body.first?.properties)
    #expect(filter == ["Transport": .string("le"), "DuplicateData": .boolean(false)])
    _ = await stage.log.events { $0 == .discovery(adapter, .running) }
    let other: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_02"
    var neighbour = MadeUp.object(of: "C0:FF:EE:00:00:02")
    neighbour["Device1"]?["UUIDs"] = .strings(["00001816-0000-1000-8000-00805f9b34fb"])
    neighbour["Device1"]?["RSSI"] = .int16(-40)
    try await stage.bluez.add(other, neighbour)
    try await stage.bluez.change(other, "Device1", ["RSSI": .int16(-41)])
    try await stage.bluez.change(
      MadeUp.device, "Device1", ["UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb"]), "RSSI": .int16(-60)])
    let seen = await stage.log.devicesSeen { $0.rssi == -60 }
    #expect(seen.map(\.address) == [address])
    await stage.central.startDiscovery(.everything, on: adapter)
    try await stage.bluez.change(other, "Device1", ["RSSI": .int16(-42)])
    #expect(await stage.log.devicesSeen { $0.rssi == -42 }.map(\.path.object) == [other])
    await stage.end()
  }

  @Test("an adapter is asked once for its filters, also when it changes, and anew by the next bluetoothd")
  func asksOnce() async throws {
    let stage = try await Stage()
    #expect(await stage.filtersServices() == true)
    try await stage.bluez.change(MadeUp.adapter, "Adapter1", ["Powered": .boolean(false)])
    try await stage.bluez.change(MadeUp.adapter, "Adapter1", ["Powered": .boolean(true)])
    await stage.reconcile()
    #expect(await stage.bluez.paths(of: "GetDiscoveryFilters") == [MadeUp.adapter])
    await stage.bluez.kill()
    let next = try await ScriptedBlueZ.start(
      on: stage.bus.address, loop: stage.loop, objects: [MadeUp.adapter: MadeUp.adapterObject])
    #expect(await next.next("GetDiscoveryFilters").path == MadeUp.adapter)
    await next.kill()
    await stage.end()
  }

  @Test("a version that does not know the question filters; one that answers with another error may be any")
  func filterAnswers() {
    let answer = { (name: String) in Central.filtersServices(.failure(DBusError(.remote(name: name), ""))) }
    #expect(answer("org.freedesktop.DBus.Error.UnknownMethod"))
    #expect(!answer("org.freedesktop.DBus.Error.NoReply"))
    #expect(!answer("org.freedesktop.DBus.Error.AccessDenied"))
  }

  @Test("a discovery that BlueZ ends by itself is told; one that it only interrupts is not")
  func endedDiscovery() async throws {
    let stage = try await Stage()
    let discovering = { (flag: Bool) in
      try await stage.bluez.change(MadeUp.adapter, "Adapter1", ["Discovering": .boolean(flag)])
    }
    await stage.central.startDiscovery(.everything, on: adapter)
    _ = await stage.log.events { $0 == .discovery(adapter, .running) }
    try await discovering(true)
    try await discovering(false)
    try await discovering(true)
    await stage.reconcile()
    try await discovering(false)
    let events = await stage.log.events { $0 == .discovery(adapter, .stopped) }
    #expect(events.count { $0 == .discovery(adapter, .stopped) } == 1)
    await stage.central.startDiscovery(.everything, on: adapter)
    _ = await stage.log.events { $0 == .discovery(adapter, .running) }
    await stage.end()
  }

  @Test("a Connect waits until a discovery that was stopped has ended")
  func connectAfterDiscovery() async throws {
    let stage = try await Stage()
    await stage.central.startDiscovery(.everything, on: adapter)
    _ = await stage.log.events { $0 == .discovery(adapter, .running) }
    await stage.bluez.answer("StopDiscovery", .later)
    await stage.central.stopDiscovery(on: adapter)
    await stage.connect()
    let call = await stage.bluez.next("StopDiscovery")
    await stage.reconcile()
    #expect(await stage.bluez.count("Connect") == 0)
    try await stage.bluez.send(call.reply())
    _ = await stage.log.events { $0 == Stage.ourUp }
    await stage.end()
  }

  @Test("a Connect that waits for the end of a discovery fails when the adapter is switched off")
  func switchedOffMeanwhile() async throws {
    let stage = try await Stage()
    await stage.central.startDiscovery(.everything, on: adapter)
    _ = await stage.log.events { $0 == .discovery(adapter, .running) }
    await stage.bluez.answer("StopDiscovery", .later)
    await stage.central.stopDiscovery(on: adapter)
    await stage.connect()
    try await stage.bluez.change(MadeUp.adapter, "Adapter1", ["Powered": .boolean(false)])
    let failed = Event.connectFailed(address, adapter, .adapterOff)
    #expect(await stage.log.events { $0 == failed } == [failed])
    await stage.end()
  }

  @Test("a device that ends its link while it is paired has refused, also where BlueZ never says so")
  func pairingWithoutAnswer() async throws {
    let stage = try await Stage()
    await stage.bluez.answer("Pair", .later)
    try await stage.bluez.link()
    _ = await stage.log.events { $0 == Stage.resolved }
    let failure = Task {
      await #expect(throws: PairingFailure.self) {
        try await stage.central.pair(address, on: adapter) { _ in .refused }
      }
    }
    _ = await stage.bluez.next("Pair")
    try await stage.bluez.unlink()
    #expect(await failure.value == .authenticationFailed)
    _ = await stage.bluez.next("UnregisterAgent")
    await stage.end()
  }

  @Test("a value is written as a request, and its refusal is thrown")
  func write() async throws {
    let stage = try await Stage()
    await #expect(throws: DBusError.self) {
      try await stage.central.write([1], to: BluetoothUUID(0x2A39), of: address)
    }
    let path: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000e/char0014"
    try await stage.bluez.add(path, ["GattCharacteristic1": ["UUID": .string("2a39")]])
    try await stage.bluez.link()
    _ = await stage.log.events { $0 == Stage.resolved }
    try await stage.central.write([1], to: BluetoothUUID(0x2A39), of: address)
    let call = await stage.bluez.next("WriteValue")
    #expect(call.path == path)
    #expect(call.body.first?.bytes == [1])
    await stage.end()
  }
}
